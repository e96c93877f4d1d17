import type { ComponentChildren, VNode } from "preact";
import type { Annotation, Mark } from "../../../kernel/index.ts";
import type { EngramView, MemoryEngram } from "../contract.ts";
import { go, hrefTo } from "../../../web/address.ts";
import { formatCount, formatMoment, formatSetting } from "../../../web/formats.ts";
import { fetchJson } from "../../../web/http.ts";
import { useApi } from "../../../web/loaded.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import { Markdown } from "../../../web/parts/elements.tsx";
import { Shown } from "../../../web/parts/states.tsx";
import { Facts, Table } from "../../../web/parts/table.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";

/** One entry of the memory, whole: what is kept, and all that was said about it. */
export function MemoryEntry({ id }: { readonly id: string }): VNode {
  const loaded = useApi<MemoryEngram>(`memory/engrams/${encodeURIComponent(id)}`);
  return (
    <>
      <p>
        <a href={hrefTo(["memory"])}>{words.back}</a>
      </p>
      <Shown of={loaded} title={words.title}>
        {(entry) => <Whole entry={entry} />}
      </Shown>
    </>
  );
}

function Whole({ entry }: { readonly entry: MemoryEngram }): VNode {
  const { engram, annotations, forgotten, judged, mark, history } = entry;
  const forget = async () => {
    await fetchJson(`memory/facts/${encodeURIComponent(engram.id)}`, { method: "DELETE" });
    go(hrefTo(["memory"]));
  };
  return (
    <article>
      <h1 dir="auto">{titleOf(entry, words.views.facts)}</h1>
      <p>
        <MarkName mark={mark} />
      </p>
      {forgotten && (
        <p class="notice">{words.forgotten({ by: forgotten.by, when: formatMoment(forgotten.at) })}</p>
      )}
      {judged.retired !== null && (
        <p class="notice warn" dir="auto">
          {words.retiredWhy(judged.retired)}
        </p>
      )}
      {engram.summary !== "" && (
        <section aria-label={words.summary} class="kept">
          <Markdown text={engram.summary} level={2} />
        </section>
      )}
      <Facts rows={factsOf(engram)} />
      <h2>{words.judgments(annotations.length)}</h2>
      {annotations.length === 0 ? (
        <p class="quiet">{words.noJudgments}</p>
      ) : (
        <Judgments annotations={annotations} />
      )}
      {history.length > 0 && (
        <>
          <h2>{words.history}</h2>
          <ul class="entries">
            {history.map(({ engram: other, mark: said, forgotten: gone }) => (
              <li key={other.id}>
                <a class="run-link" href={hrefTo(["memory", other.id])} dir="auto">
                  {titleOf({ engram: other, forgotten: gone }, other.summary)}
                </a>
                <p class="quiet">
                  <MarkName mark={said} /> · {other.models.join(", ")} · {formatMoment(other.at)}
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {!forgotten && (
        <div class="decide">
          <Confirm label={t.run.forget} ask={words.forgetAsk} yes={words.forgetYes} isDanger act={forget} />
        </div>
      )}
    </article>
  );
}

/** What is forgotten has no words left, and a fact answers no question. */
const titleOf = ({ engram, forgotten }: Pick<EngramView, "engram" | "forgotten">, or: string): string =>
  engram.question || (forgotten ? words.forgottenTitle : or);

const factsOf = (engram: EngramView["engram"]): readonly (readonly [string, ComponentChildren])[] => [
  [t.run.model, engram.models.join(", ") || t.unknown],
  [words.temperature, engram.temperature === null ? words.ownTemperature : formatSetting(engram.temperature)],
  [words.kind, wordFor(words.intents, engram.intent)],
  [words.when, formatMoment(engram.at)],
  [words.entities, engram.entities.join(", ") || t.none],
  ...(engram.deliberation === null
    ? []
    : [[t.run.title, <a href={hrefTo(["d", engram.deliberation])}>{engram.deliberation}</a>] as const]),
];

/** How an entry is shown to whoever recalls it, in words. */
export const MarkName = ({ mark }: { readonly mark: Mark }): VNode => (
  <strong class={`mark ${mark}`}>{words.marks[mark]}</strong>
);

/** Who said what about an entry. */
export const Judgments = ({ annotations }: { readonly annotations: readonly Annotation[] }): VNode => (
  <Table
    label={words.judgments(annotations.length)}
    heads={[words.what, words.words, words.who, words.when]}
    rows={annotations.map(({ by, at, what }) => [
      judgmentOf(what),
      <span dir="auto" class="words">
        {wordsOf(what)}
      </span>,
      <span dir="auto">{by}</span>,
      <time dateTime={at}>{formatMoment(at)}</time>,
    ])}
  />
);

function judgmentOf(what: Annotation["what"]): string {
  switch (what.kind) {
    case "grade":
      return words.grade(formatCount(what.score));
    case "preference":
      return what.orderSensitive
        ? `${words.preference.tied} (${words.orderSensitive})`
        : words.preference[what.result];
    case "thumb":
      return words.thumb[what.thumb];
    case "outcome":
      return words.outcome[what.outcome];
    case "comment":
      return words.comment;
    case "retired":
      return words.retirement;
  }
}

function wordsOf(what: Annotation["what"]): VNode | string {
  switch (what.kind) {
    case "grade":
      return what.feedback;
    case "preference":
      return (
        <>
          {what.reason} <a href={hrefTo(["memory", what.against])}>{words.against}</a>
        </>
      );
    case "retired":
      return what.reason;
    case "thumb":
    case "outcome":
    case "comment":
      return what.text ?? "";
  }
}
