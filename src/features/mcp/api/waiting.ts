import { inputRequired, type CallToolResult, type InputRequiredResult } from "@modelcontextprotocol/server";
import { loadShown } from "../../../app/result.ts";
import type { OpenedRun } from "../../../app/start.ts";
import { isEvent, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { briefAnswerText, type ShownResult } from "../../../reports/answer.ts";
import { entryWords, workWords } from "../../../reports/entry-words.ts";
import { oneLine, printable } from "../../../reports/printable.ts";
import { formatDuration } from "../../../text/format.ts";
import { veiledEntry } from "../../../views/veil.ts";
import { isWaiting } from "../../../views/waiting.ts";
import { awaitEnd } from "../../../server/opening.ts";
import { missing, readingContext } from "../../../server/results.ts";
import { readWaiting } from "../../../server/steering.ts";
import { askingIn, askNow, formsFor, NOBODY_ASKED, takeAnswers, type AskedPerson } from "./ask-people.ts";
import { linkTo } from "./links.ts";
import type { McpCall, McpState } from "./session.ts";

// With a progress token something is told at least every 10 s, for as long as it takes. Without one a call ends in time to tell the id, and
// `wait` goes on.

const DAY_MS = 86_400_000;
const TEXT_COLUMNS = 100;

export type WaitedFor = {
  readonly id: DeliberationId;
  readonly notes?: OpenedRun["notes"];
  readonly onDisconnect?: "continue" | "cancel" | undefined;
};

/** Waits for a deliberation's end, for a person or for the time to be up, whatever comes first, and says where it stands. */
export async function followRun(
  call: McpCall,
  run: WaitedFor,
): Promise<CallToolResult | InputRequiredResult> {
  const { ctx, services, caller, patienceMs } = call;
  const { id } = run;
  const { principal } = caller;
  const { signal } = ctx.mcpReq;
  const notices = createNotices(call, id);
  const asking = askingIn(call);
  const until = notices.isHeard ? Infinity : services.world.now() + patienceMs;
  const left = () => Math.max(0, until - services.world.now());
  try {
    let asked = await takeReplies(call, id);
    for (;;) {
      const { entries, isOver } = await awaitEnd(services, {
        ...{ id, principal, signal, ms: left(), onEntries: notices.tell },
      });
      if (entries.length === 0) throw missing(id);
      if (signal.aborted) await leave(call, run);
      const forms = asking === "none" || isOver || !isWaiting(entries) ? [] : await formsFor(call, id, asked);
      if (forms.length === 0 || signal.aborted) return await outcomeReply(call, run, entries);
      if (asking === "reply")
        return inputRequired({
          inputRequests: Object.fromEntries(
            forms.map(({ key, params }) => [key, inputRequired.elicit(params)]),
          ),
          requestState: await call.codec.mint({ id, skipped: asked.skipped }),
        });
      const responses = await askNow(call, forms, Math.min(left(), DAY_MS));
      asked = await takeAnswers(call, id, { responses, skipped: asked.skipped });
    }
  } finally {
    notices.stop();
  }
}

/** What a person has filled in since the client was told to ask. */
async function takeReplies(call: McpCall, id: DeliberationId): Promise<AskedPerson> {
  const { inputResponses: responses } = call.ctx.mcpReq;
  const state = call.ctx.mcpReq.requestState<McpState>();
  return responses && state ? takeAnswers(call, id, { responses, skipped: state.skipped }) : NOBODY_ASKED;
}

/** Nobody waits any more. */
async function leave(call: McpCall, { id, onDisconnect }: WaitedFor): Promise<void> {
  const { services, caller } = call;
  if (onDisconnect === "cancel" && call.hasLeft())
    await services.parley.cancel(id, { principal: caller.principal });
}

/** Tells a client with a progress token what happens. */
function createNotices({ ctx, services, caller, noticeMs }: McpCall, id: DeliberationId) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined)
    return { isHeard: false, tell: () => undefined, stop: () => undefined } as const;
  const { frames, world } = readingContext(services.parley, caller.principal);
  const startedAt = world.now();
  const all: Entry[] = [];
  let progress = 0;
  let working = "at work";
  /** Who is waited for, whatever models do meanwhile. */
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const stillHere = () => {
    const place = services.drives.place(id);
    const what = place > 0 ? `in line, place ${place}` : ([...waiting.values()][0] ?? working);
    say(`${what} (${formatDuration(world.now() - startedAt)})`);
  };
  const say = (message: string) => {
    clearTimeout(timer);
    timer = setTimeout(stillHere, noticeMs);
    progress += 1;
    const params = { progressToken, progress, message: oneLine(message, 500) };
    void ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const unlisten = frames.listen(({ deliberation, work }) => {
    if (deliberation === id && work) working = `${work.by ?? id}: ${workWords(work.kind).doing}`;
  });
  timer = setTimeout(stillHere, noticeMs);
  return {
    isHeard: true,
    tell(entries: readonly Entry[]): void {
      const isPast = all.length === 0 && entries.length > 1; // it was at work before this call
      const fresh = entries.filter(({ seq }) => seq > (all.at(-1)?.seq ?? 0));
      all.push(...fresh);
      const told = isPast ? fresh.slice(-1) : fresh;
      for (const entry of told) {
        if (isEvent(entry, "seat-answered", "seat-expired")) waiting.delete(entry.data.step);
        if (isEvent(entry, "clarification-answered")) waiting.delete("questions");
        for (const shown of entry.origin.by === "reactor" ? [] : veiledEntry(entry, all)) {
          const words = entryWords(shown);
          if (words === undefined) continue;
          if (isEvent(shown, "seat-opened")) waiting.set(shown.data.step, words);
          if (isEvent(shown, "clarification-asked")) waiting.set("questions", words);
          say(words);
        }
      }
    },
    stop(): void {
      unlisten();
      clearTimeout(timer);
    },
  };
}

