import { ModelRef, type NewEvent, type Opening } from "../../src/kernel/index.ts";
import {
  byStep,
  opened,
  participantId,
  sampleCall,
  sampleMember,
  stepKey,
  type Sample,
} from "./sample-council.ts";

/** What everybody in a sample debate says; hostile samples put their texts here. */
export type DebateSaid = {
  readonly problem?: string;
  readonly question?: string;
  readonly answer?: string;
  readonly text?: string;
  readonly point?: string;
  readonly tool?: string;
  readonly why?: string;
};

const agent = (id: string, name: string) =>
  sampleMember(id, { seat: "agent", persona: { ...sampleMember(id).persona, name }, temperature: 0.5 });

const opening = (said: DebateSaid): Partial<Opening> => ({
  question: said.problem ?? "# A queue for jobs\n\nIt must lose none. It should be cheap.",
  protocol: { name: "debate", version: 1 },
  settings: { roles: { architect: "architect", tester: "testing" } },
  participants: [
    agent("architect", "System Architect"),
    agent("tester", "Testing Engineer"),
    sampleMember("judge", {
      seat: "judge",
      persona: { ...sampleMember("judge").persona, name: "The Judge" },
    }),
  ],
});

/** Two agents, two rounds and a judge; the second critique of round 1 is lost, and round 2 carries what there was. */
export function sampleDebate(said: DebateSaid = {}, changes: Partial<Opening> = {}): Sample {
  const sample = opened({ ...opening(said), ...changes });
  const text =
    said.text ?? "Keep jobs in one table:\n\n```sql\nSELECT 1;\n```\n\n## Requirements Coverage\n\nAll.";
  const point = said.point ?? "one table is slower than a broker";
  const add = (event: NewEvent, key: string, afterMs = 1_000) => sample.add(event, byStep(key), afterMs);
  const answer = (kind: "proposal" | "refinement", round: number, id: string) =>
    add(
      {
        type: "answer-given",
        data: {
          by: participantId(id),
          kind,
          round,
          text: `${text}\n\n(${kind} ${round} of ${id})`,
          final: null,
          coverage: id === "architect",
          call: sampleCall(text),
        },
      },
      `round-${round}/${kind}/${id}`,
    );
  const critique = (round: number, [by, of]: readonly [string, string], target: string) =>
    add(
      {
        type: "critique-given",
        data: { by: participantId(by), of: stepKey(target), text, call: sampleCall(text) },
      },
      `round-${round}/critique/${by}/of/${of}`,
    );
  const note = (topic: string, body: DataOfNote, key: string) =>
    add({ type: "note-taken", data: { topic, reason: topic, body, call: sampleCall("{}") } }, key);
  add(
    {
      type: "note-taken",
      data: {
        topic: "requirements",
        reason: "1",
        body: { major: [said.point ?? "It must lose none."], minor: [] },
      },
    },
    "requirements",
  );
  add(
    {
      type: "clarification-asked",
      data: {
        by: participantId("architect"),
        questions: [
          { id: "1-architect-1", text: said.question ?? "How many jobs a minute?" },
          { id: "1-architect-2", text: said.question ?? "Which database is there?" },
        ],
        call: sampleCall("{}"),
      },
    },
    "clarify-1/architect",
  );
  sample.add(
    {
      type: "clarification-answered",
      data: { answers: [{ id: "1-architect-1", text: said.answer ?? "A hundred thousand." }] },
    },
    { by: "client", request: "clarification-1" },
  );
  answer("proposal", 1, "architect");
  answer("proposal", 1, "tester");
  add(
    {
      type: "tool-called",
      data: {
        by: participantId("tester"),
        tool: "file_read",
        arguments: { path: said.tool ?? "docs/queue.md" },
        result: said.tool ?? "The queue of today.",
      },
    },
    "round-1/proposal/tester/tool-1",
  );
  critique(1, ["architect", "tester"], "round-1/proposal/tester");
  add(
    {
      type: "degradation-noted",
      data: {
        what: "the critique by Testing Engineer of System Architect",
        why: said.why ?? "network: connection reset",
        weakens: "its author refines with one critique less",
        participant: participantId("tester"),
      },
    },
    "round-1/critique/tester/of/architect",
  );
  answer("refinement", 1, "tester");
  note("confidence", { confidence: 55, reason: point }, "round-1/confidence");
  add(roundClosed(1), "round-1/closed");
  add(
    {
      type: "summary-made",
      data: {
        for: participantId("tester"),
        method: "length-based",
        charactersBefore: 12_000,
        charactersAfter: text.length,
        text,
        round: 2,
        temperature: 0.5,
        call: sampleCall(text),
      },
    },
    "round-2/summary/tester",
  );
  critique(2, ["architect", "tester"], "round-1/refinement/tester");
  critique(2, ["tester", "architect"], "round-1/proposal/architect");
  answer("refinement", 2, "architect");
  answer("refinement", 2, "tester");
  note("confidence", { confidence: 80, reason: point }, "round-2/confidence");
  add(roundClosed(2), "round-2/closed");
  add(
    {
      type: "synthesis-given",
      data: {
        by: participantId("judge"),
        text,
        final: null,
        strategy: null,
        dissent: [],
        insights: [],
        vetoed: [],
        claims: { ok: false, reason: "not asked for" },
        assessment: {
          confidence: 85,
          tradeoffs: [point],
          recommendations: [point, "measure it"],
          unfulfilledMajorRequirements: [],
          openQuestions: [point],
        },
        call: sampleCall(text),
      },
    },
    "synthesis/judge",
  );
  sample.add(
    {
      type: "deliberation-closed",
      data: { outcome: "answered-degraded", answer: stepKey("synthesis/judge"), control: null },
    },
    { by: "close", after: [] },
  );
  return sample;
}

type DataOfNote = Extract<NewEvent, { type: "note-taken" }>["data"]["body"];

const roundClosed = (round: number): NewEvent => ({
  type: "round-closed",
  data: { round, in: [], culled: [], revised: [], proceeded: [], agreement: null },
});

/** A debate that was opened, and nothing more; by simulated models. */
export const emptyDebate = (): Sample =>
  opened({
    ...opening({}),
    participants: [
      sampleMember("architect", { seat: "agent", model: ModelRef.parse("sim/ada"), family: null }),
    ],
  });
