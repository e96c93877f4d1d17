import {
  Annotation,
  DeliberationId,
  Engram,
  EngramId,
  OrganizationId,
  UserId,
  type MemoryScope,
} from "../kernel/index.ts";
import type { Vector } from "../memory/engram-store.ts";

export const scopeOf = (organization: string, user: string): MemoryScope => ({
  organization: OrganizationId.parse(organization),
  user: UserId.parse(user),
});

export const ada = scopeOf("local", "ada");

export const engramId = (id: string): EngramId => EngramId.parse(id);

export const conversation = (id: string): DeliberationId => DeliberationId.parse(id);

/** An episodic engram of Ada's, unless said otherwise. */
export const engram = (id: string, changes: Partial<Engram> = {}): Engram =>
  Engram.parse({
    id,
    type: "episodic",
    ...ada,
    question: `What is ${id}?`,
    summary: "",
    intent: "fact",
    entities: [],
    participant: "respondent",
    respondent: "A",
    models: ["sim/ada"],
    temperature: 0.5,
    deliberation: "d1",
    conversation: "c1",
    tools: false,
    at: "2026-01-01T00:00:00.000Z",
    ...changes,
  });

export const grade = (event: string, score: 1 | 2 | 3 | 4 | 5 = 4): Annotation =>
  said(event, { kind: "grade", score, feedback: "clear", rubric: "knowledge" });

export const said = (event: string, what: Annotation["what"]): Annotation =>
  Annotation.parse({ event, by: "sim/critic", at: "2026-01-02T00:00:00.000Z", what });

export const retired = (event: string): Annotation =>
  said(event, { kind: "retired", reason: "badly judged" });

/** Of length 1, at this angle (radians) from the first axis. */
export const atAngle = (angle: number, dimensions = 20): Vector => {
  const vector = new Float32Array(dimensions);
  vector[0] = Math.cos(angle);
  vector[1] = Math.sin(angle);
  return vector;
};

/** Numbers from 0 to 1 that are the same in each run (a linear congruential generator; Numerical Recipes, 7.1). */
export function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A direction at random, or one near `center`: `spread` 0 is the centre itself. */
export function direction(
  draw: () => number,
  { dimensions, center, spread = 1 }: { dimensions: number; center?: Vector; spread?: number },
): Vector {
  const values = Float32Array.from(
    { length: dimensions },
    (_, index) => (center?.[index] ?? 0) + spread * (draw() + draw() + draw() - 1.5),
  );
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.map((value) => value / length);
}
