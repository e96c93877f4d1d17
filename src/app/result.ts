import { loadNamed, type AnyProtocol, type Registry } from "../engine/index.ts";
import {
  attachmentsOf,
  isEvent,
  isPicture,
  pinnedTexts,
  type Entry,
  type OrganizationStore,
} from "../kernel/index.ts";
import type { ShownResult } from "../reports/answer.ts";
import { showResult } from "../reports/shown.ts";
import { resultOf, type Result } from "../views/result.ts";
import { veilEntries } from "../views/veil.ts";
import type { AppContext } from "./context.ts";

/** The protocol that these entries' opening names; undefined where the registry does not have it. */
async function protocolOf(
  protocols: Registry<AnyProtocol>,
  entries: readonly Entry[],
): Promise<AnyProtocol | undefined> {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  return opening && loadNamed(protocols, opening.protocol.name);
}

/** The outcome of one deliberation, with the section that its protocol's own view folds; undefined for no entries. */
export async function loadResult(
  protocols: Registry<AnyProtocol>,
  entries: readonly Entry[],
): Promise<Result | undefined> {
  const view = await (await protocolOf(protocols, entries))?.view?.();
  return resultOf(veilEntries(entries), view);
}

/** As `loadResult`, with the words of the protocol's own report and, where `texts` are given, the conversation's earlier turns. */
export async function loadShown(
  protocols: Registry<AnyProtocol>,
  entries: readonly Entry[],
  texts?: Pick<OrganizationStore, "text">,
): Promise<ShownResult | undefined> {
  const result = await loadResult(protocols, entries);
  if (!result) return undefined;
  const protocol = await protocolOf(protocols, entries);
  const earlier = texts ? await loadEarlier(texts, entries) : [];
  const report = result.section === null ? undefined : await protocol?.report?.();
  const pictures = texts ? await loadPictures(texts, entries) : undefined;
  return { ...showResult(result, report, { entries, earlier }), ...(pictures ? { pictures } : {}) };
}

/** The pictures that went with a question, with their bytes; undefined where there were none. */
async function loadPictures(
  { text }: Pick<OrganizationStore, "text">,
  entries: readonly Entry[],
): Promise<ShownResult["pictures"]> {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const shown = opening ? attachmentsOf(opening).filter(isPicture) : [];
  if (shown.length === 0) return undefined;
  const addresses = new Map<string, string>();
  for (const { digest, mediaType } of shown)
    addresses.set(digest, `data:${mediaType};base64,${await text(digest)}`);
  return (digest) => addresses.get(digest);
}

/** The turns that a deliberation's prompts rest on, oldest first; a summary of several has an empty question. */
async function loadEarlier(
  { text }: Pick<OrganizationStore, "text">,
  entries: readonly Entry[],
): Promise<NonNullable<ShownResult["earlier"]>> {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  if (!opening?.history?.length) return [];
  const { outcomeLine } = await import("../replies/gist.ts");
  return Promise.all(
    opening.history.map(async ({ question, answer }) => ({
      question: await text(question),
      gist: outcomeLine(await text(answer)),
    })),
  );
}

/** A complete deliberation: result, events and pinned texts by digest. */
export type Exported = {
  readonly result: Result | null;
  readonly events: readonly Entry[];
  readonly texts: Readonly<Record<string, string>>;
};

export async function exportRun(
  { store, protocols }: Pick<AppContext, "protocols"> & { readonly store: Pick<OrganizationStore, "text"> },
  events: readonly Entry[],
): Promise<Exported> {
  const digests = events.flatMap((entry) =>
    isEvent(entry, "deliberation-opened") ? pinnedTexts(entry.data) : [],
  );
  const texts = await Promise.all(digests.map(async (digest) => [digest, await store.text(digest)] as const));
  const result = (await loadResult(protocols, events)) ?? null;
  return { result, events, texts: Object.fromEntries(texts) };
}
