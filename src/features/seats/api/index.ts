import { Inbox } from "../../../contract/runs.ts";
import { operation, type HttpOperation } from "../../../server/operation.ts";

export const operations: readonly HttpOperation[] = [
  operation("getInbox", "GET inbox", {
    ...{ tag: "People", needs: "read", output: Inbox },
    summary: "List everything that waits for the caller",
    run: async ({ parley, caller: { principal } }) => ({ data: await parley.inbox({ principal }) }),
  }),
];
