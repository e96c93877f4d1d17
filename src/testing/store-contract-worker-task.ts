import * as z from "zod";

/**
 * What another process does in the contract. `race`: every rival opens the deliberation and appends its
 * number under one step, then reports what was recorded. `write`: appends batches until its input ends, and
 * reports each one after it was acknowledged. `remember`: the same with engrams, their annotations and vectors.
 */
export const WorkerTask = z.discriminatedUnion("task", [
  z.strictObject({ task: z.literal("race"), number: z.int() }),
  z.strictObject({ task: z.literal("write"), number: z.int(), deliberations: z.array(z.string()) }),
  z.strictObject({ task: z.literal("remember"), number: z.int() }),
]);
export type WorkerTask = z.infer<typeof WorkerTask>;

export const WorkerJob = z.strictObject({
  open: z.strictObject({ module: z.string(), export: z.string(), args: z.array(z.json()) }),
  task: WorkerTask,
});

/** A line of a worker's output. */
export const WorkerReport = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("ready") }),
  z.strictObject({ is: z.literal("opened") }),
  z.strictObject({ is: z.literal("raced"), fresh: z.boolean(), bodies: z.array(z.json()) }),
  z.strictObject({ is: z.literal("acknowledged"), ids: z.array(z.string()) }),
]);
export type WorkerReport = z.infer<typeof WorkerReport>;
