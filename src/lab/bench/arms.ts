import { findNearest } from "../../text/words.ts";
import { digestOf, type NewDeliberation } from "../../engine/index.ts";
import { Fault, ParticipantId } from "../../kernel/index.ts";
import type { BenchArm } from "./report.ts";
import type { BenchTask } from "./row.ts";
import { pluralize } from "../../text/format.ts";
import { prepareOpening, type StartRequest } from "../../app/start.ts";
import type { Panel } from "../../engine/opening-part.ts";
import type { AppContext } from "../../app/context.ts";

type BenchParticipant = NewDeliberation["participants"][number];

/** One way to answer questions, as the settings of a protocol. */
type ArmRow = {
  readonly what: (panel: Panel) => string;
  readonly protocol: string;
  readonly settings?: StartRequest["protocolSettings"];
  /** Whether anything is called beyond the drafts. */
  readonly deliberates: boolean;
  /** Who takes part; by default everybody. */
  readonly panel?: (panel: Panel, samples: number) => Panel;
  /** What is changed about those who do. */
  readonly seats?: (participants: readonly BenchParticipant[]) => BenchParticipant[];
};

/** Drafts and their vote, and no call beyond; a quorum that is meant for the whole panel does not hold for it. */
const DRAFTS = { protocol: "ask", settings: { effort: 1, quorum: undefined }, deliberates: false } as const;
const membersOnly = (members: Panel["members"]): Panel => ({ members, chairs: [], judges: [], notes: [] });

/** As Wang et al. 2023 (Self-Consistency, ICLR) draw their samples, where a model takes a temperature at all. */
const SAMPLING_TEMPERATURE = 0.7;

/** Every arm: one line each. */
const ARMS = {
  single: {
    ...DRAFTS,
    what: ({ members: [model] }) => `one call of ${model}`,
    panel: ({ members }) => membersOnly(members.slice(0, 1)),
  },
  majority: {
    ...DRAFTS,
    what: ({ members }) => `independent drafts of ${pluralize(members.length, "member")} and their vote`,
    panel: ({ members }) => membersOnly(members),
  },
  "self-consistency": {
    ...DRAFTS,
    what: ({ members: [model, ...rest] }) =>
      `${pluralize(rest.length + 1, "sample")} of ${model} and their vote`,
    panel: ({ members }, samples) =>
      membersOnly(Array.from({ length: samples }, () => members.slice(0, 1)).flat()),
    seats: asSamples,
  },
  ask: {
    what: () => "independent drafts; escalates only if they disagree",
    protocol: "ask",
    deliberates: true,
  },
  council: {
    what: () => "independent drafts, anonymous reviews, a chair's synthesis",
    protocol: "council",
    deliberates: true,
  },
} satisfies { readonly [name: string]: ArmRow };

export type ArmName = keyof typeof ARMS;
const isArm = (name: string): name is ArmName => Object.hasOwn(ARMS, name);

// Object.keys forgets which keys these are.
const ARM_NAMES = Object.keys(ARMS) as readonly ArmName[];

/** @throws Fault `configuration` that names the nearest for a name that is none, or comes twice */
export function armNames(names: readonly string[]): ArmName[] {
  const refuse = (why: string, next: string) => new Fault("configuration", { why, next });
  if (names.length === 0) throw refuse("no arm is named", `there are ${ARM_NAMES.join(", ")}`);
  return names.map((name, index) => {
    if (!isArm(name))
      throw refuse(
        `"${name.slice(0, 40)}" is not an arm`,
        `did you mean ${findNearest(name, ARM_NAMES)}? There are ${ARM_NAMES.join(", ")}`,
      );
    if (names.indexOf(name) !== index) throw refuse(`the arm ${name} is named twice`, "name it once");
    return name;
  });
}

/** An arm with everything that its deliberations stand on but the question. */
export type PreparedArm = {
  readonly arm: BenchArm;
  readonly asked: (task: BenchTask) => NewDeliberation;
  /** A name for the deliberation on this question: the same for all that it stands on being the same, its cap aside. */
  readonly request: (task: BenchTask) => string;
};

export type ArmSpec = {
  readonly name: ArmName;
  readonly panel: Panel;
  /** How often self-consistency asks. */
  readonly samples: number;
};

/** @throws Fault as `prepare` does */
export async function prepareArm(
  context: AppContext,
  { name, panel, samples }: ArmSpec,
): Promise<PreparedArm> {
  const row: ArmRow = ARMS[name];
  const own = row.panel?.(panel, samples) ?? panel;
  const { protocol, settings: protocolSettings } = row;
  const request = { protocol, question: "?", protocolSettings, reactions: false };
  const { opening } = await prepareOpening(context, request, { panel: own });
  const participants = row.seats?.(opening.participants) ?? opening.participants;
  return pinArm(context, {
    name,
    what: row.what(own),
    deliberates: row.deliberates,
    opening: { ...opening, participants },
    keys: "bench",
  });
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
        persona: {
          name: `Sample ${index + 1}`,
          instructions: `${first.persona.instructions}\n\nThis is sample ${index + 1} of ${participants.length}: work it out afresh.`,
        },
        temperature: SAMPLING_TEMPERATURE,
      }));
}
