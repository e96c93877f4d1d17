import { parse, type DefaultTreeAdapterMap } from "parse5";
import type { ElementTree } from "../../src/kernel/index.ts";
import type { Markup } from "../../src/reports/element.ts";

type Node = DefaultTreeAdapterMap["node"];
type Element = DefaultTreeAdapterMap["element"];

const isElement = (node: Node): node is Element => "tagName" in node;

/** Every element of a page as a browser's parser finds it, with its attributes. */
export function elementsOf(html: string, isClosed: (element: Element) => boolean = () => false): Element[] {
  const found: Element[] = [];
  const visit = (node: Node): void => {
    if (isElement(node)) found.push(node);
    if ("childNodes" in node && !(isElement(node) && isClosed(node))) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return found;
}

/** The text of an element or of a page, whole. */
export const textOf = (node: Node): string =>
  "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";

/** An element's tag, its attributes and its text. Between blocks a document has line breaks of its own. */
type Row = readonly [tag: string, attributes: readonly (readonly string[])[], text: string];
const BLOCKS = /^(?:div|blockquote|[uo]l|li|table|thead|tbody|tr)$/;
const row = (tag: string, attributes: Row[1], text: string): Row => [
  ...([tag, attributes] as const),
  BLOCKS.test(tag) ? text.replaceAll("\n", "") : text,
];

const textIn = (node: ElementTree | string): string =>
  typeof node === "string" ? node : node.children.map(textIn).join("");

/** The elements of a tree, in the order of their beginnings. */
export const rowsIn = (nodes: Markup): Row[] =>
  nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    const attributes = Object.entries(node.attributes).map(([name, value]) => [name, String(value)]);
    return [row(node.tag, attributes, textIn(node)), ...rowsIn(node.children)];
  });

/** The elements of the body of a page, likewise. */
export const rowsOf = (html: string): Row[] =>
  elementsOf(`<!doctype html><body>${html}`)
    .slice(3)
    .map((one) =>
      row(
        one.tagName,
        one.attrs.map(({ name, value }) => [name, value]),
        textOf(one),
      ),
    );

const attribute = ({ attrs }: Element, name: string): string =>
  attrs.find((one) => one.name === name)?.value ?? "";

/** The tags of a page but for those within a model's texts. */
export const structureOf = (html: string): string[] =>
  elementsOf(html, (element) => /^(?:text|points)$/.test(attribute(element, "class"))).map(
    ({ tagName }) => tagName,
  );

const ALLOWED = new Set(
  (
    "html head meta title style body header main section details summary h1 h2 h3 h4 h5 h6 p div ul ol li dl dt dd table thead tbody " +
    "tr th td pre code blockquote hr br strong em del a small span svg desc text line rect circle polyline"
  ).split(" "),
);
const ATTRIBUTES =
  /^(?:lang|charset|http-equiv|content|name|class|dir|role|tabindex|title|scope|start|rel|href|id|aria-(?:label|labelledby)|viewBox|[xy][12]?|c[xy]|r|width|height|text-anchor|points|fill|fill-opacity|stroke|stroke-(?:width|dasharray))$/;

/** What a page has that could run, load or lead anywhere but to the web and to mailboxes; none in a good one. */
export function dangersIn(html: string): string[] {
  return elementsOf(html).flatMap((element) => {
    const { tagName, attrs } = element;
    const foreign = attrs
      .filter(({ name }) => !ATTRIBUTES.test(name))
      .map(({ name }) => `${tagName} ${name}`);
    const href = attribute(element, "href");
    const isLink = tagName === "a" && attribute(element, "rel") === "noreferrer noopener nofollow";
    const isBad = href !== "" && !(isLink && /^(?:https?:\/\/|mailto:)/.test(href));
    return [
      ...(ALLOWED.has(tagName) ? [] : [`<${tagName}>`]),
      ...foreign,
      ...(isBad ? [`${tagName} href=${href}`] : []),
      ...(tagName === "meta" && /refresh/i.test(attribute(element, "http-equiv")) ? ["refresh"] : []),
    ];
  });
}
