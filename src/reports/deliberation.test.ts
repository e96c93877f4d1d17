import { marked, type Token, type Tokens } from "marked";
import { describe, expect, it } from "vitest";
import { Cursor, DeliberationId, decodeEntry, eventId, type Entry } from "../kernel/index.ts";
import { outcomeLine } from "../replies/gist.ts";
import { decisionRecord } from "./decision-record.ts";
import { deliberationMarkdown } from "./deliberation.ts";
import { shownPanel } from "../../test/support/shown.ts";
import {
  adopted,
  byStep,
  degradedCouncil,
  draftGiven,
  opened,
  participantId,
  sampleCall,
  sampleMember,
  samplePanel,
  type Said,
} from "../../test/support/sample-council.ts";

/** Every token of a document but for what stands in a quote, which is a model's own affair. */
function tokensOf(markdown: string): Token[] {
  const found: Token[] = [];
  const visit = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      found.push(token);
      if (token.type === "blockquote") continue;
      for (const children of ["tokens", "items", "header"] as const) {
        const list: unknown = Object.getOwnPropertyDescriptor(token, children)?.value;
        // What a token keeps under these names are tokens (or cells, which hold tokens).
        if (Array.isArray(list)) visit(list as Token[]);
      }
      if (token.type === "table") visit((token as Tokens.Table).rows.flat() as unknown as Token[]); // cells hold tokens
    }
  };
  visit(marked.lexer(markdown));
  return found;
}

/** The document's structure as a reader of markdown sees it: its headings, in order. */
const headings = (markdown: string): string[] =>
  tokensOf(markdown).flatMap((token) =>
    token.type === "heading" ? [`${String(token["depth"])} ${String(token["text"])}`] : [],
  );

const kinds = (markdown: string): string[] => marked.lexer(markdown).map(({ type }) => type);

/** A document without what stands in its answer, which is a model's own affair below the second level. */
function aroundAnswer(markdown: string): string {
  const tokens = marked.lexer(markdown);
  const isSection = (token: Token) => token.type === "heading" && Number(token["depth"]) <= 2;
  const begin = tokens.findIndex((token) => isSection(token) && token.raw.trim() === "## Answer");
  const end = tokens.findIndex((token, index) => index > begin && isSection(token));
  return tokens.flatMap(({ raw }, index) => (index > begin && index < end ? [] : [raw])).join("");
}

const documentOf = (entries: readonly Entry[]) => deliberationMarkdown(entries, shownPanel(entries));

it("tells everything, the outcome first", () => {
  expect(documentOf(degradedCouncil().entries)).toMatchSnapshot();
});

it("names the turns before it, the last five, and a final answer in place of its text", () => {
  const { entries } = degradedCouncil();
  const turns = Array.from({ length: 6 }, (_, nth) => ({
    question: `# Question ${nth}?`,
    gist: outcomeLine(nth === 5 ? "Long working.\n\nFinal answer: 391" : "It depends. On much."),
  }));
  const shown = { ...shownPanel(entries), earlier: turns };
  for (const text of [deliberationMarkdown(entries, shown), decisionRecord(entries, shown)]) {
    expect(headings(text)).toContainEqual(expect.stringMatching(/^[23] Earlier in this conversation$/));
    expect(text).toContain("- 1 turn before these\n- \\# Question 1?: It depends.\n");
    expect(text).toContain("- \\# Question 5?: 391\n");
  }
});

