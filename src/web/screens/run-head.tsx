import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { OpenedReply } from "../../contract/runs.ts";
import { isEvent, isPicture, timeOf, type Opening } from "../../kernel/index.ts";
import { pendingSeats } from "../../views/pending-seats.ts";
import type { Result } from "../../views/result.ts";
import { go, hrefTo, hrefWith } from "../address.ts";
import type { ShownRun } from "../run.ts";
import { formatBill, formatMoment, formatTime } from "../formats.ts";
import { apiUrl, fetchJson } from "../http.ts";
import { useSaving } from "../loaded.ts";
import type { Confirm } from "../parts/confirm.tsx";
import { Refusal } from "../parts/states.tsx";
import { isServed } from "../served.ts";
import { t, withMoreWords, wordFor } from "../strings.ts";
import { nameOfWork } from "./event-rows.ts";
import type { WaitingForms } from "./waiting.tsx";

const codeWords = (code: string): string => code.replaceAll("-", t.run.codeJoint);

type HeadProps = { readonly shown: ShownRun; readonly result: Result };

/** The question, where the run stands, and above everything what is missing or waited for. */
export function RunHead({ shown, result }: HeadProps): VNode {
  const { status, question, protocol, simulated, participants, calls, wallMs } = result;
  const strategy = (result.section as { readonly strategy?: unknown } | null)?.strategy; // a section is its protocol's own
  const opened = shown.entries.value.find((entry) => isEvent(entry, "deliberation-opened"));
  const facts = [
    protocol.name,
    typeof strategy === "string" ? strategy : "",
    t.models(new Set(participants.map(({ model }) => model)).size),
    calls > 0 ? t.calls(calls) : "",
    formatBill(isRunning(shown) ? { ...result, unknown: 0 } : result),
    wallMs === null ? "" : formatTime(wallMs),
    opened ? formatMoment(opened.at) : "",
  ].filter(Boolean);
  return (
    <header class="run-head">
      <Missing shown={shown} result={result} />
      <p class="kicker">
        <span class={`state ${status}`} role="status">
          {wordFor(t.run.status, status)}
        </span>{" "}
        {facts.join(" · ")}
        {simulated && <span class="chip">{t.shell.simulated}</span>}
      </p>
      <h1 class="question" dir="auto" tabIndex={scrolls(question) ? 0 : undefined}>
        {question}
      </h1>
      {opened && <Context id={result.id} context={opened.data.context} />}
      {isServed && <Actions shown={shown} result={result} />}
    </header>
  );
}

/** Whether steps of it are under way: what these take is not unknown, but not known yet. */
const isRunning = ({ run, at }: ShownRun): boolean =>
  at.value === undefined && run.liveVersion.value >= 0 && run.live.size > 0;

/** Where an attached picture is: with the server, or in the document that an exported page has for paper. */
export function pictureAddress(id: string, digest: string): string | undefined {
  if (isServed) return `api/v1/deliberations/${encodeURIComponent(id)}/attachments/${digest}`;
  const found = document.getElementById(`picture-${digest}`);
  return found instanceof HTMLImageElement ? found.src : undefined;
}

/** The names of what went with the question, and small pictures of what is one; the record has more. */
const Context = ({ id, context }: Pick<Opening, "context"> & { readonly id: string }): VNode | null =>
  context.length === 0 ? null : (
    <ul class="context" aria-label={t.ask.context}>
      {context.map(({ name, media }, index) => (
        <li key={index}>
          <a href={hrefWith({ view: "record" })} dir="auto">
            {media && isPicture(media) && <img src={pictureAddress(id, media.digest)} alt="" />}
            {name}
          </a>
          {media?.pages !== undefined && <span class="quiet"> {t.pages(media.pages)}</span>}
        </li>
      ))}
    </ul>
  );

/** Whether a question may be higher than its place, which scrolls then, also by keyboard. */
const scrolls = (question: string): boolean => question.length > 200 || question.split("\n").length > 6;

