import { type AppContext, checkModelRef } from "../../../app/context.ts";
import { protocolSettings } from "../../../app/opening.ts";
import { shuffle } from "../../../engine/index.ts";
import { type Entry, familyOf, isEvent, ParticipantId, personOf, refusal } from "../../../kernel/index.ts";
import { authorship } from "../protocol/authorship/index.ts";
import { lostGuesses, sectionOf } from "../protocol/authorship/view.ts";
import { answersIn } from "../../../views/answer-event.ts";
import { isClosed } from "../../../views/result.ts";
import { isSimulated } from "../../../views/simulated.ts";
import { openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";

/** A deliberation that has ended, and the model that guesses who wrote its drafts. */
export type AnonymityAudit = {
  readonly entries: readonly Entry[];
  readonly model: string;
  /** Audits again what was audited before. */
  readonly again: boolean;
};

/**
 * Opens or finds the deliberation in which a model guesses who wrote each draft of another. Where calls failed, or the
 * budget was exhausted, a fork asks for the rest, under what the earlier runs left of the current budget.
 * @throws Fault `configuration` for a run without two drafts to tell apart; `authentication`, `budget`
 */
export async function openAnonymityAudit(
  context: AppContext,
  { entries, model: wanted, again }: AnonymityAudit,
): Promise<Resumed> {
  const { work, texts, id } = await readDrafts(context, entries);
  const model = await checkModelRef(context, wanted);
  const { callTimeoutMs, families } = context.settings;
  const family = familyOf(model, families);
  const persona = { name: "Guesser", instructions: "" };
  const participant = { id: ParticipantId.parse("guesser"), seat: "guesser", persona, model, family };
  const measurement = await openMeasurement(context, {
    protocol: authorship,
    question: `Who wrote the drafts of ${id}?`,
    texts,
    again,
    part: { settings: { ...work, callTimeoutMs }, participants: [participant] },
    identity: ({ templates }) => ({ work: protocolSettings(authorship, work), model, templates }),
  });
  return resumable(context, {
    ...measurement,
    countReplies: (own) => sectionOf(own)?.read ?? 0,
    lostCalls: lostGuesses,
  });
}

/** The drafts of a deliberation with their authors, and the texts that a guess is shown. */
async function readDrafts({ store }: Pick<AppContext, "store">, entries: readonly Entry[]) {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const id = opened?.deliberation ?? "";
  if (!opened || !isClosed(entries)) throw refusal(`${id} has not ended`, "resume it first");
  const { participants, question, seed } = opened.data;
  const drafts = [...answersIn(entries)].flatMap(([step, { type, data }]) =>
    type === "answer-given" && data.kind === "draft" ? [{ step, author: data.by, text: data.text }] : [],
  );
  const candidates = participants.filter(({ id: one }) => drafts.some(({ author }) => author === one));
  if (candidates.length < 2)
    throw refusal(`${id} has no anonymous drafts of two participants`, "name a run of ask or council");
  const ids = candidates.map((one) => one.id);
  const instructions = await Promise.all(
    candidates.map(async (one) => ({
      name: `participant/${one.id}`,
      text: await store.text(one.persona.instructions),
    })),
  );
  const named = drafts.map((draft, index) => ({ ...draft, name: `draft-${index + 1}` }));
  return {
    id,
    work: {
      run: { id, simulated: isSimulated(entries) },
      candidates: candidates.map(({ id: one, persona, model }) => ({
        id: one,
        name: persona.name,
        model: personOf(model) === undefined ? model : "a person",
      })),
      drafts: named.map(({ name, step, author }) => ({
        name,
        step,
        author,
        order: shuffle(seed, `participants/${name}`, ids),
      })),
    },
    texts: [
      { name: "question", text: question },
      ...named.map(({ name, text }) => ({ name: `draft/${name}`, text })),
      ...instructions,
    ],
  };
}
