import { expect, it } from "vitest";
import { scratch, type Scratch } from "../../../test/support/scratch.ts";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { EXIT } from "../exits.ts";

async function printed({ cwd, env, home }: Scratch, given: Record<string, unknown> = {}): Promise<string> {
  const { io, written } = commandIo({ cwd, env });
  expect(await commandNamed("config").run(io, given, [])).toBe(EXIT.answered);
  return written.stdout.replaceAll(home, "HOME");
}

it("shows every value of the critic and of memory, and the file that it came from", async () => {
  using place = scratch({
    "project/.parley/critic.yaml": "# ours\ntimeout: 5\n",
    ".config/parley/memory.yaml": "recall:\n  most: 4\n",
    "project/parley.yaml": "judge: sim/ada",
  });
  const rows = (await printed(place)).trimEnd().split("\n");
  const row = (key: string) => rows.find((one) => one.startsWith(`${key} `))?.replace(/ {2,}/, "  ");
  expect(row("judge")).toBe("judge  sim/ada  (HOME/project/parley.yaml:1)");
  expect(row("critic")).toBe("critic  auto  (default)");
  expect(row("critic.model")).toBe("critic.model  ollama/prometheus:7b  (default)");
  expect(row("critic.form")).toBe("critic.form  not set  (default)");
  expect(row("critic.timeout")).toBe("critic.timeout  5s  (HOME/project/.parley/critic.yaml:2)");
  expect(row("critic.rules.3")).toBe(
    'critic.rules.3  {"kind":"material","rubric":"material","when":{"tools":"any"}}  (default)',
  );
  expect(row("memory.recall.most")).toBe("memory.recall.most  4  (HOME/.config/parley/memory.yaml:2)");
  expect(row("memory.recall.weights.grade")).toBe("memory.recall.weights.grade  0.05  (default)");
  expect(rows.filter((one) => /^(critic|memory)\./.test(one))).toHaveLength(8 + 7 + 12);
});

it("says the same as JSON, whole", async () => {
  using place = scratch({
    "project/.parley/critic.yaml": "rules:\n  - {kind: a, when: {tools: any}, rubric: code}",
  });
  const read: unknown = JSON.parse(await printed(place, { json: true }));
  expect(read).toMatchObject({
    memory: { value: true, from: "default" },
    "critic.model": { value: "ollama/prometheus:7b", from: "default", name: "default" },
    "critic.rules.1": {
      value: { kind: "a", rubric: "code", when: { tools: "any" } },
      from: "project file",
      name: "HOME/project/.parley/critic.yaml:2",
    },
    "memory.retire-at": { value: 2, from: "default", name: "default" },
  });
});

it("shows what a file says on one line, without what would act on the screen", async () => {
  using place = scratch({
    "project/.parley/critic.yaml":
      'rules:\n  - kind: a\n    rubric: code\n    when: {question: ["\\e[31mred\\u202e\\u0007"]}\n',
  });
  const text = await printed(place);
  const row = text.split("\n").find((one) => one.startsWith("critic.rules.1"));
  expect(row).toMatch(/^[^\p{Cc}\u202e]+$/u);
});

it("doctor wraps what it found to a terminal's width, under itself", async () => {
  using place = scratch();
  const { io, written } = commandIo({ cwd: place.cwd, env: { ...place.env, OLLAMA_HOST: "127.0.0.1:1" } });
  const stdout = { terminal: true, color: false, columns: 40 };
  await commandNamed("doctor").run({ ...io, output: { ...io.output, stdout } }, {}, []);
  const lines = written.stdout.trimEnd().split("\n");
  expect(lines.filter((line) => line.length > 40 && / /.test(line.slice(6)))).toEqual([]);
  for (const line of lines) expect(line).toMatch(/^(ok {4}|FAIL {2}| {6})\S/);
  expect(lines.length).toBeGreaterThan(10);
});
