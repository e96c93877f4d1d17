// Programs of agents that answer on their user's subscription: how each is started for one reply without tools, and what its lines say.

import type { ModelRequest } from "../kernel/index.ts";
import { noUsage, type Usage } from "../kernel/transport.ts";
import { finalProblem, problemFromBody, type CallProblem } from "./failures.ts";
import { findOnPath } from "./program-process.ts";
import type { Variables } from "./proxy.ts";
import { firstCount, isObject, objectAt, toCount, toObject, toText, type LooseObject } from "./loose.ts";

export type ProgramCall = {
  /** The program's own name of the model; undefined for the one that it would take itself. */
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly request: ModelRequest;
  readonly systemFile: string;
  /** Whether it works in a folder of the user's, which it may read. */
  readonly reads: boolean;
};

/** What a program's reply is known to be so far; of several events, the later fields count. */
export type ProgramReply = {
  /** The whole reply, where it is not what was taken piece by piece. */
  readonly text?: string | undefined;
  /** Undefined where the reply has not come to its end. */
  readonly finish?: string | undefined;
  readonly problem?: CallProblem | undefined;
  readonly usage?: Usage;
};

/** What an event adds to the reply and to the thinking, and what it says of the reply. `retract`: all text so far was no reply. */
type ProgramPiece = {
  readonly text?: string;
  readonly thinking?: string;
  readonly retract?: boolean;
  readonly reply?: ProgramReply;
};

export type AgentProgram = {
  readonly title: string;
  readonly install: string;
  readonly login: string;
  /** Says whether somebody is logged in, by its exit code; absent if it has no such command. */
  readonly status?: readonly string[];
  /** Variables of its own: where it keeps its settings and its login. Keys of APIs are none of them. */
  readonly variables: readonly string[];
  /** The system text goes to it apart from the prompt. */
  readonly takesSystem?: true;
  /** How it is asked for an effort, where it can be. */
  readonly effort?: true;
  args(call: ProgramCall): readonly string[];
  variablesSet?(call: ProgramCall): { readonly [name: string]: string };
  /** The prompt as its standard input has it; by default as it is. */
  input?(prompt: string): string;
  /** Reads one reply, event by event. An event that does not count says nothing. */
  reader(): (event: LooseObject) => ProgramPiece;
};

const model = (flag: string, call: ProgramCall) => (call.model === undefined ? [] : [flag, call.model]);
const effort = (flag: string, call: ProgramCall) => (call.effort === undefined ? [] : [flag, call.effort]);

/** Parts of Codex that act or bring tools along, and its waiting for a network without end. One that a version does not know it passes over. */
const CODEX_OFF =
  "shell_tool unified_exec apps hooks multi_agent plugins goals image_generation browser_use computer_use view_image sleep_tool tool_suggest skill_search unbounded_connection_retries".split(
    " ",
  );
const CODEX_READS: readonly string[] = ["shell_tool", "unified_exec"];

const codex: AgentProgram = {
  title: "Codex",
  install: "npm install -g @openai/codex",
  login: "codex login",
  status: ["login", "status"],
  variables: ["CODEX_HOME"],
  effort: true,
  args: (call) => [
    ...["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"],
    ...["--ignore-user-config", "--ignore-rules", "-c", 'web_search="disabled"'],
    ...CODEX_OFF.filter((name) => !(call.reads && CODEX_READS.includes(name))).flatMap((name) => [
      ...["-c", `features.${name}=false`],
    ]),
    ...(call.effort === undefined ? [] : ["-c", `model_reasoning_effort="${call.effort}"`]),
    ...model("-m", call),
    "-",
  ],
  reader: () => {
    let text: string | undefined;
    return (event) => {
      const item = objectAt(event, "item");
      switch (event["type"]) {
        case "item.completed":
          if (item["type"] === "reasoning") return { thinking: `${toText(item["text"])}\n` };
          if (item["type"] !== "agent_message") return {};
          // What it says before its last message is on the way there.
          const thinking = text === undefined ? "" : `${text}\n`;
          text = toText(item["text"]);
          return { thinking, reply: { text } };
        case "turn.completed":
          const usage = usageOf(event["usage"], { cached: "cached_input_tokens", all: true });
          return { reply: { finish: "stop", usage } };
        case "turn.failed":
          return { reply: { problem: codexProblem(toText(objectAt(event, "error")["message"])) } };
        default:
          return {};
      }
    };
  },
};

/** Codex says the status of what it was answered in words. */
function codexProblem(words: string): CallProblem {
  const status = Number(/\bunexpected status (\d{3})\b/.exec(words)?.[1] ?? 0);
  return problemFromBody({ message: words || "the turn failed", ...(status > 0 ? { status } : {}) });
}

