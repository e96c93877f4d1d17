import { type KnownKeys, withoutUnknown } from "../../../config/named-files.ts";
import { isMapping } from "../../../config/yaml.ts";
import { type KnownSubject, MISSING_TOOLS } from "../../../interop/local2/subjects.ts";
import { findMeant, toOneLine } from "../../../text/words.ts";

// A story with a key of Parley's own says nothing that cannot be checked. Any other is LoCAL2's, whose runner ignores what it does not
// know: here each such thing is a check that is skipped, by name and with the reason.

/** Something that a story of LoCAL2's says and that is not checked here, and why. */
export type Skipped = { readonly what: string; readonly why: string };

/** The subjects that a story may name; `known` returns undefined for one that does not exist. */
export type Subjects = {
  readonly names: readonly string[];
  readonly known: (subject: string) => KnownSubject | undefined;
};

/** What is known of stories. */
type StoryForm = { readonly story: KnownKeys; readonly turn: KnownKeys; readonly subjects: Subjects };

type Mapping = Readonly<Record<string, unknown>>;

/** A part of a story in Parley's own form, and what of it is skipped. */
type ForeignPart<T = unknown> = { readonly value: T; readonly skipped: readonly Skipped[] };

const NO_MEANING = "it has no meaning here";
const MAX_LISTED = 100;

/** Whether a story is one of Parley's own: it has a key that LoCAL2's have not, or says of a message more than its subject. */
export function isOwnStory(value: unknown): boolean {
  if (!isMapping(value)) return true;
  const { expected_bus_events: events } = value;
  const messages = isMapping(events) ? Object.values(events).flat() : [];
  return ["needs", "defaults", "expected_engrams"].some((key) => key in value) || messages.some(isMapping);
}

/** A story of LoCAL2's in the form of Parley's own, with what is skipped of the whole and of each turn. */
export function readForeign(
  value: unknown,
  form: StoryForm,
): ForeignPart & { readonly turns: readonly ForeignPart[] } {
  if (!isMapping(value)) return { value, skipped: [], turns: [] };
  const { manual_checks: manual, turns: written, ...rest } = value;
  const whole = readPart(rest, form.story, form.subjects);
  const turns = (Array.isArray(written) ? written : []).map((turn: unknown) =>
    isMapping(turn) ? readTurn(turn, form) : { value: turn, skipped: [] },
  );
  return {
    value: { ...whole.value, ...(written === undefined ? {} : { turns: turns.map((turn) => turn.value) }) },
    skipped: [...whole.skipped, ...listOf(manual).map(nameManual)],
    turns,
  };
}

const listOf = (value: unknown): readonly unknown[] =>
  (Array.isArray(value) ? value : (value ?? null) === null ? [] : [value]).slice(0, MAX_LISTED);

function nameManual(check: unknown): Skipped {
  const { id, title } = isMapping(check) ? check : { id: check, title: undefined };
  const names = [id, title].filter((one) => typeof one === "string" || typeof one === "number");
  return { what: toOneLine(["manual check", ...names].join(" "), 200), why: "a person makes it" };
}

function readPart(mapping: Mapping, keys: KnownKeys, subjects: Subjects): ForeignPart<Mapping> {
  const skipped: Skipped[] = [];
  const known = withoutUnknown(mapping, keys, (key) => {
    skipped.push({ what: toOneLine(key, 200), why: NO_MEANING });
  });
  const parts = Object.entries(known).map(
    ([key, part]) => [key, isMapping(part) ? withoutUnchecked(part, subjects, skipped) : part] as const,
  );
  return { value: Object.fromEntries(parts), skipped };
}

/** `present`, `absent` and `tool_names_include` without what cannot come here. */
function withoutUnchecked(part: Mapping, subjects: Subjects, skipped: Skipped[]): Mapping {
  const keep = (key: string, what: (one: string) => string, why: (one: string) => string | undefined) => {
    const list = part[key];
    if (!Array.isArray(list)) return {};
    const kept = list.filter((one: unknown) => {
      const reason = typeof one === "string" ? why(one) : undefined;
      if (reason !== undefined) skipped.push({ what: toOneLine(what(String(one)), 200), why: reason });
      return reason === undefined;
    });
    return { [key]: kept.map((one: unknown) => (typeof one === "string" ? renameSubject(one) : one)) };
  };
  return {
    ...part,
    ...keep(
      "present",
      (one) => `there is ${one}`,
      (one) => whyNever(one, subjects) ?? whyNoTool(one),
    ),
    ...keep(
      "absent",
      (one) => `there is no ${one}`,
      (one) => whyNever(one, subjects),
    ),
    ...keep("tool_names_include", (one) => `the tool ${one} was called`, whyNoTool),
  };
}

/** A call had other names in LoCAL2: an earlier one, and that of its two messages for the windows of tools. */
const renameSubject = (subject: string): string =>
  subject.replace(/^tool\.(?:request|activity)\./, "tool.call.");

/** Why a message of this subject cannot come; undefined for one that may, and for one that is misspelled. */
function whyNever(subject: string, { names, known }: Subjects): string | undefined {
  const name = renameSubject(subject);
  const row = known(name);
  if (row) return row.ok ? undefined : `it never comes: ${row.reason}`;
  return findMeant(name, names) === undefined ? "there is no such subject" : undefined;
}

const whyNoTool = (name: string): string | undefined => {
  const tool = renameSubject(name).replace(/^tool\.(?:call|result)\./, "");
  return MISSING_TOOLS.has(tool) ? `there is no tool ${tool} here` : undefined;
};

function readTurn({ assertions, ...turn }: Mapping, { turn: keys, subjects }: StoryForm): ForeignPart {
  const skipped: Skipped[] = [];
  const [texts, present, absent]: [unknown[], string[], string[]] = [[], [], []];
  for (const one of listOf(assertions)) {
    const { answer_contains: contained, subject, check, ...rest } = isMapping(one) ? one : { "": one };
    const found = listOf(contained).filter((text) => typeof text === "string" && text.trim() !== "");
    texts.push(...found);
    if (contained !== undefined && found.length === 0)
      skipped.push({
        what: "the answer contains nothing in particular",
        why: "there is nothing to look for",
      });
    if (typeof subject === "string" && (check === "present" || check === "absent"))
      (check === "present" ? present : absent).push(subject);
    else if (subject !== undefined || check !== undefined)
      skipped.push({ what: "an assertion on a subject", why: "its check is neither present nor absent" });
    for (const key of Object.keys(rest))
      skipped.push({ what: toOneLine(`assertion ${key}`, 200), why: NO_MEANING });
  }
  const { expected_content: content } = turn;
  const asked = {
    ...turn,
    ...(texts.length > 0 ? { expected_content: [...(Array.isArray(content) ? content : []), ...texts] } : {}),
    ...(present.length + absent.length > 0 ? { expected_bus_events: { present, absent } } : {}),
  };
  const read = readPart(asked, keys, subjects);
  return { value: read.value, skipped: [...skipped, ...read.skipped] };
}
