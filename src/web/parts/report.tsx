import type { VNode } from "preact";
import type { ReportBlock, ReportPart } from "../../kernel/index.ts";
import { hasContent, isEmptyBlock } from "../../reports/part.ts";
import { t } from "../strings.ts";
import { Figure, Markdown, Points } from "./elements.tsx";
import { Table } from "./table.tsx";

/** Parts of a document about a run, as `parley show` prints them. Empty ones are left out. */
export const Report = ({
  parts,
  level = 3,
}: {
  readonly parts: readonly ReportPart[];
  readonly level?: number;
}): VNode => (
  <>
    {parts.filter(hasContent).map((part, index) => (
      <Part key={`${index} ${part.heading}`} part={part} level={level} />
    ))}
  </>
);

function Part({ part, level }: { readonly part: ReportPart; readonly level: number }): VNode {
  const { heading, blocks, parts = [], folds = false } = part;
  const Heading = `h${Math.min(6, level)}` as "h3"; // a heading's tag by its level
  const content = (
    <>
      {blocks.map((block, index) => (
        <Block key={index} block={block} level={level + 1} />
      ))}
      <Report parts={parts} level={level + 1} />
    </>
  );
  if (heading === "") return content;
  if (!folds)
    return (
      <section class="part">
        <Heading dir="auto">{heading}</Heading>
        {content}
      </section>
    );
  return (
    <details class="part">
      <summary>
        <Heading dir="auto">{heading}</Heading>
      </summary>
      {content}
    </details>
  );
}

function Block({ block, level }: { readonly block: ReportBlock; readonly level: number }): VNode | null {
  if (isEmptyBlock(block)) return null;
  switch (block.kind) {
    case "words":
      return <p class="quiet">{block.text}</p>;
    case "warning":
      return (
        <p class="warning" role="note">
          <strong>{block.title}</strong> {block.text}
        </p>
      );
    case "facts":
      return (
        <dl class="facts">
          {block.rows.map(([label, text], index) => (
            <div key={index}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      );
    case "table":
      return <Table heads={block.heads} rows={block.rows} label={t.details} />;
    case "text":
      return block.verbatim === undefined ? (
        <Markdown text={block.text} level={level} />
      ) : (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case "points":
      return <Points texts={block.texts} level={level} />;
    case "figure":
      return <Figure tree={block.figure} />;
  }
}
