import { defineProtocol, type ProtocolContext } from "../../engine/index.ts";
import {
  StepKey,
  type Closing,
  type Failure,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { fanOut } from "../phases/fan-out.ts";
import { modelParams, readFinal, readReply, stoppedByBudget } from "../phases/reply.ts";
import { guessPrompt, guessTemplate } from "./prompts.ts";
import { AuthorshipSettings, guessedBy, letterAt } from "./work.ts";

export { AuthorshipSettings } from "./work.ts";

// AUTHOR-1. A guess sees one draft, and the participants in an order of its own.

type Context = ProtocolContext<AuthorshipSettings>;
type Guess = { readonly read: boolean; readonly failure?: Failure | undefined };

/** One model guesses who wrote each draft of a deliberation, each by itself. `lab/audit.ts` compares with chance. */
export const authorship = defineProtocol<AuthorshipSettings>({
  name: "authorship",
  version: 1,
  summary: "have one model guess who wrote the drafts of a deliberation",
  seats: [{ name: "guesser", filledBy: "judge", min: 1, max: 1 }],
  settings: AuthorshipSettings,
  templates: [guessTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  async deliberate(context) {
    const { run, settings } = context;
    const [guesser] = context.seats("guesser");
    if (!guesser) throw new RangeError("nobody has the seat of the guesser");
    const again = settings.again === 0 ? "" : `/again-${settings.again}`;
    const members = settings.drafts.map((draft) => ({
      id: draft.name,
      draft,
      request: guessRequest(context, guesser, draft),
    }));
    const done = await fanOut<(typeof members)[number], Guess>(
      run,
      { name: "guess", work: { kind: "guess" }, members, patienceMs: null },
      async ({ id, draft, request }, part) => {
        const event = await part.call(
          {
            key: `guess/${id}${again}`,
            outcomes: ["answer-given", "degradation-noted"],
            work: { kind: "guess", of: id, ...(settings.again === 0 ? {} : { nth: settings.again + 1 }) },
            request,
            timeoutMs: settings.callTimeoutMs,
          },
          readReply<"answer-given">(
            {
              what: `the guess of ${id}`,
              participant: guesser.id,
              weakens: "the audit rests on one guess less",
            },
            (text, call) => {
              const final = readFinal(text, call);
              return guessedBy(draft, final) === undefined
                ? { unreadable: "the reply names no participant" }
                : { type: "answer-given", data: { by: guesser.id, kind: "response", round: 1, text, final } };
            },
          ),
        );
        const { call } = event.data;
        // It is in even if it failed: a fork that asks it again finds its part of the phase incomplete.
        return {
          in: true,
          value: {
            read: event.type === "answer-given",
            ...(call?.ok === false ? { failure: call.failure } : {}),
          },
        };
      },
    );
    const cut = done.cut.map(({ member, cap }): Guess => {
      const message = `the budget does not reach for ${member.id}`;
      return {
        read: false,
        failure: { code: "over-budget", message, ...(cap === undefined ? {} : { cap }) },
      };
    });
    return close(context, [...done.in.map(({ value }) => value), ...cut]);
  },
});

function guessRequest(
  context: Context,
  guesser: Participant,
  { name, order }: AuthorshipSettings["drafts"][number],
): ModelRequest {
  const { candidates, maxOutputTokens } = context.settings;
  const text = (key: string) => context.context.find((one) => one.name === key)?.text ?? "";
  const participants = order.flatMap((id, index) => {
    const one = candidates.find((candidate) => candidate.id === id);
    if (!one) return [];
    const told = [`Name: ${one.name}`, `Model: ${one.model}`, text(`participant/${id}`)];
    return [{ label: letterAt(index), text: told.join("\n").trim() }];
  });
  const messages = guessPrompt(context, {
    question: text("question"),
    answer: text(`draft/${name}`),
    participants,
  });
  return { ...modelParams(guesser), messages, maxOutputTokens };
}

async function close({ run }: Context, guesses: readonly Guess[]): Promise<Closing> {
  const body = { read: guesses.filter(({ read }) => read).length, of: guesses.length };
  await run.derive(
    { key: "guessed", outcomes: ["note-taken"], work: { kind: "tally" }, input: body },
    () => ({
      type: "note-taken",
      data: { topic: "guessed", reason: "how many drafts have a guess", body },
    }),
  );
  const answer = { answer: StepKey.parse("guessed"), control: null };
  const best = body.read > 0 ? answer : null;
  const failures = guesses.flatMap(({ failure }) => failure ?? []);
  const capped = failures.find(({ code }) => code === "over-budget");
  if (capped) return stoppedByBudget(capped.message, capped.cap, best);
  const [failure] = failures;
  if (failure && failures.length === guesses.length)
    return { outcome: "failed", why: `${failure.code}: ${failure.message}` };
  if (!best) return { outcome: "inconclusive", why: "no reply names a participant", best };
  return { outcome: body.read < body.of ? "answered-degraded" : "answered", ...answer };
}
