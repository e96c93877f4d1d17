import {
  canonical,
  Opening,
  type DeliberationId,
  type Digest,
  type Event,
  type Json,
  type OrganizationId,
  type Participant,
  type Store,
  isEvent,
  Fault,
} from "../kernel/index.ts";
import { idInSeries, idOfRequest, textDigest } from "./digest.ts";

/** A deliberation as a client asks for it: texts still as texts, to be pinned. */
export type Asked = Omit<
  Opening,
  "context" | "participants" | "templates" | "organization" | "history" | "reactions"
> & {
  readonly organization: OrganizationId;
  readonly context: readonly { readonly name: string; readonly text: string }[];
  readonly participants: readonly (Omit<Participant, "persona"> & {
    readonly persona: { readonly name: string; readonly instructions: string };
  })[];
  readonly templates: Readonly<Record<string, string>>;
  readonly history?: readonly { readonly question: string; readonly answer: string }[];
  /** Settings by reactor. */
  readonly reactions?: Readonly<Record<string, Json>>;
};

/**
 * Opens a deliberation, or finds it open: the same `request` of an organization always names the same one,
 * and so does the same place in a series. `fresh: false` is what a retry, or a rival, sees.
 */
export async function open(
  store: Store,
  request: string,
  asked: Asked,
): Promise<{ fresh: boolean; opened: Event<"deliberation-opened"> }> {
  const texts = new Map<Digest, string>();
  const pin = (text: string) => {
    const wellFormed = text.toWellFormed();
    const digest = textDigest(wellFormed);
    texts.set(digest, wellFormed);
    return digest;
  };
  const { history, reactions, ...rest } = asked;
  const opening = Opening.parse({
    ...rest,
    ...(history && history.length > 0
      ? { history: history.map(({ question, answer }) => ({ question: pin(question), answer: pin(answer) })) }
      : {}),
    ...(reactions && Object.keys(reactions).length > 0
      ? {
          reactions: Object.fromEntries(
            Object.entries(reactions).map(([name, settings]) => [name, pin(canonical(settings))]),
          ),
        }
      : {}),
    context: asked.context.map(({ name, text }) => ({ name, text: pin(text) })),
    participants: asked.participants.map((participant) => ({
      ...participant,
      persona: { ...participant.persona, instructions: pin(participant.persona.instructions) },
    })),
    templates: Object.fromEntries(Object.entries(asked.templates).map(([name, text]) => [name, pin(text)])),
  });
  // The texts first: an opening never names one that is not there.
  await Promise.all([...texts].map(([digest, text]) => store.putText(digest, text)));
  const { organization, series } = opening;
  const id = series
    ? idInSeries({ organization, series: series.id, index: series.index })
    : idOfRequest(organization, request);
  return record(store, { id, request, opening });
}

type NewOpening = { readonly id: DeliberationId; readonly request: string; readonly opening: Opening };

async function record(
  store: Store,
  { id, request, opening }: NewOpening,
): Promise<{ fresh: boolean; opened: Event<"deliberation-opened"> }> {
  const appended = await store.append(id, [{ type: "deliberation-opened", data: opening }], {
    by: "open",
    request,
  });
  const opened = appended.ok ? appended.events[0] : undefined;
  if (!appended.ok || !opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id });
  return { fresh: appended.fresh, opened };
}

/** What of an opening a fork may change; everything else, the seed included, is the parent's. */
export type ForkChanges = Partial<
  Pick<Opening, "settings" | "participants" | "templates" | "budget" | "protocol" | "reactions">
>;

/** Opens a fork of all that the parent has recorded so far. Texts that the changes name must be in the store. */
export async function fork(
  store: Store,
  parent: DeliberationId,
  { request, changes }: { readonly request: string; readonly changes: ForkChanges },
): Promise<{ fresh: boolean; opened: Event<"deliberation-opened"> }> {
  const entries = await store.read(parent);
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id: parent });
  // A fork stands beside its parent's series, not in it.
  const { series: _series, ...kept } = opened.data;
  const opening = Opening.parse({ ...kept, ...changes, parent: { id: parent, upToSeq: entries.length } });
  const id = idOfRequest(opening.organization, request);
  return record(store, { id, request, opening });
}
