/** A question of a trial; one without an answer is compared by judges. */
type TaskEntry = { readonly question: string; readonly answer?: string };

/** Reads one question a line, with its answer after the last ` => `. */
export function readTasks(text: string): readonly TaskEntry[] {
  return text.split("\n").flatMap((written) => {
    const line = written.trim();
    const at = line.lastIndexOf("=>");
    const question = at < 0 ? line : line.slice(0, at).trim();
    const answer = at < 0 ? "" : line.slice(at + 2).trim();
    if (question === "") return [];
    return [answer === "" ? { question } : { question, answer }];
  });
}
