import * as z from "zod";

/** One thing that a story expects: what, whether it is so (null: it cannot be looked at), and what there is, or why not, in words. */
export const StoryCheck = z.strictObject({ what: z.string(), ok: z.boolean().nullable(), found: z.string() });
export type StoryCheck = z.infer<typeof StoryCheck>;

/** What became of one story. */
export const StoryReport = z.strictObject({
  file: z.string(),
  /** The story's own id, such as `S1`. */
  id: z.string(),
  title: z.string(),
  /** Whether no check fails. */
  ok: z.boolean(),
  simulated: z.boolean(),
  /** Whose memory it ran in: nobody else's. */
  user: z.string(),
  turns: z.array(
    z.strictObject({
      query: z.string(),
      /** The deliberation, for `parley show`. */
      deliberation: z.string(),
      /** As it was shown; null where there is none. */
      answer: z.string().nullable(),
      checks: z.array(StoryCheck),
    }),
  ),
  /** Of the story as a whole. */
  checks: z.array(StoryCheck),
});
export type StoryReport = z.infer<typeof StoryReport>;

/** What `parley story --json` prints. */
export const StoryReports = z.strictObject({ ok: z.boolean(), stories: z.array(StoryReport) });
export type StoryReports = z.infer<typeof StoryReports>;

/** Every check of a story: its turns', in order, then its own. */
export const checksOf = ({ turns, checks }: Pick<StoryReport, "turns" | "checks">): readonly StoryCheck[] => [
  ...turns.flatMap((turn) => turn.checks),
  ...checks,
];
