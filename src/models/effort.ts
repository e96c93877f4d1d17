import { EFFORTS, type WireName } from "../kernel/index.ts";
import type { LooseObject } from "./loose.ts";

// How each provider is asked for an effort, as its documentation has it on 2026-11-28
// (docs/decisions/2026-11-28-what-a-provider-takes.md). A model may take fewer words than its provider: what it refuses, it is
// asked without.

type EffortAsked = {
  readonly model: string;
  readonly effort: string;
  /** The longest reply in tokens, thinking included. */
  readonly room: number;
  /** Whether thinking can only be turned on and off, as was learned. */
  readonly onOff: boolean;
};

export type EffortFields = {
  readonly fields: LooseObject;
  /** What has the thinking shown as well. */
  readonly shows?: LooseObject;
  /** Thinking goes with the model's own temperature alone. */
  readonly fixesTemperature?: boolean;
};

type Row = {
  /** What the provider takes; any word where it is not known. */
  readonly words?: readonly string[];
  /** The fields of the body; null where the reply has no room to think. */
  readonly fields: (asked: EffortAsked) => EffortFields | null;
};

const words = (list: string): readonly string[] => list.split(" ");
const isOn = (effort: string): boolean => effort !== "none";
const plain = ({ effort }: EffortAsked): EffortFields => ({ fields: { reasoning_effort: effort } });

/** Anthropic asks for at least this much. */
const MIN_THINKING = 1_024;
/** How much of a reply is thinking, where a number of tokens is asked for; OpenRouter's shares for the same models. */
const SHARES: ReadonlyMap<string, number> = new Map(
  Object.entries({ low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95, max: 0.95 }),
);

/** Claude up to 4.5 thinks a number of tokens; later ones as much as they see fit, within the effort. */
function thinksInTokens(model: string): boolean {
  const [, major, minor = "0"] = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])/.exec(model) ?? [];
  if (major === undefined) return /claude-(?:\d|instant)/.test(model);
  return Number(major) < 4 || (Number(major) === 4 && Number(minor) < 6);
}

function claude({ model, effort, room }: EffortAsked): EffortFields | null {
  if (effort === "") return null; // nothing is asked for, and it thinks only where it is told to
  if (!isOn(effort)) return { fields: { thinking: { type: "disabled" } } };
  if (!thinksInTokens(model)) {
    const fields = { thinking: { type: "adaptive" }, output_config: { effort } };
    return { fields, shows: { thinking: { display: "summarized" } }, fixesTemperature: true };
  }
  const tokens = Math.max(MIN_THINKING, Math.floor(room * (SHARES.get(effort) ?? 0)));
  const thinking = { type: "enabled", budget_tokens: tokens };
  return tokens < room ? { fields: { thinking }, fixesTemperature: true } : null;
}

const byProvider: { readonly [provider: string]: Row } = {
  openai: { words: EFFORTS, fields: plain },
  anthropic: { words: words("none low medium high xhigh max"), fields: claude },
  google: {
    words: words("none minimal low medium high"),
    fields: (asked) => ({
      ...plain(asked),
      ...(isOn(asked.effort) && {
        shows: { extra_body: { google: { thinking_config: { include_thoughts: true } } } },
      }),
    }),
  },
  openrouter: { words: EFFORTS, fields: ({ effort }) => ({ fields: { reasoning: { effort } } }) },
  deepseek: {
    words: words("none low medium high max"),
    fields: ({ effort }) => ({
      fields: isOn(effort)
        ? { thinking: { type: "enabled" }, reasoning_effort: effort }
        : { thinking: { type: "disabled" } },
    }),
  },
  xai: { words: words("none low medium high xhigh"), fields: plain },
  groq: {
    words: words("none default low medium high"),
    fields: (asked) => ({
      ...plain(asked),
      ...(!asked.model.includes("gpt-oss") && { shows: { reasoning_format: "parsed" } }),
    }),
  },
  mistral: {
    words: words("none low medium high"),
    fields: (asked) =>
      asked.model.startsWith("magistral")
        ? { fields: { prompt_mode: isOn(asked.effort) ? "reasoning" : null } }
        : plain(asked),
  },
  together: {
    words: words("none low medium high"),
    fields: (asked) => {
      if (asked.model.includes("gpt-oss")) return plain(asked);
      const enabled = isOn(asked.effort);
      return { fields: { reasoning: { enabled }, ...(enabled && plain(asked).fields) } };
    },
  },
  ollama: {
    words: words("none on low medium high max"),
    fields: ({ effort, onOff }) => ({
      fields: { think: isOn(effort) && (effort === "on" || onOff ? true : effort) },
    }),
  },
};

const responses: Row = {
  fields: ({ effort }) => ({
    fields: { reasoning: { effort } },
    ...(isOn(effort) && {
      shows: { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] },
    }),
  }),
};

/** A server on the user's own machine fills in the model's template, which knows a switch. */
const ownServer: Row = {
  fields: (asked) => ({
    fields: { ...plain(asked).fields, chat_template_kwargs: { enable_thinking: isOn(asked.effort) } },
  }),
};

type EffortPlace = { readonly provider: string; readonly wire: WireName | "gemini"; readonly local: boolean };

/** Gemini up to 2.5 thinks a number of tokens, where -1 leaves it to the model. */
const ownGemini: Row = {
  fields: ({ model, effort, room }) => {
    const tokens = isOn(effort) ? Math.floor(room * (SHARES.get(effort) ?? 0.1)) : 0;
    const asked = /gemini-2/.test(model) ? { thinkingBudget: tokens } : { thinkingLevel: effort };
    const config = (fields: LooseObject) => ({ generationConfig: { thinkingConfig: fields } });
    return { fields: config(asked), ...(isOn(effort) && { shows: config({ includeThoughts: true }) }) };
  },
};

function rowFor({ provider, wire, local }: EffortPlace): Row {
  const named = Object.hasOwn(byProvider, provider) ? byProvider[provider] : undefined;
  if (wire === "gemini") return { ...ownGemini, ...(named?.words && { words: named.words }) };
  if (wire === "responses") return { ...responses, ...(named?.words && { words: named.words }) };
  if (wire === "anthropic" || wire === "ollama") return byProvider[wire] ?? { fields: plain };
  return named ?? (local && provider !== "lmstudio" ? ownServer : { fields: plain });
}

/** Why an effort cannot be asked for there; null where it can. */
export function refuseEffort(effort: string, place: EffortPlace): string | null {
  const { words: known } = rowFor(place);
  if (known ? known.includes(effort) : /^[a-z][a-z\d_-]{0,19}$/.test(effort)) return null;
  const said = effort.slice(0, 40);
  return `${place.provider} takes no effort "${said}" (it takes ${(known ?? EFFORTS).join(", ")})`;
}

export const effortFields = (place: EffortPlace, asked: EffortAsked): EffortFields | null =>
  rowFor(place).fields(asked);
