import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReference, type ModelRequest } from "../kernel/index.ts";
import { noUsage, type Attempt, type SendContext, type Transport } from "../kernel/transport.ts";
import { nameLeftOut, wantedBy } from "./asking.ts";
import { failAttempt, finalProblem, networkProblem, problemFromBody, type CallProblem } from "./failures.ts";
import { isObject, parseJson } from "./loose.ts";
import { environmentFor, runProgram, type ProgramEnd } from "./program-process.ts";
import { explainProblem, findProgram, OWN_CHOICE } from "./programs.ts";
import type { AgentProgram, InstalledProgram, ProgramReply } from "./programs.ts";
import { promptOf, systemTextOf } from "./program-prompt.ts";
import type { Variables } from "./proxy.ts";
import { createSecretFilter } from "./secret-filter.ts";

/** More output than this is no answer to a prompt. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
const MAX_THINKING_LENGTH = 4 * 2 ** 20;

/** What a user changes about a program. */
export type ProgramSettings = {
  /** Where it works, and what it may read there; else it has no tools, and an empty folder. An absolute path. */
  readonly folder?: string | undefined;
  /** Behind its own. */
  readonly arguments?: readonly string[] | undefined;
  /** More variables that it gets, by name. */
  readonly environment?: readonly string[] | undefined;
};

/** Asks the programs of agents that are installed here: one process a request, which has ended when the attempt has. */
export function createProgramTransport(
  env: Variables,
  settings: { readonly [name: string]: ProgramSettings } = {},
): Transport {
  return {
    async send(request, sending) {
      const found = findProgram(request.model, env);
      if (found === undefined || "reason" in found) {
        const words = found === undefined ? "there is no such program" : `${found.reason}; ${found.next}`;
        return failAttempt(finalProblem("refused", words), createSecretFilter([]));
      }
      const own = Object.hasOwn(settings, found.name) ? settings[found.name] : undefined;
      const place = await mkdtemp(join(tmpdir(), "parley-agent-"));
      try {
        return await ask(found, { request, sending, env, own, place });
      } finally {
        await rm(place, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
      }
    },
  };
}

type ProgramAsking = {
  readonly request: ModelRequest;
  readonly sending: SendContext;
  readonly env: Variables;
  readonly own: ProgramSettings | undefined;
  /** A folder for this one call. */
  readonly place: string;
};

async function ask({ name, program, path }: InstalledProgram, asking: ProgramAsking): Promise<Attempt> {
  const { request, sending, env, own = {}, place } = asking;
  const { model, effort } = readReference(request.model);
  const named = model.slice(name.length + 1);
  const filter = createSecretFilter(
    (own.environment ?? []).flatMap((variable) => env[variable]?.trim() || []),
  );
  const folder = own.folder ?? join(place, "empty");
  const systemFile = join(place, "system.txt");
  if (own.folder === undefined) await mkdir(folder);
  await writeFile(systemFile, systemTextOf(request), { mode: 0o600 });
  const call = {
    ...{ request, effort, systemFile, reads: own.folder !== undefined },
    model: named === OWN_CHOICE ? undefined : named,
  };
  const prompt = promptOf(request, program.takesSystem === true);

  const take = program.reader();
  let reply: ProgramReply = {};
  let cleaning = filter.open();
  let streamed = "";
  let thinking = "";
  let line = "";
  const give = (piece: string): void => {
    streamed += piece;
    if (piece !== "") sending.onText(piece);
  };
  const read = (text: string): boolean => {
    const lines = text.includes("\n") ? `${line}${text}`.split("\n") : [line + text];
    line = lines.pop() ?? "";
    for (const one of lines) {
      const begin = one.indexOf('{"');
      const event = begin < 0 ? undefined : parseJson(one.slice(begin));
      if (!isObject(event)) continue;
      const { text: said = "", thinking: thought = "", retract = false, reply: known } = take(event);
      reply = { ...reply, ...known };
      if (retract) {
        cleaning.end();
        cleaning = filter.open();
        streamed = "";
        sending.onRetract?.();
      }
      give(cleaning.push(said));
      if (thought === "" || thinking.length > MAX_THINKING_LENGTH) continue;
      thinking += filter.clean(thought);
      sending.onThinking?.(filter.clean(thought));
    }
    return reply.finish !== undefined || reply.problem !== undefined;
  };
  const end = await runProgram({
    ...{ path, folder, signal: sending.signal, maxBytes: MAX_OUTPUT_BYTES, onOutput: read },
    args: [...program.args(call), ...(own.arguments ?? [])],
    env: {
      ...environmentFor(env, [...program.variables, ...(own.environment ?? [])]),
      ...program.variablesSet?.(call),
    },
    input: program.input?.(prompt) ?? prompt,
  });
  read("\n");
  const { text, finish, problem, usage = noUsage } = reply;
  const wrong = problem ?? (finish === undefined ? problemOf(end, program) : undefined);
  if (wrong !== undefined) return failAttempt(explainProblem(wrong, name, program), filter, usage);
  give(cleaning.end());
  const whole = text === undefined ? streamed : filter.clean(text);
  if (streamed === "") give(whole);
  // The schema is in the prompt.
  const wanted = wantedBy(request).filter((one) => one !== "reply");
  const left = nameLeftOut(wanted, new Set(wanted));
  const without = effort === undefined || program.effort ? left : [...left, "effort"];
  return {
    ...{ ok: true, text: whole, toolCalls: [], finish: finish ?? "stop", usage },
    ...(thinking.trim() === "" ? {} : { thinking: { text: thinking.trim() } }),
    ...(without.length === 0 ? {} : { without }),
  };
}

/** Why a program gave no reply. */
function problemOf(end: ProgramEnd, { title, install }: AgentProgram): CallProblem {
  switch (end.how) {
    case "aborted":
      return finalProblem("cancelled", "given up");
    case "too-long":
      return finalProblem("unreadable", `${title} printed more than any answer has`);
    case "not-started":
      return finalProblem(
        "refused",
        `${title} could not be started: ${end.why}; install it again (${install})`,
      );
    case "finished":
    case "ended": {
      const code = end.how === "ended" ? end.code : null;
      const errors = end.how === "ended" ? end.errors : "";
      const how = `${title} ended${code === null ? "" : ` with exit code ${code}`} before its reply was whole`;
      if (errors === "" || code === 0) return networkProblem(errors === "" ? how : `${how}: ${errors}`);
      return problemFromBody({ message: `${how}: ${errors}` });
    }
  }
}
