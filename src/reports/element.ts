import type { ElementTree } from "../kernel/index.ts";
import { printable } from "./printable.ts";

// ELEMENT-1. Elements and attributes are those of these lists, which have nothing that runs, loads or styles; a link of a document leads to
//     http, https or mailto, and a picture of one holds its bytes. Foreign text is the text of an element, or the value of an attribute. Else: a model's text runs in a browser.

/** What stands in an element or in a page, in order. */
export type Markup = readonly (ElementTree | string)[];

/** Makes an element; an attribute without a value is left out. Texts and values are made printable, for whoever shows them. */
export function element(
  tag: string,
  given: Readonly<Record<string, string | number | undefined>>,
  ...children: Markup
): ElementTree {
  const attributes: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) attributes[name] = typeof value === "string" ? printable(value) : value;
  return { tag, attributes, children: printableMarkup(children) };
}

/** Texts as they may be shown, without those that are empty; elements have been made so. */
export const printableMarkup = (nodes: Markup): Markup =>
  nodes.map((node) => (typeof node === "string" ? printable(node) : node)).filter((node) => node !== "");

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names.join(" ").split(" "));

const SHAPES = "line rect circle ellipse polyline polygon path";
/** What stands on a line of its own in a document. */
const LINES = setOf(
  "h1 h2 h3 h4 h5 h6 p div pre hr blockquote ul ol li table thead tbody tr svg g title desc text",
  SHAPES,
);
/** What has its content on lines of its own. */
const WRAPPERS = setOf("blockquote ul ol table tbody svg g");
/** What has no content in HTML, and what has none in SVG as long as nothing stands in it. */
const VOID = setOf("br hr img");
const CLOSING = setOf(SHAPES);
const TAGS = setOf(...LINES, "th td a strong em del small code span br img tspan");
const ATTRIBUTES = setOf(
  "class dir title role tabindex id scope start href rel src alt aria-label aria-labelledby",
  "viewBox x y x1 y1 x2 y2 cx cy r rx ry width height d points transform",
  "fill fill-opacity stroke stroke-width stroke-dasharray text-anchor",
);

/**
 * Refuses an element that a page may not have; what stands in it is not looked at.
 * @throws RangeError for a tag, an attribute or an address that is not allowed
 */
export function checkElement({ tag, attributes }: ElementTree): void {
  if (!TAGS.has(tag))
    throw new RangeError(`an element must be one of ${[...TAGS].join(", ")} (got "${tag}")`);
  const foreign = Object.keys(attributes).find((name) => !ATTRIBUTES.has(name));
  if (foreign !== undefined)
    throw new RangeError(`an attribute must be one of ${[...ATTRIBUTES].join(", ")} (got "${foreign}")`);
  const { href, src } = attributes;
  if (src !== undefined && !/^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]*$/.test(String(src)))
    throw new RangeError("a picture's address must be its own bytes, data:image/…;base64,…");
  if (href !== undefined && !/^(?:https?:\/\/|mailto:)/.test(String(href)))
    throw new RangeError(`an address must begin with http://, https:// or mailto: (got "${href}")`);
}

/**
 * Writes elements as HTML, with their SVG inline. (HTML-1, ELEMENT-1)
 * @throws RangeError for a tag, an attribute or an address that is not allowed
 */
export const elementHtml = (nodes: Markup): string =>
  nodes
    .map(
      (node, index) =>
        `${index > 0 && (isLine(node) || isLine(nodes[index - 1])) ? "\n" : ""}${nodeHtml(node)}`,
    )
    .join("");

const isLine = (node: Markup[number] | undefined): boolean => typeof node === "object" && LINES.has(node.tag);

function nodeHtml(node: Markup[number]): string {
  if (typeof node === "string") return escapeHtml(node);
  checkElement(node);
  const { tag, attributes, children } = node;
  const start = `${tag}${attributesHtml(attributes)}`;
  if (VOID.has(tag)) return `<${start}>`;
  if (CLOSING.has(tag) && children.length === 0) return `<${start}/>`;
  const content = elementHtml(children);
  return `<${start}>${WRAPPERS.has(tag) ? `\n${content}\n` : content}</${tag}>`;
}

const attributesHtml = (attributes: ElementTree["attributes"]): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    .join("");

/** Writes a figure as an SVG file, with the style that paints it below its title. Ends in a newline. */
export function svgFile(figure: ElementTree, style: string): string {
  checkElement(figure);
  const { attributes, children } = figure;
  const [title = "", ...others] = children;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg"${attributesHtml(attributes)}>`,
    elementHtml([title]),
    `<style>${escapeHtml(style)}</style>`,
    elementHtml(others),
    "</svg>",
  ].join("\n")}\n`;
}

// HTML-1. No foreign text is HTML: it is made printable and escaped, and stands in elements and in quoted attributes only. Else: a model's
//     text runs in the reader's browser.

const ENTITIES: { readonly [character: string]: string | undefined } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Foreign text as HTML text, or as a quoted attribute's value; line breaks stay. */
export const escapeHtml = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