/** Losses, doubts and what a person is waited for. */
function Missing({ shown, result }: HeadProps): VNode {
  const { degraded, error, status, participants } = result;
  const families = new Map<string, number>();
  for (const { family, seat } of participants)
    if (family !== null && seat !== "chair") families.set(family, (families.get(family) ?? 0) + 1);
  const shared = [...families].filter(([, count]) => count > 1);
  return (
    <div class="missing">
      {isServed && status === "waiting" && shown.at.value === undefined && <Waiting id={result.id} />}
      {status === "waiting" &&
        pendingSeats(shown.entries.value).map(({ step, person, work, until }) => (
          <p key={step} class="notice">
            {until === null
              ? t.run.waitsFor({ person, work: nameOfWork(work) })
              : t.run.waitsUntil({ person, work: nameOfWork(work), until: formatMoment(until) })}
          </p>
        ))}
      {error && degraded.length === 0 && (
        <p class="notice bad">
          {error.model === null
            ? t.run.error(codeWords(error.code))
            : t.run.errorOf({ code: codeWords(error.code), model: error.model })}
        </p>
      )}
      {degraded.length > 0 && (
        <section class="notice warn" aria-label={t.run.degraded}>
          <ul>
            {degraded.map(({ what, why }, index) => (
              <li key={index} dir="auto">
                <strong>{what}</strong>: {why}
              </li>
            ))}
          </ul>
        </section>
      )}
      {shared.map(([family, count]) => (
        <p key={family} class="notice">
          {t.run.sameFamily({ family, n: count })}
        </p>
      ))}
    </div>
  );
}

/** The forms of what is waited for, loaded where somebody is. */
function Waiting({ id }: { readonly id: string }): VNode | null {
  const forms = useSignal<typeof WaitingForms | undefined>(undefined);
  useEffect(() => {
    void withMoreWords(import("./waiting.tsx")).then((fetched) => (forms.value = fetched.WaitingForms));
  }, []);
  const Forms = forms.value;
  return Forms ? <Forms id={id} /> : null;
}

function Actions({ shown, result }: HeadProps): VNode {
  const { id, status } = result;
  const isOpen = !shown.run.entries.some(({ type }) => type === "deliberation-closed");
  const isLeft = isOpen && status === "open" && restsFor(shown) > LEFT_AFTER_MS;
  const path = `deliberations/${encodeURIComponent(id)}`;
  const act = (what: "cancel" | "resume") => fetchJson<OpenedReply>(`${path}/${what}`, { method: "POST" });
  const forget = async () => {
    await fetchJson(path, { method: "DELETE" });
    go(hrefTo(["runs"]));
  };
  const { isBusy, failed, send: resume } = useSaving(async () => void (await act("resume")));
  return (
    <div class="actions">
      {isOpen && <Asked what="stop" act={async () => void (await act("cancel"))} />}
      {isLeft && (
        <button type="button" disabled={isBusy.value} onClick={(event) => void resume(event)}>
          {t.run.resume}
        </button>
      )}
      {!isOpen && status !== "failed" && (
        <button type="button" onClick={() => go(hrefTo([], { previous: id }))}>
          {t.run.follow}
        </button>
      )}
      {!isOpen && <a href={hrefWith({ view: "fork" })}>{t.run.again}</a>}
      <details class="export">
        <summary>{t.run.export}</summary>
        <ul>
          {EXPORTS.map((format) => (
            <li key={format}>
              <a
                data-leaves=""
                download={`parley-${id}.${format}`}
                href={apiUrl(`${path}/export?format=${format}`)}
              >
                {format}
              </a>
            </li>
          ))}
        </ul>
      </details>
      {!isOpen && <Asked what="forget" act={forget} />}
      {failed.value && <Refusal error={failed.value} />}
    </div>
  );
}

type AskedProps = { readonly what: "stop" | "forget"; readonly act: () => Promise<void> };

/** Stops or forgets a run, after asking once. What asks is loaded with the run. */
function Asked({ what, act }: AskedProps): VNode {
  const loaded = useSignal<{ readonly Asking?: typeof Confirm }>({});
  useEffect(() => {
    import("../parts/confirm.tsx")
      .then((fetched) => (loaded.value = { Asking: fetched.Confirm }))
      .catch(() => undefined);
  }, []);
  const { Asking } = loaded.value;
  const words = { label: t.run[what], ask: t.run[`${what}Ask`], yes: t.run[`${what}Yes`] };
  if (Asking) return <Asking {...words} isDanger act={act} />;
  return (
    <button type="button" disabled>
      {words.label}
    </button>
  );
}

/** An open run of which nothing came for so long may have been left by its process: it can be resumed. */
const LEFT_AFTER_MS = 60_000;

function restsFor({ run }: ShownRun): number {
  const last = run.liveVersion.value >= 0 && run.live.size === 0 ? run.entries.at(-1) : undefined;
  return last ? Date.now() - timeOf(last) : 0;
}

const EXPORTS = ["html", "md", "adr", "json", "jsonl", "csv"] as const;