/** Where a deliberation stands, for programs and in words. */
async function outcomeReply(
  { services, caller: { principal }, takesAnswers = false }: McpCall,
  { id, notes = [] }: Pick<WaitedFor, "id" | "notes">,
  entries: readonly Entry[],
): Promise<CallToolResult> {
  const { protocols } = readingContext(services.parley, principal);
  const shown = await loadShown(protocols, entries);
  if (!shown) throw missing(id);
  const {
    participants: _participants,
    control: _control,
    section: _section,
    criticalPathMs: _path,
    ...result
  } = shown.result;
  const waiting = result.status === "waiting" ? await readWaiting(services, principal, id) : null;
  const isOver = entries.some((entry) => isEvent(entry, "deliberation-closed"));
  const next = isOver
    ? null
    : waiting
      ? nextOfWaiting(id, waiting, takesAnswers)
      : `call wait with {"id": "${id}"}`;
  const outcome = { ...result, ...{ place: services.drives.place(id), waiting, notes: [...notes], next } };
  const words = isOver
    ? [answerWords(shown)]
    : [`${id} is ${result.status}.`, ...(waiting ? waitingWords(waiting) : []), next ?? ""];
  return {
    content: [
      { type: "text", text: printable(words.filter(Boolean).join("\n\n")) },
      linkTo(id, result.question),
    ],
    structuredContent: outcome,
  };
}

/** A result in words, as short as it can be without leaving out what is missing. */
export const answerWords = (shown: ShownResult): string =>
  `${shown.result.status}\n\n${briefAnswerText(shown, { color: false, width: TEXT_COLUMNS }, { next: [] })}`.trim();

type WaitingParts = Awaited<ReturnType<typeof readWaiting>>;

const waitingWords = ({ questions, seats }: WaitingParts): readonly string[] => [
  ...(questions?.questions ?? []).map(({ id, by, text }) => `Question ${id} of ${by}: ${text}`),
  ...seats.map(
    ({ step, work, messages }) =>
      `Seat ${step} (${work}) has this prompt:\n\n${messages.map(({ text }) => text).join("\n\n")}`,
  ),
];

function nextOfWaiting(
  id: DeliberationId,
  { questions, seats: [seat] }: WaitingParts,
  takesAnswers: boolean,
): string {
  const [first] = questions?.questions ?? [];
  if (!takesAnswers && (first || seat))
    return (
      `let the person answer with parley ${first ? "answer" : "seat"} ${id} in a terminal, and call wait; this server passes answers on ` +
      "itself when it is started so (--tools core,answer)"
    );
  if (first) return `call answer with {"id": "${id}", "answers": {"${first.id}": "…"}}, then wait`;
  if (seat) return `call answer with {"id": "${id}", "step": "${seat.step}", "text": "…"}, then wait`;
  return "it waits for somebody else, who is asked elsewhere";
}
