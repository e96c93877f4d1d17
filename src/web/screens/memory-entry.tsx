import type { ComponentChildren, VNode } from "preact";
import type { Annotation, Mark } from "../../kernel/index.ts";
import type { EngramView, MemoryEngram } from "../../views/memory-view.ts";
import { go, hrefTo } from "../address.ts";
import { formatCount, formatMoment, formatSetting } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Markdown } from "../parts/elements.tsx";
import { Shown } from "../parts/states.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** One entry of the memory, whole: what is kept, and all that was said about it. */
export function MemoryEntry({ id }: { readonly id: string }): VNode {
  const loaded = useApi<MemoryEngram>(`memory/engrams/${encodeURIComponent(id)}`);
  return (
    <>
      <p>
        <a href={hrefTo(["memory"])}>{t.memory.back}</a>
      </p>
      <Shown of={loaded} title={t.memory.title}>
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
      <h1 dir="auto">{titleOf(entry, t.memory.views.facts)}</h1>
      <p>
        <MarkName mark={mark} />
      </p>
      {forgotten && <p class="notice">{t.memory.forgotten(forgotten.by, formatMoment(forgotten.at))}</p>}
      {judged.retired !== null && (
        <p class="notice warn" dir="auto">
          {t.memory.retiredWhy(judged.retired)}
        </p>
      )}
      {engram.summary !== "" && (
        <section aria-label={t.memory.summary} class="kept">
          <Markdown text={engram.summary} level={2} />
        </section>
      )}
      <Facts rows={factsOf(engram)} />
      <h2>{t.memory.judgments(annotations.length)}</h2>
      {annotations.length === 0 ? (
        <p class="quiet">{t.memory.noJudgments}</p>
      ) : (
        <Judgments annotations={annotations} />
      )}
      {history.length > 0 && (
        <>
          <h2>{t.memory.history}</h2>
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
          <Confirm
            label={t.memory.forget}
            ask={t.memory.forgetAsk}
            yes={t.memory.forgetYes}
            isDanger
            act={forget}
          />
        </div>
      )}
    </article>
  );
}

/** What is forgotten has no words left, and a fact answers no question. */
const titleOf = ({ engram, forgotten }: Pick<EngramView, "engram" | "forgotten">, or: string): string =>
  engram.question || (forgotten ? t.memory.forgottenTitle : or);

const factsOf = (engram: EngramView["engram"]): readonly (readonly [string, ComponentChildren])[] => [
  [t.memory.model, engram.models.join(", ") || t.unknown],
  [
    t.memory.temperature,
    engram.temperature === null ? t.memory.ownTemperature : formatSetting(engram.temperature),
  ],
  [t.memory.kind, t.memory.intents[engram.intent] ?? engram.intent],
  [t.memory.when, formatMoment(engram.at)],
  [t.memory.entities, engram.entities.join(", ") || t.none],
  ...(engram.deliberation === null
    ? []
    : [
        [
          t.memory.conversation,
          <a href={hrefTo(["d", engram.deliberation])}>{engram.deliberation}</a>,
        ] as const,
      ]),
];

/** How an entry is shown to whoever recalls it, in words. */
export const MarkName = ({ mark }: { readonly mark: Mark }): VNode => (
  <strong class={`mark ${mark}`}>{t.memory.marks[mark]}</strong>
);

/** Who said what about an entry. */
export const Judgments = ({ annotations }: { readonly annotations: readonly Annotation[] }): VNode => (
  <Table
    label={t.memory.judgments(annotations.length)}
    heads={[t.memory.what, t.memory.words, t.memory.who, t.memory.when]}
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
      return t.memory.grade(formatCount(what.score));
    case "preference":
      return what.orderSensitive
        ? `${t.memory.preference.tied} (${t.memory.orderSensitive})`
        : t.memory.preference[what.result];
    case "thumb":
      return t.memory.thumb[what.thumb];
    case "outcome":
      return t.memory.outcome[what.outcome];
    case "comment":
      return t.memory.comment;
    case "retired":
      return t.memory.retirement;
  }
}

function wordsOf(what: Annotation["what"]): VNode | string {
  switch (what.kind) {
    case "grade":
      return what.feedback;
    case "preference":
      return (
        <>
          {what.reason} <a href={hrefTo(["memory", what.against])}>{t.memory.against}</a>
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
