import { isEvent, type DataOf, type DeliberationId, type OrganizationStore } from "../../kernel/index.ts";

/** What the names of the runs begin with that summarize a persona's feedback. */
export const summaryRequest = (persona: string): string => `persona/feedback/${persona}/`;

/** The latest summary of a persona's feedback; undefined where there is none. */
export async function latestSummary(
  store: Pick<OrganizationStore, "list" | "read">,
  persona: string,
): Promise<(DataOf<"feedback-summarized"> & { readonly run: DeliberationId }) | undefined> {
  const runs = await store.list({
    limit: 20,
    requests: { prefixes: [summaryRequest(persona)], hidden: false },
  });
  for (const { id } of runs) {
    const summary = (await store.read(id)).findLast((entry) => isEvent(entry, "feedback-summarized"));
    if (summary) return { ...summary.data, run: id };
  }
  return undefined;
}

type PersonaSummary = NonNullable<Awaited<ReturnType<typeof latestSummary>>>;

/** A summary as the persona itself is shown it: the sentences that may feed a prompt; empty where there are none. */
export function adviceText(
  { strengths, weaknesses, unique }: PersonaSummary,
  mayFeed: (text: string) => boolean,
): string {
  const lines = (title: string, list: PersonaSummary["strengths"]) => {
    const shown = list.filter(({ text }) => mayFeed(text));
    return shown.length === 0 ? [] : [title, ...shown.map(({ text }) => `- ${text}`)];
  };
  return [
    ...lines("Strengths that others found:", strengths),
    ...lines("Weaknesses that others found:", weaknesses),
    ...lines("What nobody else does:", unique),
  ].join("\n");
}
