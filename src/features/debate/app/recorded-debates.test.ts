import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { debateConfig, readDebateFile } from "./dialectic/debate-file.ts";
import { debateRecord } from "../protocol/debate/view/debated.ts";
import { sectionOf } from "../protocol/debate/view/index.ts";
import { resultOf } from "../../../views/result.ts";
import { openConfigured } from "../../../../test/support/opened.ts";

const folder = fileURLToPath(new URL("../../../../../shared/data/dialectic-debates/", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "parley-recorded-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const CONFIGS = [
  "debate-config-openrouter.json",
  "debate_config1.json",
  "example3__debate-config.json",
  "kata1__debate-config-kata1.json",
  "task-queue__debate-config.json",
];

describe("another program's own configurations", () => {
  const there = existsSync(folder);
  if (!there) process.stdout.write("skipped: the recorded debates are not on this machine\n");

  it.skipIf(!there).each(CONFIGS)("%s runs as it is, its models mapped", async (name) => {
    const written = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      agents: { id: string; role: string; enabled?: boolean }[];
      debate: { rounds: number };
    };
    const place = { env: { HOME: home, PARLEY_HOME: home }, cwd: home };
    const { parley } = await openConfigured({ flags: { store: ":memory:" }, ...place });
    try {
      const run = await parley.start({
        protocol: "debate",
        question: readFileSync(join(folder, "kata1__kata1.md"), "utf8"),
        config: debateConfig(readDebateFile(join(folder, name), place), place),
        mapModels: "sim/ada?seed=1,sim/bo?seed=2,sim/cy?seed=3",
      });
      await run.outcome();
      const entries = await parley.read(run.id);
      const agents = written.agents.filter(({ enabled }) => enabled !== false);
      expect(resultOf(entries, { sectionOf })).toMatchObject({
        status: "answered",
        section: { rounds: written.debate.rounds },
      });
      const record = debateRecord(entries);
      expect(record.agents.map(({ id, role }) => [id, role])).toEqual(
        agents.map(({ id, role }) => [id, role]),
      );
      expect(record.requirements?.major.length).toBeGreaterThan(0);
      await parley.replay(run.id);
    } finally {
      await parley.close();
    }
  });
});
