import { signal, useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";

/** Whether the page is being printed: paper cannot be unfolded. */
const isPrinting = signal(false);
addEventListener("beforeprint", () => (isPrinting.value = true));
addEventListener("afterprint", () => (isPrinting.value = false));

/** Follows what is open by default until the reader opens or closes it; on paper everything is. */
export function useOpen(isDefault: boolean): {
  readonly isOpen: boolean;
  readonly chosen: Signal<boolean | undefined>;
} {
  const chosen = useSignal<boolean | undefined>(undefined);
  return { isOpen: isPrinting.value || (chosen.value ?? isDefault), chosen };
}

type FoldedProps = {
  readonly heading: string;
  readonly facts?: string;
  readonly isOpen?: boolean;
  readonly children: () => ComponentChildren;
};

/** Content that is made when it is opened. */
export function Folded({ heading, facts = "", isOpen: isDefault = false, children }: FoldedProps): VNode {
  const { isOpen, chosen } = useOpen(isDefault);
  return (
    <details
      class="step"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) chosen.value = open;
      }}
    >
      <summary dir="auto">
        {heading} <span class="quiet">{facts}</span>
      </summary>
      {isOpen && children()}
    </details>
  );
}
