import type { BenchArm } from "../contract.ts";
import { findNearest } from "../../../text/words.ts";
import { digestOf, type NewDeliberation } from "../../../engine/index.ts";
import { ParticipantId, refusal } from "../../../kernel/index.ts";
import type { BenchTask } from "../../../app/tasks.ts";
import type { DraftRule } from "./row.ts";
import { pluralize } from "../../../text/format.ts";
import { checkRequest, prepareOpening, requestSettings, type StartRequest } from "../../../app/start.ts";
import type { Panel } from "../../../engine/opening-part.ts";
import { parseModelRef, type AppContext } from "../../../app/context.ts";

type BenchParticipant = NewDeliberation["participants"][number];

/** Settings of one arm, by the names of a request's fields. */
type ArmSettings = Readonly<Record<string, string | number>>;

/** One way to answer questions, as the settings of a protocol. */
type ArmRow = {
  readonly what: (panel: Panel) => string;
  /** Undefined where the arm's options say it. */
  readonly protocol?: string;
  readonly settings?: StartRequest["protocolSettings"];
  /** Whether anything is called beyond the drafts. */
  readonly deliberates: boolean;
  /** What an option without a name sets. */
  readonly option: string;
  /** Who takes part; by default everybody. */
  readonly panel?: (panel: Panel, settings: ArmSettings, samples: number) => Panel;
  /** What is changed about those who do. */
  readonly seats?: (participants: readonly BenchParticipant[]) => BenchParticipant[];
  /** Answers from the drafts of all questions together, where it is a rule over drafts. */
  readonly rule?: DraftRule;
};

/** Drafts and their vote, and no call beyond; a quorum that is meant for the whole panel does not hold for it. */
const DRAFTS = { protocol: "ask", settings: { effort: 1, quorum: undefined }, deliberates: false } as const;
const membersOnly = (members: Panel["members"]): Panel => ({
  ...{ members, chairs: [], reviewers: [], synthesizers: [], judges: [], notes: [] },
});
const firstMembers = ({ members }: Panel, { size = members.length }: ArmSettings): Panel => {
  if (Number(size) >= 1 && Number(size) <= members.length) return membersOnly(members.slice(0, Number(size)));
  throw refusal(`there are ${members.length} members, and not ${size}`, "name more models, or fewer members");
};

/** As Wang et al. 2023 (Self-Consistency, ICLR) draw their samples, where a model takes a temperature at all. */
const SAMPLING_TEMPERATURE = 0.7;

const ARMS = {
  single: {
    ...DRAFTS,
    what: ({ members: [model] }) => `one call of ${model}`,
    option: "member",
    panel({ members }, { member = 1 }) {
      const model = members[Number(member) - 1];
      if (model) return membersOnly([model]);
      throw refusal(
        `there is no member ${member} of ${members.length}`,
        "name one by its place among the models",
      );
    },
  },
  majority: {
    ...DRAFTS,
    what: ({ members }) => `independent drafts of ${pluralize(members.length, "member")} and their vote`,
    option: "size",
    panel: firstMembers,
  },
  weighted: {
    ...DRAFTS,
    what: ({ members }) =>
      `the same drafts of ${pluralize(members.length, "member")}, weighted by how often each agrees with the others (Dawid and Skene)`,
    option: "size",
    panel: firstMembers,
    rule: "weighted",
  },
  "best-member": {
    ...DRAFTS,
    what: ({ members }) =>
      `of ${pluralize(members.length, "member")} the draft of whoever is right most often on the other questions`,
    option: "size",
    panel: firstMembers,
    rule: "best-member",
  },
  "self-consistency": {
    ...DRAFTS,
    what: ({ members: [model, ...rest] }) =>
      `${pluralize(rest.length + 1, "sample")} of ${model} and their vote`,
    option: "samples",
    panel: ({ members }, settings, samples) =>
      membersOnly(
        Array.from({ length: Number(settings["samples"] ?? samples) }, () => members.slice(0, 1)).flat(),
      ),
    seats: asSamples,
  },
  ask: {
    what: () => "independent drafts; escalates only if they disagree",
    protocol: "ask",
    deliberates: true,
    option: "effort",
  },
  council: {
    what: () => "independent drafts, anonymous reviews, a chair's synthesis",
    protocol: "council",
    deliberates: true,
    option: "strategy",
  },
  strategy: {
    what: () => "a council whose chair follows a strategy",
    protocol: "council",
    deliberates: true,
    option: "strategy",
  },
  pack: { what: () => "a pack's members, strategy and settings", deliberates: true, option: "pack" },
  debate: {
    what: () => "proposals, critiques and refinements of agents with roles, and a judge's solution",
    protocol: "debate",
    deliberates: true,
    option: "rounds",
  },
} satisfies { readonly [name: string]: ArmRow };

