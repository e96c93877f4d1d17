import type { AnyProtocol } from "../engine/index.ts";
import type { OpeningContext, OpeningPart, Turn } from "../engine/opening-part.ts";
import {
  DeliberationId,
  isEvent,
  personOf,
  type Entry,
  type Opening,
  type Participant,
  refusal,
} from "../kernel/index.ts";
import { conversationSummaryTemplate } from "../protocols/phases/conversation.ts";
import { quoteValue } from "../text/words.ts";
import type { AppContext } from "./context.ts";
import { nextTurn, turnsBefore, WHOLE_CONVERSATION } from "./conversation.ts";
import { findOpening } from "./lookup.ts";
import { windowOf } from "./context-window.ts";

/** The fields of settings that name the models of seats. */
const SEATED = ["models", "chair", "reviewers", "synthesizer"] as const;

/** The settings of a request with the models of the turn that it follows. */
export async function withEarlierModels<C extends Pick<AppContext, "settings" | "requested" | "store">>(
  context: C,
  { name, seats }: Pick<AnyProtocol, "name" | "seats">,
  { previous, member, pack }: FollowUpRequest & { readonly pack?: string | undefined },
): Promise<C> {
  const isNamed = pack !== undefined || SEATED.some((field) => context.requested.has(field));
  if (previous === undefined || member !== undefined || isNamed) return context;
  const earlier = await readOpening(context, DeliberationId.parse(previous));
  if (earlier?.protocol.name !== name) return context;
  const modelsIn = (field: string) =>
    seats
      .filter(({ filledBy }) => filledBy === field)
      .flatMap((seat) => earlier.participants.filter((one) => one.seat === seat.name))
      .flatMap(({ model }) => (personOf(model) === undefined ? [model] : []));
  const settings = Object.fromEntries(
    SEATED.map((field) => [field, modelsIn(field)] as const).filter(([, models]) => models.length > 0),
  );
  return { ...context, settings: { ...context.settings, ...settings } };
}

const readOpening = async (
  { store }: Pick<AppContext, "store">,
  id: DeliberationId,
): Promise<Opening | undefined> =>
  (await store.read(id)).find((entry) => isEvent(entry, "deliberation-opened"))?.data;

/** How a request follows a turn: what it changes in the opening that a protocol makes. */
export type FollowUp = {
  /** The context that the protocol's own opening gets. */
  as?(context: OpeningContext): OpeningContext;
  /** The place in the conversation, for a protocol that has not taken it itself. */
  part?(participants: OpeningPart["participants"]): Promise<FollowUpPart>;
  /** The participants under the ids that they have in the conversation. */
  seated?(participants: OpeningPart["participants"]): OpeningPart["participants"];
  readonly attachments?: readonly { readonly name: string; readonly text: string }[];
};

type FollowUpPart = Pick<OpeningPart, "conversation" | "settings" | "templates">;

/** Reads from a request which turn it follows, and which member it asks. @throws Fault `configuration` for an unknown member, and for one without a turn before */
export async function followUp(
  context: Pick<AppContext, "store" | "principal" | "settings" | "models">,
  { previous: id, member: name, again = false, history }: FollowUpRequest,
): Promise<FollowUp> {
  if (history !== undefined && history.length > 0) {
    if (id === undefined && name === undefined && !again) return afterHistory(context, history);
    const next = "give one of the two: the run before has its own history";
    throw refusal("history is given beside a run that it follows", next);
  }
  if (id === undefined) {
    const asked = name === undefined ? (again ? "a question again" : undefined) : "a member";
    if (asked === undefined) return {};
    const next = "name the run that it follows: previous";
    throw refusal(`${asked} is asked in a conversation`, next);
  }
  const previous = DeliberationId.parse(id);
  const member = name === undefined ? undefined : await findMember(context, previous, name);
  return {
    part: (participants) => followUpPart(context, previous, { participants, again }),
    ...(member && {
      as: (usual: OpeningContext) => asMember(usual, member),
      seated: (participants) => participants.map((one) => ({ ...one, id: member.member.id })),
      attachments: draftAttachment(member),
    }),
  };
}

export type FollowUpRequest = {
  readonly previous?: string | undefined;
  /** Whether the previous turn's question is asked again, so that its answer is left out of the conversation. */
  readonly again?: boolean | undefined;
  /** A member of the conversation's newest council or debate, by id or name, that answers alone. */
  readonly member?: string | undefined;
  /** Earlier turns that were held elsewhere, oldest first, in place of `previous`. */
  readonly history?: readonly Turn[] | undefined;
};

