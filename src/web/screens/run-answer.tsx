import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { isEvent, type Entry } from "../../kernel/index.ts";
import { answerEvent, type AnswerGrade } from "../../views/answer-event.ts";
import type { Result } from "../../views/result.ts";
import type { PanelSection } from "../../views/panel.ts";
import { address, go, hrefWith } from "../address.ts";
import type { ShownRun } from "../run.ts";
import { useReport } from "../folds.ts";
import { formatPercent } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { Markdown, Points } from "../parts/elements.tsx";
import { Folded } from "../parts/folded.tsx";
import { isolateName, isolateNames } from "../parts/isolated-names.ts";
import { Refusal } from "../parts/states.tsx";
import { Report } from "../parts/report.tsx";
import { showResult } from "../../reports/shown.ts";
import { isServed } from "../served.ts";
import { t, wordFor } from "../strings.ts";

type AnswerProps = { readonly shown: ShownRun; readonly result: Result };

/** The answer, the largest thing on the screen; beside it what not deliberating would have said, below it who gave what and how it was judged. */
export function AnswerView({ shown, result }: AnswerProps): VNode {
  const drafted = winnersDraft(shown.entries.value, result);
  const isDraft = drafted !== undefined && address.value.query.get("answer") === "vote";
  const answer = isDraft ? drafted.text : result.answer;
  const isClosed = !["open", "waiting"].includes(result.status);
  return (
    <div class="answer-row">
      <section class="answer" aria-label={t.run.answer}>
        {drafted && <Switch isDraft={isDraft} />}
        {!isDraft && result.finalAnswer !== null && result.finalAnswer !== answer?.trim() && (
          <p class="final">
            <span class="quiet">{t.run.final}</span> <strong dir="auto">{result.finalAnswer}</strong>
          </p>
        )}
        {answer !== null && answer !== undefined ? (
          <div class="answer-text" data-answer={isDraft ? "vote" : "given"}>
            <Markdown text={answer} level={2} />
          </div>
        ) : (
          <Verdict shown={shown} result={result}>
            <p class="quiet waiting-answer">{isClosed ? t.run.noAnswerEnded : t.run.noAnswer}</p>
          </Verdict>
        )}
        {result.sources.length > 0 && <Sources sources={result.sources} />}
        {!isDraft && <Preference entries={shown.entries.value} />}
        {answer != null && !isDraft && <AnswerFoot shown={shown} result={result} />}
        {!isDraft && <Beside result={result} />}
      </section>
      <Baseline result={result} />
    </div>
  );
}

