import type { VNode } from "preact";
import { diffLines, foldUnchanged } from "../../text/line-diff.ts";
import { t } from "../strings.ts";

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

type DifferenceProps = {
  /** What the two texts are, for whoever does not see them. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
};

/** What one text has and the other has not, line by line. */
export function Difference({ label, before, after }: DifferenceProps): VNode {
  const lines = diffLines(before, after);
  const count = (kind: "added" | "removed") => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [count("added"), count("removed")];
  if (added + removed === 0) return <p class="quiet">{t.library.noDifference}</p>;
  return (
    <section class="difference" aria-label={label}>
      <p class="quiet">
        {label}:{" "}
        {t.library.difference({ added: t.library.added(added), removed: t.library.removed(removed) })}
      </p>
      <div class="diff" role="group" aria-label={label} tabIndex={0} dir="auto">
        {foldUnchanged(lines).map((line, index) => {
          if (line.kind === "folded")
            return (
              <p key={index} class="quiet">
                {t.library.unchangedLines(line.count)}
              </p>
            );
          const Line = line.kind === "added" ? "ins" : line.kind === "removed" ? "del" : "span";
          return (
            <Line key={index}>
              <span class="diff-sign">{SIGNS[line.kind]}</span>
              {line.text}
            </Line>
          );
        })}
      </div>
    </section>
  );
}