/** A request after turns that are no runs here: whoever holds them chose how many there are. */
function afterHistory(
  { principal: { user }, models, settings }: Pick<AppContext, "principal" | "settings" | "models">,
  history: readonly Turn[],
): FollowUp {
  const historyTurns = Math.max(history.length, settings.historyTurns);
  const context = { models, settings: { ...settings, historyTurns } };
  return {
    as: (usual) => ({
      ...usual,
      settings: { ...usual.settings, historyTurns },
      turnsBefore: () => Promise.resolve(history),
    }),
    part: async (participants) => ({ conversation: { history, user }, ...fittedTo(participants, context) }),
  };
}

/**
 * The part of an opening that makes it a turn of a conversation, for protocols with several participants: its position, the
 * earlier turns, and the window that these are fitted to.
 * @throws Fault as `nextTurn`
 */
async function followUpPart(
  { store, principal: { user }, ...context }: Pick<AppContext, "store" | "principal" | "settings" | "models">,
  previous: DeliberationId,
  { participants, again }: { readonly participants: OpeningPart["participants"]; readonly again: boolean },
): Promise<FollowUpPart> {
  return {
    conversation: {
      ...(await nextTurn(store, previous, user)),
      history: await turnsBefore(store, previous, { by: "A", again, ...WHOLE_CONVERSATION }),
      user,
      ...(again ? { again } : {}),
    },
    ...fittedTo(participants, context),
  };
}

/** The window that earlier turns are fitted to, and what summarizes those that do not fit. */
function fittedTo(
  participants: OpeningPart["participants"],
  context: Pick<AppContext, "models" | "settings">,
): Pick<FollowUpPart, "settings" | "templates"> {
  const windows = participants.map(({ model }) => windowOf(model, context).contextTokens);
  const conversation = { contextTokens: Math.min(...windows), maxTurns: context.settings.historyTurns };
  return {
    settings: { conversation },
    templates: { [conversationSummaryTemplate.name]: conversationSummaryTemplate.text },
  };
}

/** One member of an earlier run, as it was then, and what it answered before the others were heard. */
type EarlierMember = {
  readonly member: Participant;
  readonly instructions: string;
  /** Null where it gave no answer of its own, as a chair. */
  readonly draft: { readonly question: string; readonly text: string } | null;
};

/** Finds a member by id or name in the newest run of the conversation that had several participants. @throws Fault `configuration` with the members' names */
async function findMember(
  { store }: Pick<AppContext, "store">,
  previous: DeliberationId,
  name: string,
): Promise<EarlierMember> {
  for (let id: DeliberationId | undefined = previous; id !== undefined;) {
    const entries: readonly Entry[] = await store.read(id);
    const { participants, question, previous: before }: Opening = findOpening(entries, id).data;
    if (participants.some(({ seat }) => seat !== "respondent" && seat !== "respondent-b")) {
      const heard = participants.filter(({ id: one }) => entries.some((entry) => isBy(entry, one)));
      const member = heard.find((one) => isNamed(one, name));
      if (!member) {
        const why = `${quoteValue(name)} took no part in ${id}`;
        const next = heard.map((one) => `@${one.id}`).join(", ");
        throw refusal(why, `ask one of ${next}`);
      }
      const text = draftOf(entries, member);
      const instructions = await store.text(member.persona.instructions);
      return { member, instructions, draft: text === undefined ? null : { question, text } };
    }
    id = before;
  }
  const why = `no run of this conversation has members, so ${quoteValue(name)} cannot be asked`;
  throw refusal(why, "ask a council or a debate first");
}

const isBy = (entry: Entry, id: Participant["id"]): boolean =>
  isEvent(entry, "answer-given", "review-given", "synthesis-given") && entry.data.by === id;

const isNamed = ({ id, persona }: Participant, name: string): boolean =>
  [id, persona.name, persona.name.replaceAll(/\s+/g, "-")].some(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );

/** What a participant answered last, of all that it answered itself. */
const draftOf = (entries: readonly Entry[], { id }: Participant): string | undefined =>
  entries
    .filter((entry) => isEvent(entry, "answer-given"))
    .findLast(({ data, origin }) => data.by === id && origin.by !== "reactor")?.data.text;

/** The context of an opening in which one earlier member answers alone: its model and instructions, and no memory. */
const asMember = (
  context: OpeningContext,
  { member: { id, model, persona, temperature, options }, instructions }: EarlierMember,
): OpeningContext => ({
  ...context,
  settings: {
    ...{ ...context.settings, models: [model], respondentB: false, memoryTools: false },
    ...{ temperature, system: undefined },
  },
  persona: () => ({ id, name: persona.name, instructions, ...options }),
  recall: () => null,
});

const OWN_DRAFT = "your own earlier answer, written before the answer above was made from all";

/** The member's own draft as an attachment, which no other member's turn has. */
const draftAttachment = ({ draft }: EarlierMember): { name: string; text: string }[] =>
  draft === null ? [] : [{ name: OWN_DRAFT, text: draft.text }];
