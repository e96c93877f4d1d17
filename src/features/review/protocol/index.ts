import {
  defineProtocol,
  failedPart,
  fanOut,
  leaveRoomFor,
  type DryDesk,
  type FanOut,
  type FanOutMember,
  type ProtocolContext,
  type StepOutcome,
} from "../../../engine/index.ts";
import {
  StepKey,
  type Closing,
  type Event,
  type Json,
  type ModelRequest,
  type Participant,
} from "../../../kernel/index.ts";
import { textNamed } from "../../../protocols/phases/measure.ts";
import { modelParams, readReply } from "../../../protocols/phases/reply.ts";
import { readUnifiedDiff, type ChangedFile } from "../../../text/unified-diff.ts";
import { mergeFindings } from "./merge.ts";
import {
  checkPrompt,
  checksSchema,
  checkTemplate,
  findingsSchema,
  findPrompt,
  findTemplate,
  hearPrompt,
  hearTemplate,
  standsSchema,
  type Labelled,
  type ReviewMaterial,
} from "./prompts.ts";
import { readChecks, readFindings, readStands, type ReplyItems } from "./replies.ts";
import { decide, findDisputed, objectors, type ReviewDecision, type ReviewEvidence } from "./verdict.ts";
import {
  KINDS,
  ReviewSettings,
  TOPICS,
  type By,
  type FindingCheck,
  type ReviewFinding,
  type MergedFinding,
  type Stand,
} from "./work.ts";

/** The engine's JSON for what our own types hold: texts, numbers, lists and records. */
const asJson = (value: unknown): Json => value as Json;

/**
 * Members look for faults by themselves, each checks what the others raised, and is heard where the others do not bear it out.
 * `verdict.ts` decides on what they said; no model does.
 */
