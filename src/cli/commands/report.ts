import { readDebateFile, type AgentEntry } from "../../interop/dialectic/debate-file.ts";
import { Fault } from "../../kernel/index.ts";
import type { DebateRecord } from "../../protocols/debate/view/record.ts";
import { debateMarkdown } from "../../protocols/debate/report/markdown.ts";
import type { CommandModule, Io } from "../command.ts";
import { checkedReport, reportText } from "../debate-report.ts";
import { EXIT } from "../exits.ts";
import { debateInFile, namedDebate } from "../recorded-debate.ts";
import { withStore } from "../session.ts";
import { writeText } from "../text-output.ts";
import { textFlag } from "./judge-run.ts";

/** `parley report ID|FILE`: a debate, on the journal or in a file, as a document; what `--output` names is written over. */
export const run: CommandModule["run"] = async (io, [first], flags) => {
  const debate = first ?? textFlag(flags, "debate") ?? "";
  if (debate === "")
    throw new Fault("configuration", {
      why: "no debate is named",
      next: "parley report ID, or a result file of Dialectic's; parley list shows ids",
    });
  const file = textFlag(flags, "output");
  const printing = {
    output: file === undefined ? undefined : checkedReport(file, { flag: "--output", io }),
    json: flags["json"] === true,
  };
  const config = textFlag(flags, "config");
  const agents = config === undefined ? [] : agentsIn(config, io);
  const inFile = debateInFile(io, debate);
  if (inFile) return print(io, completed(inFile.record, agents), printing);
  return withStore(io, async (stored) =>
    print(io, completed((await namedDebate(io, stored, debate)).record, agents), printing),
  );
};

const agentsIn = (config: string, io: Io): readonly AgentEntry[] => {
  const { agents, judge } = readDebateFile(config, io);
  return [...agents, judge];
};

/** With what a configuration says of agents, where the record itself says nothing. */
function completed(record: DebateRecord, known: readonly AgentEntry[]): DebateRecord {
  const complete = (agent: DebateRecord["agents"][number]) => {
    const own = known.find(({ id }) => id === agent.id);
    return own
      ? {
          ...agent,
          name: agent.name === agent.id ? own.name : agent.name,
          role: agent.role ?? own.role,
          model: agent.model ?? own.model,
          temperature: agent.temperature ?? own.temperature,
        }
      : agent;
  };
  return {
    ...record,
    agents: record.agents.map(complete),
    judge: record.judge === null ? null : complete(record.judge),
  };
}

async function print(
  io: Io,
  record: DebateRecord,
  { output, json }: { readonly output: string | undefined; readonly json: boolean },
): Promise<number> {
  if (output !== undefined) writeText(output, reportText(record, output), io);
  if (json) await io.output.result(`${JSON.stringify(record, undefined, 2)}\n`);
  else if (output === undefined) await io.output.result(debateMarkdown(record));
  return EXIT.answered;
}
