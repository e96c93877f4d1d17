import type { EffectiveSettings } from "../app/context.ts";
import { readContext, type ContextText } from "../config/input-files.ts";
import type { Io } from "./command.ts";
import { readStandardInput } from "./standard-input.ts";

/** A question as it was typed, and the texts of the files and the pipe that go with it. @throws Fault for one that cannot be read */
export async function attachments(
  io: Io,
  words: readonly string[],
  {
    flags,
    settings,
  }: {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly settings: Pick<EffectiveSettings, "maxContextBytes">;
  },
): Promise<{ readonly question: string; readonly texts: readonly ContextText[] }> {
  const question = words.join(" ").trim();
  const texts = await readContext({
    files: Array.isArray(flags["context"]) ? flags["context"].map(String) : [],
    stdin: question === "" ? undefined : await readStandardInput(io.output),
    maxBytes: settings.maxContextBytes,
    cwd: io.cwd,
    env: io.env,
  });
  return { question, texts };
}
