import { Parser } from "htmlparser2";

// What a page of the web says, as text with its headings, lists, tables and links. Nothing of it is run or loaded.

/** Nothing in these is part of what a page says. */
const SKIPPED: ReadonlySet<string> = new Set(
  (
    "script style noscript template svg math canvas iframe object embed video audio nav footer aside form button select " +
    "textarea dialog"
  ).split(" "),
);
const HIDES = /\bdisplay\s*:\s*none|\bvisibility\s*:\s*hidden/i;
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article blockquote body dd details div dl dt fieldset figcaption figure header hr li main ol p section summary " +
    "table tbody thead tfoot tr ul caption h1 h2 h3 h4 h5 h6 pre"
  ).split(" "),
);
/** A page's own part is taken alone where it has so many characters. */
const MIN_MAIN_LENGTH = 400;

/** The parser's time grows with the elements that are open: of more, which no browser nests either, it closes all and goes on. */
const MAX_OPEN = 2_000;
const PIECE = 8_000;

export type PageText = { readonly title: string; readonly text: string };

/** The readable text of a page of HTML; links are made absolute by the page's address. */
export function pageText(html: string, address: string): PageText {
  const all = readPage(html, address);
  const own = [all.main, all.article].find((part) => part.length >= MIN_MAIN_LENGTH);
  return { title: all.title, text: own ?? all.body };
}

type TextBuffer = { text: string };

function readPage(html: string, address: string) {
  const writers = { body: { text: "" }, main: { text: "" }, article: { text: "" } };
  let title = "";
  let skipped = 0;
  let isTitle = false;
  let preformatted = 0;
  const lists: { ordered: boolean; items: number }[] = [];
  const links: { readonly target: string; readonly label: TextBuffer }[] = [];
  const within = { main: 0, article: 0 };
  let cells = 0;
  let open = 0;
  let pending = "";

  const write = (text: string): void => {
    const label = links.at(-1)?.label;
    if (label) return void (label.text += text);
    writers.body.text += text;
    if (within.main > 0) writers.main.text += text;
    if (within.article > 0) writers.article.text += text;
  };
  const endLine = (lines: number): void => {
    if (pending.length < lines) pending = "\n".repeat(lines);
  };
  const say = (text: string): void => {
    if (text === "") return;
    write(pending + text);
    pending = "";
  };
  const endLink = (): void => {
    const link = links.pop();
    const label = link?.label.text.trim() ?? "";
    if (link && label !== "") say(link.target === "" ? label : `[${label}](${link.target})`);
  };

  const parser = new Parser(
    {
      onopentag(name, { href = "", alt = "", hidden, style = "" }) {
        open += 1;
        // Of what is left out everything counts, so that its own end is known.
        if (skipped > 0 || SKIPPED.has(name) || hidden !== undefined || HIDES.test(style)) skipped += 1;
        if (skipped > 0) return;
        if (name === "title") isTitle = title === "";
        if (name === "main" || name === "article") within[name] += 1;
        if (BLOCKS.has(name)) {
          if (links.length > 0) endLink();
          endLine(name === "li" || name === "tr" || name === "dd" ? 1 : 2);
        }
        if (/^h[1-6]$/.test(name)) say(`${"#".repeat(Number(name[1]))} `);
        else if (name === "ul" || name === "ol") lists.push({ ordered: name === "ol", items: 0 });
        else if (name === "li") {
          const list = lists.at(-1) ?? { ordered: false, items: 0 };
          list.items += 1;
          say(
            `${"  ".repeat(Math.max(0, Math.min(lists.length, 8) - 1))}${list.ordered ? `${list.items}.` : "-"} `,
          );
        } else if (name === "tr") cells = 0;
        else if (name === "td" || name === "th") {
          if (cells > 0) say(" | ");
          cells += 1;
        } else if (name === "br") endLine(1);
        else if (name === "blockquote") say("> ");
        else if (name === "pre") preformatted += 1;
        else if (name === "img" && alt.trim() !== "") say(`[image: ${alt.trim().slice(0, 300)}]`);
        else if (name === "a") {
          if (links.length > 0) endLink();
          const isWeb = URL.canParse(href, address) && /^https?:$/.test(new URL(href, address).protocol);
          const isHere = href === "" || href.startsWith("#");
          links.push({ target: isWeb && !isHere ? new URL(href, address).href : "", label: { text: "" } });
        }
      },
      ontext(given) {
        if (isTitle) title += given;
        if (skipped > 0 || isTitle) return;
        if (preformatted > 0) return say(given);
        const text = given.replaceAll(/[\s\u00a0]+/g, " ");
        // A blank at the beginning of a line is none.
        say(pending === "" ? text : text.trimStart());
      },
      onclosetag(name) {
        open -= 1;
        if (name === "title") isTitle = false;
        if (skipped > 0) return void (skipped -= 1);
        if (name === "a") endLink();
        if (name === "ul" || name === "ol") lists.pop();
        if (name === "pre") preformatted = Math.max(0, preformatted - 1);
        if (BLOCKS.has(name)) endLine(name === "li" || name === "tr" ? 1 : 2);
        if (name === "main" || name === "article") within[name] = Math.max(0, within[name] - 1);
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  for (let at = 0; at < html.length; at += PIECE) {
    parser.write(html.slice(at, at + PIECE));
    if (open < MAX_OPEN) continue;
    parser.end();
    parser.reset();
  }
  parser.end();
  while (links.length > 0) endLink();
  const tidy = ({ text }: TextBuffer) =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
  return {
    title: title.replaceAll(/\s+/g, " ").trim().slice(0, 300),
    ...{ body: tidy(writers.body), main: tidy(writers.main), article: tidy(writers.article) },
  };
}

const MARKS = { efbbbf: "utf-8", fffe: "utf-16le", feff: "utf-16be" };
const NAMED = /(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i;

/** The text of bytes in the charset that a mark before them, the server or the page names; else of UTF-8, or what browsers take it for. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const begin = Buffer.from(bytes.subarray(0, 3)).toString("hex");
  const marked = Object.entries(MARKS).find(([mark]) => begin.startsWith(mark))?.[1];
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2_048)).replaceAll(/<!--[^]*?-->/g, "");
  const within = NAMED.exec(/<(?:meta[^>]*charset|\?xml[^>]*encoding)[^>]*>/i.exec(head)?.[0] ?? "")?.[1];
  // What could be read as far as its name is no UTF-16.
  const label = marked ?? NAMED.exec(contentType)?.[1] ?? within?.replace(/^utf-?16.*/i, "utf-8");
  for (const [name, fatal] of [
    [label, false],
    ["utf-8", true],
  ] as const)
    try {
      if (name !== undefined) return new TextDecoder(name, { fatal }).decode(bytes);
    } catch {
      // A name that nobody knows, or no UTF-8.
    }
  return new TextDecoder("windows-1252").decode(bytes);
}