/** What the answers rest on, by the numbers by which they cite it. */
const Sources = ({ sources }: Pick<Result, "sources">): VNode => (
  <section class="sources" aria-label={t.run.sources}>
    <h3>{t.run.sources}</h3>
    <ol>
      {sources.map(({ n, url, host, title }) => (
        <li key={n} value={n} dir="auto">
          {/* What is no address of the web has no host. */}
          {host === "" ? (
            title
          ) : (
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              {title ?? url.replace(/^https?:\/\//i, "")}
            </a>
          )}{" "}
          {title !== null && <span class="quiet">{host}</span>}
        </li>
      ))}
    </ol>
  </section>
);

/** What a protocol that decides instead of answering came to, in the answer's place; else what stands there. */
function Verdict({ shown, result, children }: AnswerProps & { readonly children: VNode }): VNode {
  const report = useReport(shown.protocol).value;
  if (!report?.isVerdict || result.section === null) return children;
  const { parts } = showResult(result, report, { entries: shown.entries.value });
  return (
    <div class="answer-text" data-answer="verdict">
      <Report parts={parts} level={2} />
    </div>
  );
}

/** Which of two respondents' answers a judge preferred. */
function Preference({ entries }: { readonly entries: readonly Entry[] }): VNode | null {
  const given = entries.findLast((entry) => isEvent(entry, "preference-given"));
  return given && isEvent(given, "preference-given") ? (
    <p class="final">
      <strong>{t.run.preferred[given.data.winner]}</strong>
    </p>
  ) : null;
}

/** Of one deliberation, the answer that its vote would give and the one that its chair wrote. */
function Switch({ isDraft }: { readonly isDraft: boolean }): VNode {
  return (
    <div class="switch" role="group" aria-label={t.run.shownAnswer}>
      {([false, true] as const).map((draft) => (
        <button
          key={String(draft)}
          type="button"
          aria-pressed={draft === isDraft}
          onClick={() => go(hrefWith({ answer: draft ? "vote" : undefined }), { replace: true })}
        >
          {draft ? t.run.winner : t.run.synthesis}
        </button>
      ))}
    </div>
  );
}

/** The draft that reviewers ranked first, where a chair wrote the answer. */
function winnersDraft(entries: readonly Entry[], { section }: Result): { readonly text: string } | undefined {
  if (!entries.some((entry) => isEvent(entry, "synthesis-given") && entry.origin.by !== "reactor"))
    return undefined;
  const [first] = (section as Partial<PanelSection> | null)?.standing ?? []; // a panel's section has a standing
  if (!first || first.tiedWith.length > 0) return undefined;
  const own = entries.findLast((entry) => isEvent(entry, "answer-given") && entry.data.by === first.id);
  return own && isEvent(own, "answer-given") ? { text: own.data.text } : undefined;
}

function AnswerFoot({ shown, result }: AnswerProps): VNode {
  const footer = (result.section as Partial<PanelSection> | null)?.footer; // of protocols with a panel
  return (
    <footer class="answer-foot">
      <div class="thumbs">
        <Copy text={result.answer ?? ""} />
        {isServed && shown.at.value === undefined && (
          <Thumbs id={result.id} given={thumbIn(shown.entries.value)} />
        )}
      </div>
      {footer != null && (
        <p class="synthesized">
          {isolateNames(
            footer,
            result.participants.map(({ name }) => name),
          )}
        </p>
      )}
      <Badge grade={result.grade} />
    </footer>
  );
}

/** What stands beside the answer: who disagrees, points that only one made, and what was rejected and why. */
function Beside({ result: { section, participants } }: { readonly result: Result }): VNode | null {
  const { dissent = [], insights = [], vetoed = [] } = (section ?? {}) as Partial<PanelSection>; // of protocols with a panel
  const nameOf = (id: string) => isolateName(participants.find((one) => one.id === id)?.name ?? id);
  const groups = [
    [t.run.dissent, dissent],
    [t.run.insights, insights],
    [t.run.vetoed, vetoed.map(({ id, flaw }) => t.run.vetoedFlaw({ name: nameOf(id), flaw }))],
  ] as const;
  const told = groups.filter(([, texts]) => texts.length > 0);
  if (told.length === 0) return null;
  return (
    <div class="beside">
      {told.map(([title, texts]) => (
        <section key={title}>
          <h2>{title}</h2>
          <Points texts={texts} />
        </section>
      ))}
    </div>
  );
}

/** Copies the answer as its author wrote it. A page without https, other than this machine's, has no clipboard. */
function Copy({ text }: { readonly text: string }): VNode | null {
  const isCopied = useSignal(false);
  if (!("clipboard" in navigator)) return null;
  return (
    <button
      type="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => (isCopied.value = true))}
    >
      {isCopied.value ? t.copied : t.copy}
    </button>
  );
}

/** What not deliberating would have answered. */
function Baseline({ result: { control, participants } }: { readonly result: Result }): VNode | null {
  if (!control) return null;
  const { kind, by, answer, agrees, overlap } = control;
  const name = participants.find(({ id }) => id === by)?.name;
  return (
    <aside class="baseline" aria-label={t.run.baseline}>
      <h2>{t.run.baseline}</h2>
      <p class="quiet">
        {wordFor(t.run.baselineKind, kind)}
        {name === undefined ? "" : ` (${isolateName(name)})`}
      </p>
      {answer !== null && answer.length <= 200 ? (
        <p class="baseline-answer" dir="auto">
          {answer}
        </p>
      ) : (
        answer !== null && <Folded heading={t.details}>{() => <Markdown text={answer} level={3} />}</Folded>
      )}
      <p>
        {agrees === true
          ? t.run.unchanged
          : agrees === false
            ? t.run.changed
            : overlap === null
              ? ""
              : t.run.overlap(formatPercent(overlap))}
      </p>
    </aside>
  );
}

type Thumb = "up" | "down";

/** The thumb that the shown answer got last. */
function thumbIn(entries: readonly Entry[]): Thumb | undefined {
  const answer = answerEvent(entries)?.id;
  const given = entries.findLast(
    (entry) =>
      isEvent(entry, "feedback-given") &&
      entry.data.thumb !== undefined &&
      (entry.data.of ?? answer) === answer,
  );
  return given && isEvent(given, "feedback-given") ? given.data.thumb : undefined;
}

/** A thumb, and words. */
function Thumbs({ id, given }: { readonly id: string; readonly given: Thumb | undefined }): VNode {
  const saved = useSignal<string | undefined>(undefined);
  const failed = useSignal<Error | undefined>(undefined);
  const pressed = saved.value === "up" || saved.value === "down" ? saved.value : given;
  const words = useSignal("");
  const send = async (body: { readonly thumb?: Thumb; readonly text?: string }) => {
    try {
      failed.value = undefined;
      await fetchJson(`deliberations/${encodeURIComponent(id)}/feedback`, { method: "POST", body });
      saved.value = body.thumb ?? saved.value ?? "text";
      if (body.text !== undefined) words.value = "";
    } catch (error) {
      failed.value = error as Error; // fetchJson throws errors
    }
  };
  return (
    <>
      <button type="button" aria-pressed={pressed === "up"} onClick={() => void send({ thumb: "up" })}>
        <span aria-hidden="true">▲</span> {t.run.helpful}
      </button>
      <button type="button" aria-pressed={pressed === "down"} onClick={() => void send({ thumb: "down" })}>
        <span aria-hidden="true">▼</span> {t.run.notHelpful}
      </button>
      <details>
        <summary>{t.run.words}</summary>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (words.value.trim() !== "") void send({ text: words.value });
          }}
        >
          <textarea
            rows={3}
            maxLength={4000}
            aria-label={t.run.words}
            value={words.value}
            onInput={({ currentTarget }) => (words.value = currentTarget.value)}
          />
          <button type="submit">{t.run.wordsSend}</button>
        </form>
      </details>
      <span role="status">{saved.value === undefined ? "" : t.run.thanks}</span>
      {failed.value && <Refusal error={failed.value} />}
    </>
  );
}

const colorOf = (score: number): string => (score > 3 ? "good" : score < 3 ? "poor" : "fair");

/** A judge's score under an answer: it comes late, takes its place, and is not there without a score. Its words open by click or key. */
function Badge({ grade }: { readonly grade: AnswerGrade | null }): VNode | null {
  const open = useSignal(false);
  const id = useId();
  if (grade?.score == null) return null;
  const { score, feedback, by, rubric } = grade;
  return (
    <div class="badge-place" role="status">
      <button
        type="button"
        class={`badge ${colorOf(score)}`}
        aria-expanded={open.value}
        aria-controls={id}
        aria-label={t.run.scoreLabel(score)}
        onClick={() => (open.value = !open.value)}
      >
        <span aria-hidden="true">●</span> {t.run.score(score)}
      </button>
      <div id={id} class="badge-words" hidden={!open.value}>
        <p class="quiet">{t.run.feedback}</p>
        <p dir="auto">{feedback}</p>
        <p class="quiet">{t.run.gradedBy({ model: by ?? t.unknown, rubric })}</p>
      </div>
    </div>
  );
}
