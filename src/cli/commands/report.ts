import { readDebateFile, type AgentEntry } from "../../interop/dialectic/debate-file.ts";
import { Fault } from "../../kernel/index.ts";
import { debateMarkdown } from "../../protocols/debate/report/markdown.ts";
import type { DebateRecord } from "../../protocols/debate/view/record.ts";
import { documentText, print, type Io, type Values } from "../command.ts";
import { checkReport, findDebate, readDebate, reportText } from "../debate-files.ts";
import type { REPORT } from "../options.ts";
import { writeInFolders } from "../output-file.ts";
import { withStore } from "../session.ts";

export async function report(
  io: Io,
  options: Values<typeof REPORT>,
  name = options.debate ?? "",
): Promise<void> {
  if (name === "") {
    const next = "parley report ID, or a result file of Dialectic's; parley list shows ids";
    throw new Fault("configuration", { why: "no debate is named", next });
  }
  const { config, json } = options;
  const file = options.output === undefined ? undefined : checkReport(options.output, io);
  const { agents = [], judge } = config === undefined ? {} : readDebateFile(config, io);
  const known = judge ? [...agents, judge] : agents;
  const write = async (read: DebateRecord) => {
    const record = completed(read, known);
    if (file !== undefined) writeInFolders(file, reportText(record, file), io);
    if (json || file === undefined)
      await print(
        io,
        { json },
        { value: record, words: (face) => documentText(debateMarkdown(record), face), readable: true },
      );
  };
  const inFile = readDebate(io, name);
  if (inFile) return write(inFile.record);
  return withStore(io, async (stored) => write((await findDebate(io, stored, name)).record));
}

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
