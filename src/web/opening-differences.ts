import { isVoice, type Opening } from "../kernel/index.ts";
import { formatOptions } from "../reports/words.ts";

/** A setting in which two runs differ; null where one of them has none. */
export type OpeningDifference = {
  readonly name: string;
  readonly a: string | null;
  readonly b: string | null;
};

/** The settings in which two openings differ, by name. The texts of prompts are named, not shown: they are long. */
export function openingDifferences(a: Opening, b: Opening): readonly OpeningDifference[] {
  const [one, other] = [flatOpening(a), flatOpening(b)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.flatMap((name) => {
    const [left, right] = [one.get(name) ?? null, other.get(name) ?? null];
    return left === right ? [] : [{ name, a: left, b: right }];
  });
}

/** Of a digest, this much tells two texts apart. */
const DIGEST_HEAD = 8;

function flatOpening(opening: Opening): ReadonlyMap<string, string> {
  const { protocol, settings, budget, participants, templates, seed, context } = opening;
  const flat = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0)
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else flat.set(name, typeof value === "string" ? value : JSON.stringify(value));
  };
  add("protocol", `${protocol.name} ${protocol.version}`);
  for (const [name, value] of Object.entries(settings)) add(name, value);
  add("budget", budget);
  add("members", participants.filter(isVoice).map(seatText).join(", "));
  add(
    "chair",
    participants
      .filter(({ seat }) => seat === "chair")
      .map(seatText)
      .join(", "),
  );
  add("context", context.map(({ name }) => name).join(", "));
  for (const { id, persona } of participants)
    add(`instructions.${id}`, persona.instructions.slice(0, DIGEST_HEAD));
  for (const [name, digest] of Object.entries(templates))
    add(`template.${name}`, digest.slice(0, DIGEST_HEAD));
  add("seed", seed);
  return new Map([...flat].filter(([, value]) => value !== "" && value !== "{}" && value !== "[]"));
}

const seatText = ({ persona, model, options }: Opening["participants"][number]): string =>
  `${persona.name} (${[model, formatOptions(options ?? null)].filter(Boolean).join(", ")})`;