/** Options that choose who takes part; all others are fields of a request. */
const PANEL_OPTIONS: readonly string[] = ["member", "size", "samples"];

export type ArmKind = keyof typeof ARMS;
const isArm = (name: string): name is ArmKind => Object.hasOwn(ARMS, name);

// Object.keys forgets which keys these are.
const ARM_KINDS = Object.keys(ARMS) as readonly ArmKind[];

/** The arms of a bench for which none are named. */
export const DEFAULT_ARMS: readonly string[] = ["single", "majority", "self-consistency", "ask", "council"];

export type NamedArm = { readonly name: string; readonly kind: ArmKind; readonly settings: ArmSettings };

/**
 * Reads arms: `council`, `council:risk-averse`, or `careful=council:risk-averse+mode=vote`. An option without a name is
 * the arm's main one.
 * @throws Fault `configuration` that names the nearest for a name that is none, or comes twice
 */
export function readArms(written: readonly string[]): NamedArm[] {
  if (written.length === 0) throw refusal("no arm is named", `there are ${ARM_KINDS.join(", ")}`);
  const arms = written.map((text): NamedArm => {
    const [, name, kind = "", options = ""] = /^(?:([^=:]+)=)?([^:=]*)(?::(.+))?$/s.exec(text) ?? [];
    if (!isArm(kind))
      throw refusal(
        `"${(kind || text).slice(0, 40)}" is not an arm`,
        `did you mean ${findNearest(kind || text, ARM_KINDS)}? There are ${ARM_KINDS.join(", ")}`,
      );
    return { name: name ?? text, kind, settings: readOptions(options, ARMS[kind].option) };
  });
  for (const [index, { name }] of arms.entries()) {
    if (name.length > 60)
      throw refusal(`the arm ${name.slice(0, 40)}… has a long name`, "use at most 60 characters");
    if (arms.findIndex((other) => other.name === name) !== index)
      throw refusal(`the arm ${name} is named twice`, "name it once, or give one another name: NAME=ARM");
  }
  return arms;
}

/** `a+key=value`, where `a` is the value of `main`; whole numbers are read as such. */
const readOptions = (written: string, main: string): ArmSettings =>
  Object.fromEntries(
    written === ""
      ? []
      : written.split("+").map((option) => {
          const [, key = main, value = ""] = /^(?:([a-z-]+)=)?(.*)$/s.exec(option) ?? [];
          const field = key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
          return [field, /^\d+$/.test(value) ? Number(value) : value];
        }),
  );

/** An arm with everything that its deliberations stand on but the question. */
export type PreparedArm = {
  readonly arm: BenchArm;
  readonly asked: (task: BenchTask) => NewDeliberation;
  /** A name for the deliberation on this question: the same for all that it stands on being the same, its cap aside. */
  readonly request: (task: BenchTask) => string;
  readonly rule?: DraftRule;
};

export type ArmSpec = {
  readonly arm: NamedArm;
  readonly panel: Panel;
  /** How often self-consistency asks where the arm does not say. */
  readonly samples: number;
};

