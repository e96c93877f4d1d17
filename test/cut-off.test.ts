import { describe, expect, it } from "vitest";
import { agreeable, councilAsked, taskOf } from "./support/council-table.ts";
import { debateAsked, debaters } from "./support/debate-table.ts";
import { respondAsked } from "./support/respond-table.ts";
import type { NewDeliberation } from "../src/engine/index.ts";
import { isEvent } from "../src/kernel/index.ts";
import type { Script } from "../src/testing/scripted-models.ts";
import { stage } from "../src/testing/stage.ts";
import { ask } from "../src/features/ask/protocol/index.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { debate } from "../src/features/debate/protocol/debate/index.ts";
import { respond } from "../src/features/respond/protocol/index.ts";

/** A reply that reached its limit within its number, and the same one that did not. */
const half = (finish: string) => ({ text: "It is 17 times 23.\nFinal answer: 39", finish });
/** A letter is whole, whatever comes behind it. */
const letter = { text: "Final answer: (B)", finish: "length" };

async function finalsOf(asked: NewDeliberation, script: Script) {
  const on = stage({ protocols: [ask, council, debate, respond], script });
  const { entries: events } = await on.play(asked);
  return events.flatMap((event) =>
    isEvent(event, "answer-given") || isEvent(event, "synthesis-given")
      ? [{ kind: event.type === "answer-given" ? event.data.kind : "synthesis", final: event.data.final }]
      : [],
  );
}

type Reply = { readonly text: string; readonly finish: string };

const councilOf = (task: string, reply: Reply): Script => {
  const usual = agreeable(["ada", "bob", "cyd", "chair"]);
  return Object.fromEntries(
    Object.entries(usual).map(([name, line]) => [
      name,
      (request, nth) =>
        taskOf(request) === task ? reply : typeof line === "function" ? line(request, nth) : "",
    ]),
  );
};

const runs: readonly (readonly [
  kind: string,
  what: string,
  run: (reply: Reply) => ReturnType<typeof finalsOf>,
])[] = [
  ["draft", "a council's draft", (reply) => finalsOf(councilAsked(), councilOf("draft", reply))],
  ["synthesis", "a council's synthesis", (reply) => finalsOf(councilAsked(), councilOf("synthesis", reply))],
  ["response", "a respondent's answer", (reply) => finalsOf(respondAsked(), { first: reply })],
  [
    "proposal",
    "a debate's proposal",
    (reply) => finalsOf(debateAsked(), debaters({ ada: { proposal: () => reply } })),
  ],
  [
    "refinement",
    "a debate's refinement",
    (reply) => finalsOf(debateAsked(), debaters({ ada: { refinement: () => reply } })),
  ],
  [
    "synthesis",
    "a debate's solution as it was written",
    (reply) => finalsOf(debateAsked(), debaters({ judge: { synthesis: () => reply, repair: () => reply } })),
  ],
];

describe("a reply that reached its limit of tokens", () => {
  it.each(runs)("%s: no number is read from half of one (%s)", async (kind, _, run) => {
    const ofKind = async (reply: Reply) =>
      (await run(reply)).filter((one) => one.kind === kind).map(({ final }) => final);
    const number = { kind: "number", value: "39" };
    expect(await ofKind(half("stop"))).toContainEqual(number);
    expect(await ofKind(half("length"))).not.toContainEqual(number);
    expect(await ofKind(letter)).toContainEqual({ kind: "choice", value: "B" });
  });
});
