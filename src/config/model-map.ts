import { ModelRef } from "../kernel/index.ts";
import { nearest } from "./nearest.ts";
import { refuse, shown } from "./refusal.ts";

type Seat = { readonly model: ModelRef };
type Pair = { readonly from: string; readonly to: ModelRef };

const FORMS = "write models to be dealt out (sim/ada,sim/bo) or replacements (openai/gpt-4=sim/ada)";
const MOST_ENTRIES = 100;

/**
 * The same seats with other models. A list of models is dealt out, one to a seat in order, going round; pairs
 * `FROM=TO` replace the models that they name and leave the others. Parameters of a model that is replaced are
 * part of its name, but a pair cannot name them: what has a `?` before its `=` is a model.
 * @throws Fault `configuration` for an entry that is no model, both kinds at once, or a `FROM` that no seat has
 */
export function mapModels<S extends Seat>(seats: readonly S[], written: string): readonly S[] {
  const entries = written.split(",", MOST_ENTRIES + 1).map((entry) => entry.trim());
  if (entries.length > MOST_ENTRIES) throw refuse(`more than ${MOST_ENTRIES} models`, FORMS);
  const read = entries.map(readEntry);
  const pairs = read.filter((entry) => entry.from !== undefined);
  if (pairs.length === 0) {
    return seats.map((seat, index) => ({ ...seat, model: read[index % read.length]?.to ?? seat.model }));
  }
  if (pairs.length < read.length) throw refuse("models to be dealt out stand among replacements", FORMS);
  return replaced(seats, pairs);
}

type Entry =
  { readonly from: string; readonly to: ModelRef } | { readonly from?: never; readonly to: ModelRef };

function readEntry(entry: string): Entry {
  const [, from, to] = /^([^=?]*)=(.*)$/.exec(entry) ?? [];
  if (from === undefined || to === undefined) return { to: refIn(entry) };
  return { from: refIn(from.trim()), to: refIn(to.trim()) };
}

function refIn(text: string): ModelRef {
  const read = ModelRef.safeParse(text);
  if (read.success) return read.data;
  throw refuse(`${shown(text)} is no model; a model is written provider/model`, FORMS);
}

function replaced<S extends Seat>(seats: readonly S[], pairs: readonly Pair[]): readonly S[] {
  const used: readonly string[] = [...new Set(seats.map(({ model }) => model))];
  const by = new Map<string, ModelRef>();
  for (const { from, to } of pairs) {
    if (by.has(from)) throw refuse(`${shown(from)} is replaced twice`, "remove one of them");
    if (!used.includes(from)) {
      throw refuse(
        `nobody is to speak with ${shown(from)}`,
        `the nearest is ${nearest(from, used) ?? "none"}; there are ${used.join(", ")}`,
      );
    }
    by.set(from, to);
  }
  return seats.map((seat) => ({ ...seat, model: by.get(seat.model) ?? seat.model }));
}
