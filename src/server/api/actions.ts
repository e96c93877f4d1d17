import { ForkEstimate } from "../../contract/figures.ts";
import {
  Answered,
  AnswersBody,
  Cancelled,
  FeedbackBody,
  FeedbackReply,
  Opened,
  Replayed,
  Waiting,
} from "../../contract/runs.ts";
import { checkDepth, clientRequest, openOnce } from "../opening.ts";
import { Problem, Refused } from "../problem.ts";
import { readAll } from "../results.ts";
import { route, type ApiRoute } from "../route.ts";
import { cancelRun, readWaiting, recordAnswer, resumeRun } from "../steering.ts";
import { OfRun, openedReply, PREFER, REFUSALS } from "./deliberations.ts";
import { ForkBody, ResultOrOpened } from "./schemas.ts";

const TAG = "Actions";

export const actionRoutes: readonly ApiRoute[] = [
  route("post", "deliberations/{id}/cancel", {
    ...{ name: "cancelDeliberation", tag: TAG, needs: "write", params: OfRun },
    summary: "Close an open deliberation for good",
    replies: { 200: Cancelled, ...REFUSALS },
    handle: async ({ parley, caller: { principal }, params }) => ({
      status: 200,
      body: await cancelRun({ parley }, principal, params.id),
    }),
  }),
  route("delete", "deliberations/{id}", {
    ...{ name: "forgetDeliberation", tag: TAG, needs: "write", params: OfRun },
    summary: "Forget a deliberation that has ended, with what memory took; what it cost still counts",
    replies: { 204: { type: "", description: "It is forgotten" }, ...REFUSALS },
    async handle({ parley, drives, caller: { principal }, params }) {
      const { id } = await readAll(parley, principal, params.id);
      await drives.forget(id, principal);
      return { status: 204 };
    },
  }),
  route("post", "deliberations/{id}/resume", {
    ...{ name: "resumeDeliberation", tag: TAG, needs: "write", params: OfRun },
    summary: "Drive an open deliberation on, whoever opened it",
    headers: { Prefer: PREFER },
    replies: { 200: ResultOrOpened, 202: Opened, ...REFUSALS, 409: Problem },
    handle: async (call) => openedReply(call, await resumeRun(call, call.caller.principal, call.params.id)),
  }),
  route("post", "deliberations/{id}/fork", {
    ...{ name: "forkDeliberation", tag: TAG, needs: "write", params: OfRun, body: ForkBody },
    example: { without: ["b"] },
    summary: "Run again with changes; steps that they do not affect are reused",
    headers: {
      "Idempotency-Key": "A name for the request: a repeat of it joins the same fork.",
      Prefer: PREFER,
    },
    replies: { 200: ResultOrOpened, 201: Opened, 202: Opened, ...REFUSALS, 402: Problem },
    async handle(call) {
      const { body, parley, caller, params } = call;
      checkDepth(call, call);
      const { id } = await readAll(parley, caller.principal, params.id);
      const named = clientRequest(call, { fork: id, ...body });
      const begun = await openOnce(call, named, ({ request, ...rest }) =>
        parley.openFork(id, { ...(body as object), request }, rest),
      );
      return openedReply(call, begun, 201);
    },
  }),
  route("post", "deliberations/{id}/fork/estimate", {
    ...{ name: "estimateFork", tag: TAG, needs: "read", params: OfRun, body: ForkBody },
    example: { without: ["b"] },
    summary: "Say what a fork would take without any reuse, and how many calls it can reuse",
    replies: { 200: ForkEstimate, ...REFUSALS, 402: Problem },
    async handle({ parley, caller: { principal }, params, body }) {
      const { id } = await readAll(parley, principal, params.id);
      return { status: 200, body: await parley.estimateFork(id, body as object, { principal }) };
    },
  }),
  route("post", "deliberations/{id}/replay", {
    ...{ name: "replayDeliberation", tag: TAG, needs: "read", params: OfRun },
    summary: "Run again from the journal, without models, and compare",
    replies: { 200: Replayed, ...REFUSALS, 409: Problem },
    async handle({ parley, caller: { principal }, params }) {
      const { id } = await readAll(parley, principal, params.id);
      return { status: 200, body: await parley.replay(id, { principal }) };
    },
  }),
  route("get", "deliberations/{id}/waiting", {
    ...{ name: "getWaiting", tag: "People", needs: "read", params: OfRun },
    summary: "List the questions and the caller's own seats that wait for an answer",
    replies: { 200: Waiting, ...REFUSALS },
    async handle({ parley, caller: { principal }, params }) {
      const { id } = await readAll(parley, principal, params.id);
      return { status: 200, body: await readWaiting({ parley }, principal, id) };
    },
  }),
  route("post", "deliberations/{id}/answers", {
    ...{ name: "answer", tag: "People", needs: "write", params: OfRun, body: AnswersBody },
    example: { step: "protocol/review-ada", text: "Ranking: A, B" },
    summary: "Answer questions or a seat's step, or abstain from it; the first answer stands",
    replies: { 200: Answered, ...REFUSALS, 409: Problem },
    handle: async (call) => ({
      status: 200,
      body: await recordAnswer(call, call.caller.principal, { id: call.params.id, body: call.body }),
    }),
  }),
  route("post", "deliberations/{id}/feedback", {
    ...{ name: "giveFeedback", tag: "People", needs: "write", params: OfRun, body: FeedbackBody },
    example: { thumb: "up", text: "It held." },
    summary: "Rate an answer, or say how it turned out",
    replies: { 201: FeedbackReply, ...REFUSALS },
    async handle({ parley, caller: { principal }, params, body }) {
      if (Object.values(body).every((value) => value === undefined)) {
        const detail = "the feedback says nothing";
        const next = "give thumb, text or outcome";
        throw new Refused({ status: 422, code: "invalid-request", detail, next });
      }
      const { id } = await readAll(parley, principal, params.id);
      return { status: 201, body: await parley.feedback(id, body, { principal }) };
    },
  }),
];
