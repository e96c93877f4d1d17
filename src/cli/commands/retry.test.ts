import { scriptsOf } from "../../app/registry.ts";
import { features } from "../../features.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openConfigured } from "../../../test/support/opened.ts";
import type { StartRequest } from "../../app/start.ts";
import { createSim, simServer, type SimServer } from "../../sim/index.ts";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { openFakeServer } from "../../../test/support/fake-server.ts";
import { scratch } from "../../../test/support/scratch.ts";
import { EXIT } from "../exits.ts";

let sim: SimServer;
beforeAll(async () => {
  const listening = await simServer({
    host: "127.0.0.1",
    port: 0,
    key: undefined,
    sim: createSim({ scripts: scriptsOf(features) }),
  });
  if (!listening.ok) throw new Error(listening.reason);
  sim = listening.server;
});
afterAll(() => sim.close());
// Progress goes to the process itself, and not through `io`.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

const MODELS = ["openai/ada", "openai/bo?seed=2", "openai/cy?seed=3"];
const QUESTION = "What is 17 * 23?";

type Outage = { readonly of: RegExp; readonly status?: number };

/** A run over a model server of which some models refuse every key until it is mended, and the commands over it. */
async function lost(
  request: Omit<StartRequest, "question">,
  { of, status = 401 }: Outage,
  work: (on: {
    readonly id: string;
    readonly status: string;
    readonly mend: () => void;
    readonly calls: () => number;
    readonly run: (
      name: string,
      options?: object,
      id?: string,
    ) => Promise<{ exit: number; stderr: string; stdout: string }>;
  }) => Promise<void>,
): Promise<void> {
  let isMended = false;
  let calls = 0;
  await using server = await openFakeServer(async (response, { path, body }) => {
    calls += 1;
    const { model } = JSON.parse(body) as { model: string };
    if (!isMended && of.test(model)) {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          error: { message: "no entry", code: status === 401 ? "invalid_api_key" : "no_model" },
        }),
      );
      return;
    }
    const reply = await fetch(`${sim.url}${path}`, {
      ...{ method: "POST", body, headers: { "content-type": "application/json" } },
    });
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
    response.end(await reply.text());
  });
  const away = { OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" };
  using place = scratch(
    {},
    { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "sk-0123456789", ...away },
  );
  const { parley } = await openConfigured({ env: place.env, cwd: place.cwd, flags: {} });
  const first = await parley.start({ question: QUESTION, seed: "s", reactions: false, ...request });
  const { status: outcome } = await first.outcome();
  await parley.close();
  await work({
    ...{ id: first.id, status: outcome, mend: () => void (isMended = true), calls: () => calls },
    async run(name, options = {}, id = first.id) {
      const { io, written } = commandIo(place);
      const exit = await commandNamed(name).run(io, { quiet: false, ...options }, [id]);
      return { exit: Number(exit), ...written };
    },
  });
}

describe("retry", () => {
  it.each([
    ["a council that lost a member", { protocol: "council", models: MODELS }, /^bo/],
    ["a council that lost all", { protocol: "council", models: MODELS }, /./],
    ["an ask that lost a member", { protocol: "ask", models: MODELS }, /^cy/],
    ["a debate that lost an agent", { protocol: "debate", models: MODELS, rounds: 1 }, /^bo/],
    ["a respond that lost its model", { protocol: "respond", models: MODELS.slice(0, 1) }, /^ada/],
  ])("asks of %s what was lost, and adopts the rest", (_name, request, of) =>
    lost(request, { of }, async ({ id, status, mend, calls, run }) => {
      expect(status).not.toBe("answered");
      const before = calls();
      const still = await run("retry");
      expect(still.stderr).toMatch(new RegExp(`^from ${id}, \\d+ adopted, \\d+ asked anew$`, "m"));
      mend();
      const after = calls();
      expect(after).toBeGreaterThan(before);
      const { exit, stderr, stdout } = await run("retry", { json: true });
      const [, adopted, asked] = /^from \w+, (\d+) adopted, (\d+) asked anew$/m.exec(stderr) ?? [];
      expect(exit).toBe(EXIT.answered);
      expect(JSON.parse(stdout)).toMatchObject({ status: "answered", degraded: [], calls: Number(asked) });
      expect(calls() - after).toBe(Number(asked));
      // Nobody who answered is asked the same again.
      const kept = of.test("ada") ? 0 : request.protocol === "debate" ? 1 : 2;
      expect(Number(adopted)).toBeGreaterThanOrEqual(kept);
    }),
  );

  it("is what resume says of a failed run, and what stands under an answer that lacks a member", async () => {
    await lost({ protocol: "council", models: MODELS }, { of: /./ }, async ({ id, run }) => {
      const { stderr, exit } = await run("resume");
      expect(exit).toBe(EXIT.authentication);
      expect(stderr).toContain(`then parley retry ${id}, or ask again`);
    });
    await lost({ protocol: "council", models: MODELS }, { of: /^bo/ }, async ({ id, run, mend }) => {
      expect((await run("resume")).stderr).toContain(`parley retry ${id}`);
      mend();
      const { stderr } = await run("retry");
      expect(stderr.match(/parley retry/g)).toBeNull();
    });
  });

  it("says beforehand what it takes, and sends nothing for that", () =>
    lost({ protocol: "council", models: MODELS }, { of: /^bo/ }, async ({ run, calls }) => {
      const before = calls();
      const { stdout, stderr } = await run("retry", { dryRun: true });
      expect(stdout).toContain("Estimate of council");
      expect(stderr).toMatch(/of which \d+ recorded calls can be taken over/);
      const { reusable } = JSON.parse((await run("retry", { dryRun: true, json: true })).stdout) as {
        reusable: number;
      };
      // Two drafts and the chair's, and none of the member that was lost.
      expect(reusable).toBe(3);
      expect(calls()).toBe(before);
    }));

  it("is refused where nothing was lost so, and where the model refused what it was asked", async () => {
    await lost({ protocol: "council", models: MODELS }, { of: /^nobody/ }, async ({ run, calls }) => {
      const before = calls();
      await expect(run("retry")).rejects.toThrow(/lost no call by network, rate, overload or credentials/);
      await expect(run("retry", { dryRun: true })).rejects.toThrow(/there is nothing to ask anew/);
      expect(calls()).toBe(before);
    });
    const refused = { of: /^bo/, status: 404 };
    await lost({ protocol: "council", models: MODELS }, refused, async ({ status, run }) => {
      expect(status).toBe("answered-degraded");
      expect((await run("resume")).stderr).not.toContain("parley retry");
      await expect(run("retry")).rejects.toThrow(/lost no call/);
    });
  });

  it("leaves a plain fork the same: what was lost is asked anew, too", () =>
    lost({ protocol: "council", models: MODELS }, { of: /^bo/ }, async ({ mend, run }) => {
      mend();
      const { stderr, stdout } = await run("fork", { json: true, strategy: "novelty" });
      expect(JSON.parse(stdout)).toMatchObject({ status: "answered", degraded: [] });
      expect(stderr).toMatch(/^from \w+, 2 adopted, \d asked anew$/m);
    }));
});