export const review = defineProtocol<ReviewSettings>({
  name: "review",
  version: 1,
  summary: "Review a change: several models find and check, and a rule decides",
  seats: [{ name: "reviewer", filledBy: "reviewers", min: 1, max: 26 }],
  settings: ReviewSettings,
  templates: [findTemplate, checkTemplate, hearTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  async deliberate(context) {
    const { settings } = context;
    const diff = readUnifiedDiff(textNamed(context, "diff") ?? "");
    if (!diff.ok) return close(context, nothing(`the diff cannot be read from ${diff.reason} on`));
    if (diff.files.length === 0) return close(context, nothing("there is no change to review"));
    const unseen = [
      ...settings.unseen,
      ...diff.files.filter(({ isBinary }) => isBinary).map(({ path }) => ({ path, why: "it is binary" })),
    ];
    const desk = { context, material: materialIn(context, diff.files) };
    const found = await find(desk);
    const reviewers = found.in.map(({ member }) => member.by);
    const raised = saidBy(found);
    const { findings } = await merge(context, raised, diff.files);
    const evidence = { findings, reviewers: reviewers.map(({ id }) => id), unseen, checks: [], stands: [] };
    // Fewer are needed for a verdict: what else is asked would change nothing.
    if (reviewers.length < settings.rules.reviewers) return close(context, decide(evidence, settings.rules));
    const checks = await check(desk, reviewers, findings);
    const stands = await hear(desk, reviewers, { findings, checks });
    return close(context, decide({ ...evidence, checks, stands }, settings.rules), evidenceOf(found));
  },
});

type ReviewDesk = { readonly context: ProtocolContext<ReviewSettings>; readonly material: ReviewMaterial };

type SeatedReviewer = FanOutMember & { readonly by: Participant };

const nothing = (why: string): ReviewDecision => ({ verdict: "inconclusive", why, findings: [] });

const materialIn = (
  { context, settings }: ProtocolContext<ReviewSettings>,
  files: readonly ChangedFile[],
): ReviewMaterial => ({ files, context, instructions: settings.rules.instructions });

/** Whether nobody is missing, for the closing. */
const evidenceOf = ({ out, cut }: FanOut<SeatedReviewer, unknown>): { readonly isWhole: boolean } => ({
  isWhole: out.length + cut.length === 0,
});

/** Every reviewer by itself. */
function find({ context, material }: ReviewDesk) {
  const members = context
    .seats("reviewer")
    .map((by): SeatedReviewer => ({
      ...{ id: by.id, by },
      request: {
        ...askFrom(context, by),
        reply: findingsSchema,
        messages: findPrompt(context, { material, persona: context.instructions(by) }),
      },
    }));
  // Without checks nothing would be confirmed: they are part of what a review takes.
  leaveRoomFor(context.run, TOPICS.check, () => members.map(({ request }) => request));
  return askAll<ReviewFinding>(context, {
    ...{ name: TOPICS.find, members, what: "the review", read: () => readFindings },
    least: context.settings.rules.reviewers,
    dry: ({ course }, id) =>
      JSON.stringify({
        findings:
          course === "shortest"
            ? []
            : [
                dryFinding(
                  material.files,
                  members.findIndex((one) => one.id === id),
                ),
              ],
      }),
  });
}

/** The findings of all as one list, under ids. */
async function merge(
  { run }: Pick<ProtocolContext, "run">,
  raised: readonly By<ReviewFinding>[],
  files: readonly ChangedFile[],
): Promise<ReturnType<typeof mergeFindings>> {
  const merged = mergeFindings(raised, files);
  await run.derive(
    { key: TOPICS.merge, outcomes: ["note-taken"], work: { kind: TOPICS.merge }, input: asJson({ raised }) },
    () => ({
      type: "note-taken",
      data: {
        topic: TOPICS.merge,
        reason: "what several raised is one finding, and what is not about the change is none",
        body: asJson(merged),
      },
    }),
  );
  return merged;
}

/** Each reviewer says of all findings that it did not raise whether it bears them out. */
async function check(
  { context, material }: ReviewDesk,
  reviewers: readonly Participant[],
  findings: readonly MergedFinding[],
): Promise<readonly By<FindingCheck>[]> {
  const labelled = labelFor(context, reviewers, (id) => findings.filter((one) => !isOwn(one, id)));
  const members = reviewers.flatMap((by): SeatedReviewer[] => {
    const own = labelled.get(by.id) ?? [];
    if (own.length === 0) return [];
    const asked = { material, persona: context.instructions(by), labelled: own };
    const messages = checkPrompt(context, asked);
    return [{ id: by.id, by, request: { ...askFrom(context, by), reply: checksSchema, messages } }];
  });
  const done = await askAll<FindingCheck>(context, {
    ...{ name: TOPICS.check, members, what: "the check" },
    read: (id) => (reply) => readChecks(reply, idsByLabel(labelled.get(id) ?? [])),
    // On the longest course nobody bears out what others say, and all of it is heard.
    dry: ({ course }, id) => {
      const verdict = course === "longest" ? "reject" : "confirm";
      const checks = (labelled.get(id) ?? []).map(({ label }) => ({ finding: label, verdict, why: "dry" }));
      return JSON.stringify({ checks });
    },
  });
  return saidBy(done);
}

/** Whoever raised what the others do not bear out says whether it stands by it. */
async function hear(
  { context, material }: ReviewDesk,
  reviewers: readonly Participant[],
  { findings, checks }: Pick<ReviewEvidence, "findings" | "checks">,
): Promise<readonly By<Stand>[]> {
  const { rules } = context.settings;
  const disputed = findDisputed(findings, checks, rules);
  const labelled = labelFor(context, reviewers, (id) =>
    disputed.filter((one) => objectors(one, rules).includes(id)),
  );
  const members = reviewers.flatMap((by): SeatedReviewer[] => {
    const own = labelled.get(by.id) ?? [];
    if (own.length === 0) return [];
    const asked = { material, persona: context.instructions(by), by: by.id, labelled: own, checks };
    const messages = hearPrompt(context, asked);
    return [{ id: by.id, by, request: { ...askFrom(context, by), reply: standsSchema, messages } }];
  });
  const done = await askAll<Stand>(context, {
    ...{ name: TOPICS.hear, members, what: "the answer to objections" },
    read: (id) => (reply) => readStands(reply, idsByLabel(labelled.get(id) ?? [])),
    dry: (_, id) => {
      const stands = (labelled.get(id) ?? []).map(({ label }) => ({
        finding: label,
        stand: "keep",
        why: "dry",
      }));
      return JSON.stringify({ stands });
    },
  });
  return saidBy(done);
}

/** What all of them said, each with who said it. */
const saidBy = <T>({ in: heard }: FanOut<SeatedReviewer, readonly T[]>): readonly By<T>[] =>
  heard.flatMap(({ value, member }) => value.map((one) => ({ ...one, by: member.id })));

const isOwn = ({ raised }: MergedFinding, id: string): boolean => raised.some(({ by }) => by === id);

/** F1, F2, … in an order of this reviewer's own, so that no place favors a finding. */
function labelFindings(
  { shuffle }: Pick<ProtocolContext, "shuffle">,
  by: string,
  findings: readonly MergedFinding[],
): Labelled {
  const order = shuffle(
    `findings/${by}`,
    findings.map(({ id }) => id),
  );
  return order.flatMap((id, index) => {
    const finding = findings.find((one) => one.id === id);
    return finding ? [{ label: `F${index + 1}`, finding }] : [];
  });
}

const labelFor = (
  context: Pick<ProtocolContext, "shuffle">,
  reviewers: readonly Participant[],
  findingsOf: (id: string) => readonly MergedFinding[],
): ReadonlyMap<string, Labelled> =>
  new Map(reviewers.map(({ id }) => [id, labelFindings(context, id, findingsOf(id))]));

const idsByLabel = (labelled: Labelled): ReadonlyMap<string, string> =>
  new Map(labelled.map(({ label, finding }) => [label, finding.id]));

const askFrom = (
  { settings }: Pick<ProtocolContext<ReviewSettings>, "settings">,
  by: Participant,
): Omit<ModelRequest, "messages"> => modelParams(by, settings.maxOutputTokens);

type Round<T> = {
  readonly name: string;
  readonly members: readonly SeatedReviewer[];
  /** What is missing where it fails: `the review`. */
  readonly what: string;
  readonly least?: number;
  readonly read: (id: string) => (reply: string) => ReplyItems<T>;
  readonly dry: (desk: DryDesk, id: string) => string;
};

/** Asks these members at once. A reply that cannot be read leaves its member out. */
async function askAll<T extends ReviewFinding | FindingCheck | Stand>(
  { run, settings }: ProtocolContext<ReviewSettings>,
  { name, members, what, least, read, dry }: Round<T>,
): Promise<FanOut<SeatedReviewer, readonly T[]>> {
  if (members.length === 0) return { in: [], out: [], cut: [] };
  const { callTimeoutMs: timeoutMs, patienceMs } = settings;
  const work = { kind: name };
  return fanOut<SeatedReviewer, readonly T[]>(
    run,
    { name, work, members, least, patienceMs },
    async ({ id, by, request }, part) => {
      const event = await part.call<"note-taken" | "degradation-noted">(
        {
          ...{ key: `${name}/${id}`, outcomes: ["note-taken", "degradation-noted"], request, timeoutMs },
          work: { ...work, by: by.id },
          dry: { reply: (desk) => dry(desk, id) },
        },
        readReply<"note-taken">(
          {
            what: `${what} of ${by.persona.name}`,
            participant: by.id,
            weakens: "the verdict rests on one reviewer less",
          },
          // Of one that is cut off, what can be read may be what it quoted.
          (reply, { finish }) =>
            finish === "length"
              ? { unreadable: "it is cut off at its limit" }
              : noteOf(name, id, read(id)(reply)),
        ),
      );
      if (event.type === "degradation-noted") return failedPart(event);
      return { in: true, value: itemsIn<T>(event) };
    },
  );
}

function noteOf<T>(
  topic: string,
  by: string,
  read: ReplyItems<T>,
): StepOutcome<"note-taken"> | { readonly unreadable: string } {
  if (!read.ok) return { unreadable: read.why };
  const body = asJson({ by, items: read.items });
  return { type: "note-taken", data: { topic, reason: "as the reviewer said it", body } };
}

/** As `noteOf` has written them. */
const itemsIn = <T>({ data: { body } }: Event<"note-taken">): readonly T[] =>
  (body as unknown as { readonly items: readonly T[] }).items;

/** What a dry run takes for a finding of the nth reviewer: in the first place that the change shows, and another fault for each. */
function dryFinding(files: readonly ChangedFile[], nth: number) {
  const [file] = files;
  const line = file?.shown[0]?.from ?? null;
  return {
    ...{ file: file?.path ?? "", from_line: line, to_line: line },
    ...{ severity: "major", kind: KINDS[nth % KINDS.length], title: `dry${nth}`, why: "dry" },
  };
}

const OUTCOMES = { pass: "passed", block: "failed", inconclusive: "unknown" } as const;

/** Records the verdict, and closes on it. */
async function close(
  { run, settings }: ProtocolContext<ReviewSettings>,
  decision: ReviewDecision,
  { isWhole }: { readonly isWhole: boolean } = { isWhole: false },
): Promise<Closing> {
  const { verdict, why, findings } = decision;
  const key = StepKey.parse("verdict");
  const { rules, unseen } = settings;
  await run.derive(
    {
      key,
      outcomes: ["gate-decided"],
      work: { kind: "verdict" },
      input: asJson({ rules, unseen, decision }),
    },
    () => ({
      type: "gate-decided",
      data: {
        ...{ gate: "review", hard: true, outcome: OUTCOMES[verdict], mode: "tool_executed", because: why },
        metrics: { findings: asJson(findings) },
      },
    }),
  );
  const answer = { answer: key, control: null };
  if (verdict === "inconclusive") return { outcome: "inconclusive", why, best: answer };
  return { outcome: isWhole ? "answered" : "answered-degraded", ...answer };
}
