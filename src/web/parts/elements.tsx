import { createElement, type ComponentChild, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ElementTree } from "../../kernel/index.ts";
import { markdownTree } from "../../reports/markdown-tree.ts";

// ELEMENTS-1. Foreign text becomes text nodes within elements of our own: the page has no way to show text as markup.

/** A tree of reports as elements. Links lead out of the page, but for those of its own, whose addresses begin with a slash. */
function toElement(node: ElementTree | string, key: number): ComponentChild {
  if (typeof node === "string") return node;
  const { tag, attributes, children } = node;
  const isLeaving = tag === "a" && !String(attributes["href"]).startsWith("/");
  const leaving = isLeaving ? { target: "_blank", rel: "noopener noreferrer nofollow" } : {};
  return createElement(tag, { ...attributes, ...leaving, key }, ...children.map(toElement));
}

/** A figure of a report. */
export const Figure = ({ tree }: { readonly tree: ElementTree }): VNode => (
  <figure class="figure">{toElement(tree, 0)}</figure>
);

/** Texts as points of a list; read as Markdown where they have a level. */
export const Points = ({
  texts,
  level,
}: {
  readonly texts: readonly string[];
  readonly level?: number;
}): VNode => (
  <ul class="points">
    {texts.map((text, index) => (
      <li key={index} dir="auto">
        {level === undefined ? text : <Markdown text={text} level={level} />}
      </li>
    ))}
  </ul>
);

type MarkdownProps = {
  readonly text: string;
  /** The level of its highest heading. */
  readonly level?: number;
  /** Its place has a height of its own: the text scrolls there, also by keyboard. */
  readonly scrolls?: boolean;
};

/** A model's text, read as Markdown. */
export function Markdown({ text, level = 3, scrolls = false }: MarkdownProps): VNode {
  const read = useMemo(() => markdownTree(text, level).map(toElement), [text, level]);
  return (
    <div class="text" tabIndex={scrolls ? 0 : undefined}>
      {read}
    </div>
  );
}