const claude: AgentProgram = {
  title: "Claude Code",
  install: "npm install -g @anthropic-ai/claude-code",
  login: "claude auth login",
  status: ["auth", "status"],
  variables: ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"],
  takesSystem: true,
  effort: true,
  args: (call) => [
    ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...["--tools", call.reads ? "Read,Grep,Glob" : "", "--strict-mcp-config", "--setting-sources", ""],
    ...["--disable-slash-commands", "--no-session-persistence", "--system-prompt-file", call.systemFile],
    ...effort("--effort", call),
    ...model("--model", call),
  ],
  variablesSet: ({ request }) => ({
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(request.maxOutputTokens),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  reader: () => {
    let streamed = "";
    return (event) => {
      if (event["type"] === "stream_event") {
        const inner = objectAt(event, "event");
        if (inner["type"] === "message_start" && streamed !== "") {
          // What it says before it uses a tool is on the way to the reply.
          const thinking = `${streamed}\n`;
          streamed = "";
          return { thinking, retract: true };
        }
        const delta = objectAt(inner, "delta");
        if (delta["type"] === "thinking_delta") return { thinking: toText(delta["thinking"]) };
        const text = delta["type"] === "text_delta" ? toText(delta["text"]) : "";
        streamed += text;
        return { text };
      }
      if (event["type"] !== "result") return {};
      const { result, subtype, stop_reason: stop, is_error: isError, api_error_status: status } = event;
      const message = toText(result) || toText(subtype);
      const fields = { cached: "cache_read_input_tokens", written: "cache_creation_input_tokens" };
      const usage = usageOf(event["usage"], fields);
      const end = { finish: stop === "max_tokens" ? "length" : "stop", usage };
      return isError === true || subtype !== "success"
        ? { reply: { ...end, problem: problemFromBody({ message, status }) } }
        : { reply: { ...end, text: toText(result) || streamed } };
    };
  },
};

const agy: AgentProgram = {
  title: "Antigravity CLI",
  install: "see https://antigravity.google/docs/cli/install/",
  login: "agy",
  variables: ["AGY_CLI_DISABLE_AUTO_UPDATE"],
  args: (call) => [
    ...["--input-format", "stream-json", "--output-format", "stream-json", "--sandbox"],
    ...model("--model", call),
  ],
  input: (prompt) => `${JSON.stringify({ event: "user", message: { content: prompt } })}\n`,
  reader: () => {
    let streamed = "";
    return (event) => {
      const step = objectAt(event, "step_update");
      // The last update of a step brings the last piece, or all of it again.
      const piece = step["step_type"] === "agent_response" ? toText(step["text_delta"]) : "";
      const isWhole = step["state"] === "DONE" && piece.startsWith(streamed);
      streamed = isWhole ? piece : streamed + piece;
      if (event["event"] !== "result") return {};
      const { status, response, error, usage: used } = objectAt(event, "result");
      const fields = { cached: "cache_read_tokens", thought: "thinking_tokens", all: true } as const;
      const end = { finish: "stop", usage: usageOf(used, fields) };
      return status === "SUCCESS"
        ? { reply: { ...end, text: toText(response) || streamed } }
        : { reply: { ...end, problem: problemFromBody({ message: toText(error) || toText(status) }) } };
    };
  },
};

const opencode: AgentProgram = {
  title: "opencode",
  install: "npm install -g opencode-ai",
  login: "opencode auth login",
  variables: ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
  takesSystem: true,
  effort: true,
  args: (call) => [
    ...["run", "--format", "json", "--pure", "--thinking", "--agent", "parley"],
    ...effort("--variant", call),
    ...model("-m", call),
  ],
  variablesSet: ({ systemFile, reads }) => {
    const may = reads ? { read: "allow", grep: "allow", glob: "allow", list: "allow" } : {};
    const permission = { "*": "deny", ...may };
    const tools = { "*": false, ...Object.fromEntries(Object.keys(may).map((name) => [name, true])) };
    const agent = { mode: "primary", prompt: `{file:${systemFile}}`, tools, permission };
    const config = { agent: { parley: agent }, permission, share: "disabled", autoupdate: false };
    return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_AUTOUPDATE: "1" };
  },
  reader: () => {
    const texts: string[] = [];
    let sum: Usage = noUsage;
    const plus = (before: number | null, ...more: (number | null)[]): number | null =>
      more.includes(null) ? before : more.reduce<number>((all, one) => all + (one ?? 0), before ?? 0);
    return (event) => {
      const part = objectAt(event, "part");
      switch (event["type"]) {
        case "text":
          texts.push(toText(part["text"]));
          return { reply: { text: texts.filter((text) => text !== "").join("\n\n") } };
        case "reasoning":
          return { thinking: `${toText(part["text"])}\n` };
        case "step_finish": {
          const { cost, reason, tokens: used } = part;
          const { input, output, reasoning } = toObject(used);
          const { read, write } = objectAt(used, "cache");
          const [cached, thought] = [toCount(read) ?? 0, toCount(reasoning) ?? 0];
          const { tokens, usd } = sum;
          sum = {
            tokens: {
              in: plus(tokens.in, toCount(input), cached, toCount(write) ?? 0),
              out: plus(tokens.out, toCount(output), thought),
              ...{ cached: plus(tokens.cached, cached), reasoning: plus(tokens.reasoning, thought) },
            },
            // What it reckons with the price of an API; 0 with a subscription.
            usd: typeof cost === "number" && cost > 0 ? plus(usd, cost) : usd,
          };
          const finish = reason === "length" ? "length" : reason === "tool-calls" ? undefined : "stop";
          return { reply: { usage: sum, finish } };
        }
        case "error": {
          const error = objectAt(event, "error");
          const { message, statusCode } = objectAt(error, "data");
          const words = toText(message) || toText(error["name"]);
          const problem = problemFromBody({ message: words, status: statusCode });
          // So it says that it does not know a provider or a model.
          const isUnknown = error["name"] === "UnknownError" && /^unexpected server error/i.test(words);
          return { reply: { problem: isUnknown ? finalProblem("refused", words) : problem } };
        }
        default:
          return {};
      }
    };
  },
};

/** By the first segment of a reference: `codex/default`, `claude/sonnet`, `opencode/anthropic/claude-sonnet-5`. */
export const agentPrograms: ReadonlyMap<string, AgentProgram> = new Map(
  Object.entries({ codex, claude, agy, opencode }),
);

/** What a reference names for the model that a program takes itself. */
export const OWN_CHOICE = "default";

export type InstalledProgram = {
  readonly name: string;
  readonly program: AgentProgram;
  readonly path: string;
};

/** The program that answers for a reference and where it is, or why there is none; undefined for references to anything else. */
export function findProgram(
  ref: string,
  env: Variables,
): InstalledProgram | { readonly reason: string; readonly next: string } | undefined {
  const name = ref.split("/", 1)[0] ?? "";
  const program = agentPrograms.get(name);
  if (program === undefined) return undefined;
  const path = findOnPath(name, env);
  if (path !== undefined) return { name, program, path };
  const { title, install, login } = program;
  return {
    reason: `${title} (${name}) is not on your PATH`,
    next: `install it (${install}), then log in: ${login}`,
  };
}

type UsageFields = {
  readonly cached: string;
  readonly written?: string;
  readonly thought?: string;
  /** Whether `input_tokens` has the cached ones. */
  readonly all?: true;
};

function usageOf(
  value: unknown,
  { cached, written = "", thought = "reasoning_output_tokens", all }: UsageFields,
): Usage {
  if (!isObject(value)) return noUsage;
  const fromCache = toCount(value[cached]);
  const tokensIn = toCount(value["input_tokens"]);
  const more = all === true ? 0 : (fromCache ?? 0) + (toCount(value[written]) ?? 0);
  return {
    tokens: {
      in: tokensIn === null ? null : tokensIn + more,
      out: toCount(value["output_tokens"]),
      cached: fromCache,
      reasoning: firstCount(value[thought]),
    },
    usd: null,
  };
}

const LOGGED_OUT =
  /not logged in|logged out|\/login\b|please (?:run|log|sign)|(?:log|sign)[ -]?in (?:again|required|to)|authentication (?:required|failed)|authentication_failed|not signed in|missing bearer|token (?:has )?(?:expired|been revoked)|refresh token|\b401 unauthorized/i;
/** A plan's own limit, which lasts for hours or days. */
const USED_UP =
  /(?:hit|reached|exceeded) your (?:[\w-]+ ){0,3}limit|usage limit|session limit|weekly limit|limit (?:will )?resets?|quota (?:exceeded|exhausted|reached)|resource_exhausted|resource has been exhausted/i;
const OLD =
  /unexpected argument|unknown (?:option|argument|command)|unrecognized (?:option|subcommand)|flag provided but not defined/i;

/** What a program said went wrong, with what can be done about it. */
export function explainProblem(
  problem: CallProblem,
  name: string,
  { login, title }: AgentProgram,
): CallProblem {
  const { words } = problem;
  const final = (code: CallProblem["code"], advice: string): CallProblem => ({
    ...{ ...finalProblem(code, words), advice },
  });
  if (USED_UP.test(words))
    return final(
      "rate-limited",
      `this is the limit of your plan with ${title}: wait for its reset, or use another model`,
    );
  if (LOGGED_OUT.test(words) || problem.code === "unauthorised")
    return final("unauthorised", `log in: ${login}`);
  if (OLD.test(words)) return final("refused", `update ${title}`);
  if (problem.code === "refused")
    return final(
      "refused",
      `name another model: ${name}/${OWN_CHOICE} is the one that ${title} takes itself`,
    );
  return problem;
}