/** @throws Fault as `prepareOpening` does, and for an option that is none of the arm's */
export async function prepareArm(
  context: AppContext,
  { arm, panel, samples }: ArmSpec,
): Promise<PreparedArm> {
  const { name, kind } = arm;
  const row: ArmRow = ARMS[kind];
  const own = row.panel?.(panel, arm.settings, samples) ?? panel;
  const options = Object.fromEntries(
    Object.entries(arm.settings).filter(([key]) => !(row.panel && PANEL_OPTIONS.includes(key))),
  );
  const { protocol, settings: protocolSettings } = row;
  const request: StartRequest = {
    ...(protocol === undefined ? {} : { protocol }),
    ...{ question: "?", reactions: false, ...options },
  };
  await checkRequest(context.protocols, request);
  if (kind === "pack" && !("pack" in options))
    throw refusal(`the arm ${name} names no pack`, "name one: pack:risk-review");
  const changed = { ...context, settings: { ...context.settings, ...requestSettings(options) } };
  const { opening } = await prepareOpening(
    changed,
    { ...request, protocolSettings },
    kind === "pack" ? {} : { panel: own }, // A pack's members are its own.
  );
  const participants = row.seats?.(opening.participants) ?? opening.participants;
  const prepared = pinArm(context, {
    name,
    what: [row.what(own), ...Object.entries(options).map(([key, value]) => `${key} ${value}`)].join(", "),
    deliberates: row.deliberates,
    opening: { ...opening, participants },
    keys: "bench",
  });
  return { ...prepared, ...(row.rule === undefined ? {} : { rule: row.rule }) };
}

type ArmParts = Pick<BenchArm, "name" | "what" | "deliberates"> & {
  /** An opening whose question, context, seed and budget each task replaces. */
  readonly opening: NewDeliberation;
  /** What the names of its deliberations begin with. */
  readonly keys: string;
  /** By default the seed of the settings, else a new one for each deliberation. */
  readonly seedFor?: (task: BenchTask) => string;
};

/** An arm whose deliberations all open alike. */
export function pinArm(
  { settings, world }: Pick<AppContext, "settings" | "world">,
  { opening, keys, name, what, deliberates, seedFor = () => settings.seed ?? world.id() }: ArmParts,
): PreparedArm {
  const openingOf = ({ question, context }: BenchTask) => ({
    ...opening,
    question,
    context: context === undefined ? [] : [{ name: "context", text: context }],
  });
  return {
    arm: {
      name,
      what,
      protocol: `${opening.protocol.name}@${opening.protocol.version}`,
      seats: opening.participants.map(({ seat, model }) => ({ seat, model })),
      deliberates,
    },
    asked: (task) => ({ ...openingOf(task), seed: seedFor(task), budget: {} }),
    request(task) {
      const { budget: _budget, seed: _seed, ...pinned } = openingOf(task);
      return `${keys}/${digestOf({ ...pinned, seed: settings.seed ?? null })}`;
    },
  };
}

/**
 * Members that are one model, with one persona. Each is told which sample it is: that keeps a cache from answering for
 * the model, and makes samples differ where the model takes no temperature.
 */
function asSamples(participants: readonly BenchParticipant[]): BenchParticipant[] {
  const [first] = participants;
  return first === undefined
    ? []
    : participants.map((_, index) => ({
        ...first,
        id: ParticipantId.parse(`sample-${index + 1}`),
        ...(first.model.startsWith("recorded/") && index > 0
          ? { model: parseModelRef(`${first.model}@${index + 1}`) }
          : {}),
        persona: {
          name: `Sample ${index + 1}`,
          instructions: `${first.persona.instructions}\n\nThis is sample ${index + 1} of ${participants.length}: work it out afresh.`,
        },
        temperature: SAMPLING_TEMPERATURE,
      }));
}