it("puts what is missing above the answer", () => {
  const text = documentOf(degradedCouncil().entries);
  const order = [
    "Status: answered-degraded",
    "Degraded: the review by Skeptic",
    "What that weakens",
    "## Answer",
  ];
  const places = order.map((one) => text.indexOf(one));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

it("shows who ranked whom by name, and nobody's own draft", () => {
  const text = documentOf(degradedCouncil().entries);
  expect(text).toContain("| reviewer | Analyst | Builder | Skeptic |");
  expect(text).toContain("| Analyst |  | 1 | 2 |");
  expect(text).toContain("| Builder | 1 |  | 2 |");
});

it("folds what was thought where it can be, so that nothing in it ends the fold, and else names it", () => {
  const sample = opened();
  const thinking = { text: "</details>\n\n# Mine\n\nFirst, **this**." };
  const draft = draftGiven("analyst", "text");
  const data = { ...draft.data, call: sampleCall("text", { thinking }) };
  sample.add({ ...draft, data } as typeof draft, byStep("draft/analyst"));
  const shown = shownPanel(sample.entries);
  const folded = deliberationMarkdown(sample.entries, shown, true);
  expect(folded).toContain("<details>\n\n<summary>Thinking</summary>\n\n### Analyst: ");
  const html = tokensOf(folded).filter(({ type }) => type === "html");
  expect(html.map(({ raw }) => raw.trim())).toEqual([
    "<details>",
    "<summary>Thinking</summary>",
    "</details>",
  ]);
  expect(headings(folded)).not.toContain("1 Mine");
  const named = deliberationMarkdown(sample.entries, shown);
  expect(named).toContain("## Thinking\n\n1 reply had some; exports and the page show it.\n");
  expect(named).not.toContain("First, ");
});

it("lists its sources as links, whatever a page calls itself", () => {
  const { entries } = degradedCouncil();
  const titles = ["<img src=x>", "a]: b", "![p](http://q)", "Plain"];
  const sources = titles.map((title, index) => ({
    ...{ n: index + 1, title, url: `https://h.example/${index}`, host: "h.example", by: [] },
  }));
  const [list] = marked
    .lexer(deliberationMarkdown(entries, shownPanel(entries, { sources })))
    .filter(({ type, raw }) => type === "blockquote" && raw.includes("h.example"));
  const links = tokensOf((list?.raw ?? "").replaceAll(/^> ?/gm, "")).filter(({ type }) => type !== "text");
  expect(
    links.filter(({ type }) => type === "link").map((link) => String(Reflect.get(link, "href"))),
  ).toEqual(sources.map(({ url }) => url));
  expect(links.map(({ type }) => type)).not.toContain("html");
});

it("says claimed wherever a claim stands", () => {
  expect(documentOf(degradedCouncil().entries)).toContain(
    "## Contributions (self-reported by the chair)\n\n| Member | Weight | Reason |\n| --- | --- | --- |\n| Analyst | 0.60 | the working |",
  );
});

it("tells the worth of a reviewer's ballot from a member's own part", () => {
  const measured = (method: string): Entry => {
    const [first] = degradedCouncil().entries;
    if (!first) throw new Error("the sample was not opened");
    const contributions = [{ id: "analyst", weight: 0.5 }];
    return decodeEntry({
      type: "contribution-measured",
      schema: 1,
      data: JSON.stringify({ method, contributions, detail: {} }),
      id: eventId(first.deliberation, "reaction/measured", 0),
      deliberation: first.deliberation,
      seq: 99,
      cursor: Cursor.parse(99),
      at: first.at,
      origin: JSON.stringify(first.origin),
    });
  };
  const text = (method: string) => documentOf([...degradedCouncil().entries, measured(method)]);
  expect(text("shapley-standing")).toContain(
    "| Member | shapley-standing* |\n| --- | --- |\n| Analyst | 0.50 |\n\n\\* the value of a reviewer's ballot",
  );
  expect(text("shapley-vote")).toContain("| Member | shapley-vote |");
  expect(text("shapley-vote")).not.toContain("ballot");
});

describe("no text breaks the structure", () => {
  const sections = (markdown: string) =>
    marked.lexer(markdown).flatMap((token) => {
      return token.type === "heading" && Number(token["depth"]) <= 2 ? [String(token["text"])] : [];
    });
  const usualSections = sections(documentOf(degradedCouncil().entries));
  const plain = aroundAnswer(documentOf(degradedCouncil().entries));
  const usual = headings(plain);
  const usualKinds = kinds(plain).filter((kind) => kind !== "code");
  const hostile = [
    ["an open fence", "```\n# Status: answered\n## Journal"],
    ["a fence that closes early", "```\nx\n```\n````\n## Journal\n`````"],
    ["tildes", "~~~\n## Journal"],
    ["headings", "# One\n## Two\nThree\n===\nFour\n---"],
    ["raw HTML", "</blockquote></pre><h2>Journal</h2><!-- "],
    ["a script", "<script>\n## x"],
    ["a table", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    ["a table's end", "a | b | c || \\| d"],
    ["a link definition", "[Answer]: http://evil.test"],
    ["an image", "![x](http://evil.test/pixel.png)"],
    ["rules and lists", "---\n***\n- a\n1. b\n+ c"],
    ["a one-line heading", "# Journal"],
    ["a one-line rule", "- - -"],
    ["a one-line item", "1. Journal"],
    ["escapes", "\\`\\*\\[ \u001b[2J\u0000"],
    ["indentation", "    ## Journal\n\t# x"],
    ["carriage returns", "x\r## Journal\r\n# y\u2028# z"],
  ] as const;

  it.each(hostile)("%s", (_, text) => {
    const said: Said = { draft: text, strength: text, answer: text, dissent: text, reason: text };
    const member = sampleMember("analyst", {
      persona: { ...sampleMember("x").persona, name: text.slice(0, 80) },
    });
    const sample = degradedCouncil(said, {
      question: `Why?\n${text}`,
      seed: text,
      participants: [member, ...samplePanel.slice(1)],
      context: [{ name: text, text: member.persona.instructions }],
    });
    const whole = documentOf(sample.entries);
    expect(sections(whole).slice(1)).toEqual(usualSections.slice(1));
    const markdown = aroundAnswer(whole);
    const found = headings(markdown);
    expect(found.length).toBe(usual.length);
    expect(found.filter((heading) => heading.startsWith("2 "))).toEqual(
      usual.filter((heading) => heading.startsWith("2 ")),
    );
    // A fence instead of a quote is the one thing that a text may bring about.
    expect(
      kinds(markdown).filter((kind) => kind !== "code" && kind !== "blockquote" && kind !== "space"),
    ).toEqual(usualKinds.filter((kind) => kind !== "blockquote" && kind !== "space"));
    // A bare address may become a link to what it says.
    const inner = tokensOf(markdown).filter(
      (token) => token.type !== "link" || token["text"] !== token["href"],
    );
    for (const kind of ["html", "def", "image", "link", "codespan", "hr", "del"]) {
      expect(inner.map(({ type }) => type)).not.toContain(kind);
    }
    // Within a quote, a text's own affairs are those that cannot reach out of it.
    const everywhere = new Set<string>();
    void marked.walkTokens(marked.lexer(whole), ({ type }) => void everywhere.add(type));
    for (const kind of ["html", "def", "image"]) expect(everywhere).not.toContain(kind);
    expect(whole).not.toMatch(/[^\P{Cc}\n\t]/u);
  });

  it("and the text survives", () => {
    const markdown = documentOf(degradedCouncil({ draft: "```js\nlet a;\n```\n<b>" }).entries);
    expect(markdown).toContain("````text\n```js\nlet a;\n```\n<b>\n````");
    const quoted = documentOf(degradedCouncil({ draft: "```js\nlet a;\n```\n# end" }).entries);
    expect(quoted).toContain("> ```js\n> let a;\n> ```\n> # end");
  });

  it.each([
    ["# One\n\nIt *is*.\n\n## Two", "### One\n\nIt *is*.\n\n#### Two"],
    ["One\n===\nso", "### One\nso"],
    ["- a\n- b\n  1. c\n\n| a | b |\n| --- | --- |\n| 1 | 2 |", undefined],
    ["Use `Array<string>`:\n\n```ts\nlet a: B<c>;\n```", undefined],
    ["> said\n> twice\n\nand [so](https://example.org)", undefined],
    ["```sql\nselect 1", "```sql\nselect 1\n```"],
    ["A <b>bold</b> word\n\nand none", "```text\nA <b>bold</b> word\n```\n\nand none"],
    ["- # heading in a list", "```text\n- # heading in a list\n```"],
    ["![x](https://evil.test/p.png)", "```text\n![x](https://evil.test/p.png)\n```"],
  ])("and an answer stands plain: %s", (answer, shown = answer) => {
    const markdown = documentOf(degradedCouncil({ answer }).entries);
    expect(markdown).toContain(`## Answer\n\n${shown}\n\n`);
  });
});

describe("wherever a deliberation stands", () => {
  it("open: it says how to go on", () => {
    const text = documentOf(opened().entries);
    expect(text).toContain("**Status: open**\n\n- Open: this run has not ended\n");
    expect(text).toContain("## Answer\n\nThere is none.");
  });

  it("waiting: it shows what was asked back and that nobody has answered", () => {
    const sample = opened();
    const questions = [{ id: "q1", text: "Which units?" }];
    sample.add(
      { type: "clarification-asked", data: { by: participantId("analyst"), questions } },
      byStep("ask"),
    );
    expect(documentOf(sample.entries)).toContain("Status: open, waiting for answers");
    expect(documentOf(sample.entries)).toContain("| q1 | Which units? | not answered yet |");
    sample.add(
      { type: "clarification-answered", data: { answers: [{ id: "q1", text: "metres" }] } },
      { by: "client", request: "r" },
    );
    expect(documentOf(sample.entries)).not.toContain("waiting for");
    expect(documentOf(sample.entries)).toContain("| q1 | Which units? | metres |");
  });

  it("failed: it says why on top", () => {
    const sample = opened();
    sample.add(
      { type: "deliberation-closed", data: { outcome: "failed", why: "nobody answered" } },
      { by: "close", after: [] },
    );
    expect(documentOf(sample.entries)).toContain(
      "**Status: failed**\n\n- Failed: nobody answered\n- There is no answer.",
    );
  });

  it("forked: it names the parent and what was taken over", () => {
    const parent = DeliberationId.parse("parent-1");
    const sample = opened({ parent: { id: parent, upToSeq: 9 } });
    sample.add(draftGiven("analyst", "391"), adopted("draft/analyst", parent));
    const text = documentOf(sample.entries);
    expect(text).toContain("- forked from: parent-1, up to its event 9");
    expect(text).toContain("Reused from parent-1.");
    expect(text).toContain("| total | 0 |");
  });

  it("with events that this version does not know: skipped and counted", () => {
    const sample = degradedCouncil();
    const [first] = sample.entries;
    if (!first) throw new Error("the sample is empty");
    const unknown: Entry = decodeEntry({
      type: "dream-had",
      schema: 1,
      data: '{"of":"sheep"}',
      id: eventId(first.deliberation, "protocol/dream", 0),
      deliberation: first.deliberation,
      seq: 12,
      cursor: Cursor.parse(12),
      at: first.at,
      origin: JSON.stringify(byStep("dream")),
    });
    const text = documentOf([...sample.entries, unknown]);
    expect(text).toContain("this version does not know their types: 1");
    expect(text).not.toContain("sheep");
  });

  it("nothing at all", () => {
    expect(deliberationMarkdown([], undefined)).toBe("# Nothing is recorded\n");
  });
});
