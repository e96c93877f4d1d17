import type { VNode } from "preact";

type TabsProps = {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly href: string; readonly isCurrent: boolean }[];
};

/** The views of a screen, each a link. */
export const Tabs = ({ label, tabs }: TabsProps): VNode => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, href, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
