import { ForkEstimate } from "../../contract/figures.ts";
import {
  Answered,
  AnswersBody,
  Cancelled,
  FeedbackBody,
  FeedbackReply,
  Replayed,
  Waiting,
} from "../../contract/runs.ts";
import { openOnce } from "../opening.ts";
import { deletion, opening, operation, type HttpOperation } from "../operation.ts";
import { Problem, Refused } from "../problem.ts";
import { readAll } from "../results.ts";
import { cancelRun, readWaiting, recordAnswer, resumeRun } from "../steering.ts";
import { OfRun } from "./deliberations.ts";
import { ForkBody } from "./schemas.ts";

const TAG = "Actions";

export const actionOperations: readonly HttpOperation[] = [
  operation("cancelDeliberation", "POST deliberations/{id}/cancel", {
    ...{ tag: TAG, needs: "write", params: OfRun },
    summary: "Close an open deliberation for good",
    output: Cancelled,
    tools: [
      {
        name: "cancel",
        title: "Cancel a deliberation",
        place: 9,
        hints: { destructiveHint: true, idempotentHint: true },
        words: ({ id, status, cancelled }) =>
          cancelled ? `${id} is cancelled.` : `${id} had ended: ${status}.`,
      },
    ],
    run: (me, { id }) => cancelRun(me, me.caller.principal, id),
  }),
  deletion("forgetDeliberation", "deliberations/{id}", {
    ...{ tag: TAG, needs: "write", params: OfRun },
    summary: "Forget a deliberation that has ended, with what memory took; what it cost still counts",
    done: "It is forgotten",
    async run({ parley, drives, caller: { principal } }, { id }) {
      await drives.forget((await readAll(parley, principal, id)).id, principal);
    },
  }),
  opening("resumeDeliberation", "deliberations/{id}/resume", {
    ...{ tag: TAG, needs: "write", params: OfRun },
    summary: "Go on with an open deliberation, whoever opened it",
    replies: { 409: Problem },
    tools: [{ name: "resume", title: "Resume a deliberation", place: 10, hints: { idempotentHint: true } }],
    run: (me, { id }) => resumeRun(me, me.caller.principal, id),
  }),
  opening("forkDeliberation", "deliberations/{id}/fork", {
    ...{ tag: TAG, needs: "write", params: OfRun },
    body: ForkBody,
    example: { without: ["b"] },
    summary: "Run a deliberation again with changes; steps that they do not affect are reused",
    headers: { "Idempotency-Key": "A name for the request: a repeat of it joins the same fork." },
    status: 201,
    replies: { 402: Problem },
    tools: [
      {
        name: "fork",
        title: "Fork a deliberation",
        place: 11,
        fields: [
          ...["id", "without", "upToSeq", "retry", "maxCostUsd", "maxCalls"],
          ...["chair", "strategy", "goal", "mode", "effort"],
        ],
      },
    ],
    async run(me, { id: given, ...changes }) {
      me.checkDepth();
      const { id } = await readAll(me.parley, me.caller.principal, given);
      return openOnce(me, me.named({ fork: id, ...changes }), (named) =>
        me.parley.openFork(id, { ...(changes as object), request: named.request }, named),
      );
    },
  }),
  operation("estimateFork", "POST deliberations/{id}/fork/estimate", {
    ...{ tag: TAG, needs: "read", params: OfRun },
    body: ForkBody,
    example: { without: ["b"] },
    summary: "Say what a fork would take without any reuse, and how many calls it can reuse",
    output: ForkEstimate,
    replies: { 402: Problem },
    async run({ parley, caller: { principal } }, { id: given, ...changes }) {
      const { id } = await readAll(parley, principal, given);
      return parley.estimateFork(id, changes as object, { principal });
    },
  }),
  operation("replayDeliberation", "POST deliberations/{id}/replay", {
    ...{ tag: TAG, needs: "read", params: OfRun },
    summary: "Run again from the journal, without models, and compare",
    output: Replayed,
    replies: { 409: Problem },
    async run({ parley, caller: { principal } }, { id: given }) {
      const { id } = await readAll(parley, principal, given);
      return parley.replay(id, { principal });
    },
  }),
  operation("getWaiting", "GET deliberations/{id}/waiting", {
    ...{ tag: "People", needs: "read", params: OfRun },
    summary: "List the questions and the caller's own seats that wait for an answer",
    output: Waiting,
    async run(me, { id: given }) {
      const { principal } = me.caller;
      const { id } = await readAll(me.parley, principal, given);
      return readWaiting(me, principal, id);
    },
  }),
  operation("answer", "POST deliberations/{id}/answers", {
    ...{ tag: "People", needs: "write", params: OfRun },
    body: AnswersBody,
    example: { step: "protocol/review-ada", text: "Ranking: A, B" },
    summary:
      "Pass on a person's answers to questions (answers), or to the person's own seat (text, abstain); the first answer stands",
    output: Answered,
    replies: { 409: Problem },
    tools: [
      {
        name: "answer",
        title: "Answer for a person",
        place: 8,
        hints: { idempotentHint: true },
        read: readAnswer,
        words: (_, { id }) => `It is recorded. Call wait with {"id": "${String(id)}"}.`,
      },
    ],
    run: (me, { id, ...body }) => recordAnswer(me, me.caller.principal, { id, body }),
  }),
  operation("giveFeedback", "POST deliberations/{id}/feedback", {
    ...{ tag: "People", needs: "write", params: OfRun },
    body: FeedbackBody,
    example: { thumb: "up", text: "It held." },
    summary: "Record what a person thinks of an answer (thumb, text), or how it turned out (outcome)",
    output: FeedbackReply,
    status: 201,
    tools: [
      {
        name: "feedback",
        title: "Rate an answer",
        place: 12,
        words: ({ status }) => `The feedback is ${status}.`,
      },
    ],
    async run({ parley, caller: { principal } }, { id: given, ...feedback }) {
      if (Object.values(feedback).every((value) => value === undefined)) {
        const detail = "the feedback says nothing";
        const next = "give thumb, text or outcome";
        throw new Refused({ status: 422, code: "invalid-request", detail, next });
      }
      const { id } = await readAll(parley, principal, given);
      return parley.feedback(id, feedback, { principal });
    },
  }),
];

/** An answer as a tool takes it: the fields of all its forms beside each other. */
function readAnswer({ id, step, ...said }: Readonly<Record<string, unknown>>): object {
  const [[name, value] = [], ...others] = Object.entries(said);
  if (name === undefined || others.length > 0) {
    const detail = "give one of answers, text and abstain";
    const next = "see what waits with the tool wait";
    throw new Refused({ status: 422, code: "invalid-request", detail, next });
  }
  return { id, [name]: value, ...(name === "answers" ? {} : { step }) };
}
