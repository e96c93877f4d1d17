import type * as z from "zod";
import { readJsonLines, type Place } from "../config/index.ts";
import { Fault } from "../kernel/index.ts";
import { BenchLine, type BenchTask } from "../projections/index.ts";

const FORM = 'a line looks like {"question": "What is 17 * 23?", "answer": "391"}';

/**
 * The tasks of a file of JSON lines, each under an id: its own, else its place.
 * @throws Fault `configuration` for a line that is none, an id or a question that comes twice
 */
export const readBenchTasks = (file: string, here: Place): BenchTask[] => readTasks(file, here, BenchLine);

type TaskLine = z.ZodType<Pick<BenchTask, "question" | "context"> & { readonly id?: string | undefined }>;

/** As `readBenchTasks`, of lines of another form. @throws Fault `configuration` */
export function readTasks<S extends TaskLine>(
  file: string,
  here: Place,
  row: S,
): (z.output<S> & { readonly id: string })[] {
  const ids = new Map<string, string>();
  const questions = new Map<string, string>();
  const lines = readJsonLines({ file, kind: "file of tasks", row, form: FORM }, here);
  return lines.map(({ place, value }) => {
    const task = { ...value, id: value.id ?? `line ${place.slice(place.lastIndexOf(":") + 1)}` };
    const once = (seen: Map<string, string>, key: string, what: string) => {
      const before = seen.get(key);
      if (before !== undefined)
        throw new Fault("configuration", {
          why: `${place} has the same ${what} as ${before}`,
          next: "every task counts once; take one of them out",
        });
      seen.set(key, place);
    };
    once(ids, task.id, "id");
    once(questions, JSON.stringify([task.question, task.context ?? null]), "question");
    return task;
  });
}
