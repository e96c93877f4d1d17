import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { features } from "../../features-web.ts";
import type { SeatForm } from "../feature.ts";
import type { WaitingReply } from "../../contract/runs.ts";
import { formatAgo, formatMoment } from "../formats.ts";
import { fetchJson, ApiProblem } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Markdown } from "../parts/elements.tsx";
import { Refusal, Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";
import { nameOfWork } from "./event-rows.ts";

type SentRequest =
  | { readonly answers: Record<string, string> }
  | { readonly text: string; readonly step: string }
  | { readonly abstain: true; readonly step: string };

type FormsProps = { readonly id: string; readonly onAnswered?: () => void };

/** What a run waits for from the reader: questions, and the blind form of a seat. */
export function WaitingForms({ id, onAnswered }: FormsProps): VNode {
  const waiting = useApi<WaitingReply>(`deliberations/${encodeURIComponent(id)}/waiting`);
  const isSent = useSignal(false);
  const again = () => {
    isSent.value = true;
    waiting.again();
    onAnswered?.();
  };
  return (
    <section class="waiting" aria-label={t.run.waitingFor}>
      <p role="status">{isSent.value ? t.waiting.sent : ""}</p>
      <Shown of={waiting}>
        {({ questions, seats }) => (
          <>
            {questions && <Questions id={id} questions={questions.questions} again={again} />}
            {seats.map((seat) => (
              <Seat key={seat.step} id={id} seat={seat} again={again} />
            ))}
          </>
        )}
      </Shown>
    </section>
  );
}

/** Sends an answer; the first one stands. */
function useAnswer(id: string, again: () => void) {
  const failed = useSignal<Error | undefined>(undefined);
  const send = async (body: SentRequest) => {
    try {
      failed.value = undefined;
      await fetchJson(`deliberations/${encodeURIComponent(id)}/answers`, { method: "POST", body });
      again();
    } catch (error) {
      failed.value =
        error instanceof ApiProblem && error.status === 409 ? new Error(t.waiting.first) : (error as Error);
    }
  };
  return { failed, send };
}

type QuestionsProps = {
  readonly id: string;
  readonly questions: NonNullable<WaitingReply["questions"]>["questions"];
  readonly again: () => void;
};

function Questions({ id, questions, again }: QuestionsProps): VNode {
  const { failed, send } = useAnswer(id, again);
  const given = useSignal<Record<string, string>>({});
  return (
    <form
      class="notice ask-person"
      onSubmit={(event) => {
        event.preventDefault();
        void send({ answers: given.value });
      }}
    >
      <h2>{t.run.waitingFor}</h2>
      {questions.map(({ id: question, by, text }) => (
        <label key={question} class="field">
          <span dir="auto">
            <strong>{by}</strong>: {text}
          </span>
          <textarea
            rows={2}
            value={given.value[question] ?? ""}
            onInput={({ currentTarget }) =>
              (given.value = { ...given.value, [question]: currentTarget.value })
            }
          />
        </label>
      ))}
      <button type="submit" class="primary">
        {t.waiting.send}
      </button>
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}

type SeatProps = {
  readonly id: string;
  readonly seat: WaitingReply["seats"][number];
  readonly again: () => void;
};

/** The form that a feature has for this kind of work, once it is loaded; undefined where one plain field does. */
function useForm(work: string): ReadonlySignal<SeatForm | undefined> {
  const form = useSignal<SeatForm | undefined>(undefined);
  useEffect(() => {
    const load = features.flatMap(({ forms }) => forms?.get(work) ?? [])[0];
    load?.().then(
      (loaded) => (form.value = loaded),
      () => undefined, // the plain field does
    );
  }, [work]);
  return form;
}

/** The prompt of one step and a field for its answer, and nothing of what others wrote. */
function Seat({ id, seat, again }: SeatProps): VNode {
  const { failed, send } = useAnswer(id, again);
  const text = useSignal("");
  const { step, work, since, until, messages } = seat;
  const form = useForm(work);
  return (
    <form
      class="notice ask-person"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value.trim() !== "") void send({ text: text.value, step });
      }}
    >
      <h2>
        {nameOfWork(work)}{" "}
        <span class="quiet">
          {[t.waiting.since(formatAgo(since)), until === null ? "" : t.waiting.until(formatMoment(until))]
            .filter(Boolean)
            .join(", ")}
        </span>
      </h2>
      <details open>
        <summary>{t.waiting.prompt}</summary>
        {messages.map(({ text: prompt }, index) =>
          form.value ? (
            <form.value.Prompt key={index} text={prompt} />
          ) : (
            <Markdown key={index} text={prompt} level={3} />
          ),
        )}
      </details>
      {form.value ? (
        <form.value.Fields tell={(given) => (text.value = given)} />
      ) : (
        <label class="field">
          <span>{t.waiting.answer}</span>
          <textarea
            rows={6}
            dir="auto"
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" class="primary" disabled={text.value.trim() === ""}>
        {t.waiting.send}
      </button>{" "}
      <button type="button" onClick={() => void send({ abstain: true, step })}>
        {t.waiting.abstain}
      </button>
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}
