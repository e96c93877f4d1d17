import type { Ending, Run } from "../../engine/index.ts";
import { combinePreference, parsePreference, type Preference } from "../../judging/index.ts";
import { EventId } from "../../kernel/index.ts";
import { preferencePrompt } from "../../prompts/index.ts";
import { ask, judgedOf, repeated, repeats, textOf, type Asked, type Bench, type Judged } from "./verdict.ts";

const ORDERS = [
  { key: "order-1", shown: ["a", "b"] },
  { key: "order-2", shown: ["b", "a"] },
] as const;

/** Compares one pair in both orders, under `ITEM/order-1` and `ITEM/order-2`; `ITEM/preference` is what they say together. */
export async function* judgePair(at: Bench, run: Run, item: string): AsyncGenerator<Judged> {
  for (const repeat of repeats(at)) {
    const said: Preference[] = [];
    for (const { key, shown } of ORDERS) {
      const reply = await inOrder(at, run, { key: repeated(`${item}/${key}`, repeat), item, shown });
      const read = readingOf(reply);
      said.push(read);
      yield judgedOf(reply, read.ok);
    }
    const [first, second] = said;
    if (first === undefined || second === undefined) return;
    const key = repeated(`${item}/preference`, repeat);
    await run.derive({ key, ends: ["preference-given", "degradation-noted"], input: { first, second } }, () =>
      together(item, first, second),
    );
  }
}

type Order = { readonly key: string; readonly item: string; readonly shown: readonly ["a" | "b", "a" | "b"] };

const inOrder = (at: Bench, run: Run, { key, item, shown: [first, second] }: Order): Promise<Asked> => {
  const { form, rubric } = at.floor.settings;
  const messages = preferencePrompt(at.floor, {
    form,
    rubric,
    question: textOf(at, `${item}/question`),
    first: textOf(at, `${item}/${first}`),
    second: textOf(at, `${item}/${second}`),
  });
  return ask(at, run, {
    key,
    messages,
    read: () => ({
      type: "reply-received",
      data: { by: at.judge.id, why: `${item}, ${first} shown before ${second}` },
    }),
  });
};

/** What a recorded reply says, by the order in which it was shown the answers. */
const readingOf = ({ type, data }: Asked): Preference =>
  type === "degradation-noted"
    ? { ok: false, reason: data.why }
    : parsePreference(data.call?.ok ? data.call.reply : "");

function together(
  item: string,
  first: Preference,
  second: Preference,
): Ending<"preference-given" | "degradation-noted"> {
  const { winner, orderSensitive, ...rest } = combinePreference(first, second);
  if (winner === null) {
    const why = "why" in rest ? rest.why : "";
    const weakens = "the judge's figures rest on one pair less";
    return { type: "degradation-noted", data: { what: `the preference on ${item}`, why, weakens } };
  }
  const reason = first.reason === "" ? second.reason : first.reason;
  return {
    type: "preference-given",
    // No events: the answers stand in the opening's context under these names.
    data: {
      of: [EventId.parse(`${item}/a`), EventId.parse(`${item}/b`)],
      winner,
      orderSensitive,
      reason,
    },
  };
}
