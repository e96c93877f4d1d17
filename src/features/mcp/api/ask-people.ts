import { inputResponse, type ElicitRequestFormParams, type ElicitResult } from "@modelcontextprotocol/server";
import type { OwnSeat, PendingQuestions } from "../../../contract/runs.ts";
import { isFault, type DeliberationId } from "../../../kernel/index.ts";
import { printable } from "../../../reports/printable.ts";
import { Refused } from "../../../server/problem.ts";
import { readingContext } from "../../../server/results.ts";
import { readWaiting, recordAnswer } from "../../../server/steering.ts";
import { capabilitiesOf, type McpCall, type McpSession } from "./session.ts";

// A person is asked for the own seats alone. What a step's reader refuses is asked again, with its reason; whatever comes after the first
// answer changes nothing.
// Whoever declines questions has skipped them, and whoever declines a seat's step abstains from it. Whoever closes a form is asked again by
// the next call.

/** The key of a deliberation's questions; a seat's is its step. */
const QUESTIONS = "questions";
const MAX_RANKED = 12;

/** What of a deliberation a person has been asked. `skipped`: not to be asked again in this call. */
export type AskedPerson = {
  readonly refused: Readonly<Record<string, string>>;
  readonly skipped: readonly string[];
};
export const NOBODY_ASKED: AskedPerson = { refused: {}, skipped: [] };

type PersonForm = { readonly key: string; readonly params: ElicitRequestFormParams };
type FormFields = ElicitRequestFormParams["requestedSchema"]["properties"];

/** How a person can be asked in this call: not without a client that shows forms, nor for a caller who may not answer. */
export function askingIn(call: McpCall): McpSession["asking"] {
  const { asking, caller } = call;
  if (!caller.principal.scopes.includes("write")) return "none";
  const { elicitation } = capabilitiesOf(call);
  return elicitation && (elicitation.form || !elicitation.url) ? asking : "none";
}

/** The forms for all that waits for the caller, but for what was skipped. */
export async function formsFor(
  { services, caller: { principal } }: McpSession,
  id: DeliberationId,
  { refused, skipped }: AskedPerson,
): Promise<readonly PersonForm[]> {
  const { questions, seats } = await readWaiting(services, principal, id);
  const all = [
    ...(questions ? [{ key: QUESTIONS, ...formOfQuestions(questions) }] : []),
    ...(await Promise.all(
      seats.map(async (seat) => {
        const { engine } = readingContext(services.parley, principal);
        const isRanked = seat.work === "review" || seat.work === "tie-break";
        const prompt = isRanked ? await engine.lookAtSeat(id, seat.step) : undefined;
        const labels = prompt ? findLabels((text) => prompt.read(text).ok) : [];
        return { key: String(seat.step), ...formOfSeat(seat, labels) };
      }),
    )),
  ];
  return all.flatMap(({ key, message, properties, required }) => {
    if (skipped.includes(key)) return [];
    const why = refused[key];
    const said = why === undefined ? message : `Not recorded: ${why}\nPlease answer again.\n\n${message}`;
    const requestedSchema = { type: "object" as const, properties, required };
    return [{ key, params: { mode: "form" as const, message: printable(said), requestedSchema } }];
  });
}

type FormParts = { readonly message: string; readonly properties: FormFields; readonly required: string[] };

const formOfQuestions = ({ questions }: PendingQuestions): FormParts => ({
  message: "There are questions before the work begins. What you leave empty is skipped.",
  properties: Object.fromEntries(
    questions.map(({ id, by, text }) => [id, { type: "string", title: `${by}: ${text}` } as const]),
  ),
  required: [],
});

function formOfSeat({ work, round, messages }: OwnSeat, labels: readonly string[]): FormParts {
  const prompt = messages.map(({ text }) => text.trim()).join("\n\n");
  const message = `Your ${work}${round === null ? "" : `, round ${round}`}\n\n${prompt}`;
  const places = labels.map((_, index) => `rank_${index + 1}`);
  if (places.length === 0)
    return {
      message,
      properties: { answer: { type: "string", title: "Your answer" } },
      required: ["answer"],
    };
  const properties = Object.fromEntries(
    places.map((place, index) => [
      place,
      { type: "string", title: index === 0 ? "Best" : `Place ${index + 1}`, enum: [...labels] } as const,
    ]),
  );
  return { message, properties: { ...properties, remarks: { type: "string" } }, required: places };
}

/** The labels that a step's reader wants ranked: the first letters, of which a member's own draft has one; none where it wants other ones. */
function findLabels(isRead: (text: string) => boolean): readonly string[] {
  for (let count = 2; count <= MAX_RANKED; count += 1) {
    const letters = Array.from({ length: count }, (_, index) => String.fromCharCode(65 + index));
    const choices = [letters, ...letters.map((own) => letters.filter((letter) => letter !== own))];
    const found = choices.find((labels) => labels.length > 1 && isRead(rankingText(labels)));
    if (found) return found;
  }
  return [];
}

const rankingText = (labels: readonly string[]): string => `FINAL RANKING: ${labels.join(" > ")}`;

/** Asks by requests of the server's own, all at once; what is not answered in time counts as left for later. */
export async function askNow(
  { ctx }: McpCall,
  forms: readonly PersonForm[],
  ms: number,
): Promise<Readonly<Record<string, ElicitResult>>> {
  const { signal } = ctx.mcpReq;
  const answers = forms.map(async ({ key, params }) => {
    const given = await ctx.mcpReq
      .send({ method: "elicitation/create", params }, { signal, timeout: ms })
      .catch((): ElicitResult => ({ action: "cancel" }));
    return [key, given] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Records what a person filled in. */
export async function takeAnswers(
  { services, caller: { principal } }: McpSession,
  id: DeliberationId,
  {
    responses,
    skipped: before,
  }: { readonly responses: Readonly<Record<string, unknown>> } & Pick<AskedPerson, "skipped">,
): Promise<AskedPerson> {
  const refused: Record<string, string> = {};
  const skipped = [...before];
  for (const key of Object.keys(responses)) {
    const given = inputResponse(responses, key);
    const action = given.kind === "elicit" ? given.action : "cancel";
    const content = given.kind === "elicit" && action === "accept" ? (given.content ?? {}) : {};
    if (action === "cancel") skipped.push(key);
    else {
      const said = action === "decline" ? { abstain: true as const } : { text: textIn(content) };
      const body = key === QUESTIONS ? { answers: answersIn(content) } : { ...said, step: key };
      const why = await recordAnswer(services, principal, { id, body }).then(() => undefined, refusalOf);
      if (why !== undefined) refused[key] = why;
    }
  }
  return { refused, skipped };
}

/** Why an answer is to be given again; undefined where another one stands. @throws what is neither */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof Refused && error.refusal.code === "answer-refused") return error.refusal.detail;
  if ((error instanceof Refused && error.refusal.code === "answered") || isFault(error, "configuration"))
    return undefined;
  throw error;
}

const answersIn = (content: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(content).flatMap(([key, value]) =>
      typeof value === "string" && value.trim() !== "" ? [[key, value]] : [],
    ),
  );

/** A seat's answer as its step's reader takes it. */
function textIn(content: Readonly<Record<string, unknown>>): string {
  const { answer, remarks, ...rest } = answersIn(content);
  const places = Object.keys(rest).filter((key) => /^rank_\d+$/.test(key));
  if (places.length === 0) return answer ?? "";
  const labels = places.sort((one, other) => Number(one.slice(5)) - Number(other.slice(5)));
  return `${remarks ?? ""}\n\n${rankingText(labels.map((place) => rest[place] ?? ""))}`.trim();
}
