import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openParley } from "../../../../test/support/opened.ts";
import { refusalOf, scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { preferring, seatIn } from "../../../../test/support/trial-table.ts";
import { textDigest } from "../../../engine/index.ts";
import { isEvent, Principal, Scope, type ModelRequest } from "../../../kernel/index.ts";
import { readFenced } from "../../../prompts/material.ts";
import { decideSigns, TRIAL_TEST, type Sign } from "../../../stats/sequential-sign-test.ts";
import { scripted } from "../../../testing/scripted-models.ts";
import { INSTRUCTION_PARTS } from "../../../text/instruction-parts.ts";
import { fileResources } from "../../../config/resources.ts";
import type { AppContext } from "../../../app/context.ts";
import { resume } from "../../../app/run.ts";
import { prepareOpening, start, type RequestSettings } from "../../../app/start.ts";
import { childIn, prepareChild, writeChild } from "./breed.ts";
import {
  acceptPersona,
  listVersions,
  recordEdit,
  retirePersona,
  rollBackPersona,
  readLineage,
} from "./record.ts";
import { openSummary, readFeedback } from "./feedback.ts";
import { isHeldOut } from "../../../app/personas/held-out.ts";
import { liveTest } from "../../../app/personas/live.ts";
import { fileStatus } from "../../../app/personas/seating.ts";
import { prepareTrial, verdictIn, type TrialTask } from "./trial.ts";

const PARTS = INSTRUCTION_PARTS.map((part) => `${part}: |\n  be CHILD in ${part}.\n`).join("");
const reading = { onUnreadable: () => undefined };
const textIn = ({ messages }: ModelRequest) => messages.map(({ text }) => text).join("\n");
const parents = ["analyst", "historian"];

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place[Symbol.dispose]());

/** Models of two families: councils with remarks, a writer, answers that say whose they are, and a judge. */
function models(childWins = 1) {
  const judge = preferring(childWins);
  const any = (request: ModelRequest, nth: number) => {
    const text = textIn(request);
    if (text.includes("identity-and-role: |")) return PARTS;
    if (text.includes('"unique": [{'))
      return JSON.stringify({
        strengths: [{ text: "It checks.", sources: [1] }],
        weaknesses: [],
        unique: [],
      });
    if (text.includes("Which answer to the question is better")) return judge(request);
    const labels = readFenced(text).flatMap(({ kind, label }) => (kind === "answer" ? [label] : []));
    if (text.includes("Then rank all"))
      return JSON.stringify({
        reviews: labels.map((label) => ({ label, strengths: [`clear ${nth}`], weaknesses: [`long ${nth}`] })),
        ranking: labels,
      });
    if (text.includes("You are the chair")) return "It depends.";
    return `I am ${seatIn(request)}.`;
  };
  return scripted({ ada: any, bob: any, cyd: any });
}

async function using(
  work: (context: AppContext, models: ReturnType<typeof scripted>) => Promise<void>,
  { organization = "local", ...request }: { readonly organization?: string } & RequestSettings = {},
  childWins = 1,
): Promise<void> {
  const own = models(childWins);
  await using parley = await openParley({
    ...{ store: `${place.home}/store.db`, env: {}, models: own, resources: fileResources(place) },
    settings: { models: ["sim/ada?family=a", "sim/bob?family=b"] },
  });
  const principal = Principal.parse({ organization, user: "ann", scopes: Scope.options });
  await work(parley.context(request, { principal }), own);
}

const asked = async (
  context: AppContext,
  question: string,
  personas = ["analyst", "historian", "pragmatist"],
) => {
  const run = await start(
    { ...context, settings: { ...context.settings, personas } },
    { question, protocol: "council", reactions: false },
    {},
  );
  await run.outcome();
  return run;
};

async function bred(context: AppContext, name = "Kid", again = false) {
  const prepared = await prepareChild(context, { parents, name, again }, reading);
  const { id } = await prepared.open();
  const run = await resume(context, id, {});
  await run.outcome();
  const child = childIn(run.recorded());
  if (!child) throw new Error("there is no child");
  return { child, ...writeChild(context, child, { parents: prepared.parents, folder: folder() }) };
}

const folder = () => `${place.home}/.config/parley/personas`;
const kidPath = () => `${folder()}/kid.yaml`;

const FREE = Array.from({ length: 200 }, (_, nth) => `What of the plan number ${nth} for us?`);
const free = FREE.filter((question) => !isHeldOut("local", question));
const held = FREE.filter((question) => isHeldOut("local", question));

describe("breeding", () => {
  it("makes a child with an id, a file and a lineage by digest", () =>
    using(async (context, own) => {
      await asked(context, free[0] ?? "");
      await asked(context, held[0] ?? "");
      const { child, path, fresh } = await bred(context);
      expect([path, fresh, child.id]).toEqual([kidPath(), true, "kid"]);
      const prompt = textIn(
        own.calls.find(({ request }) => textIn(request).includes("identity-and-role: |"))?.request ??
          ({ messages: [] } as never),
      );
      expect(prompt).toContain("Strength: clear");
      expect(prompt).not.toContain(held[0]);
      const analyst = context.resources.persona("analyst");
      expect(child.lineage).toMatchObject({
        bred: expect.any(String),
        model: "sim/ada?family=a",
        parents: [
          {
            id: "analyst",
            version: textDigest(analyst.instructions),
            feedback: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
          { id: "historian" },
        ],
      });
      const again = await bred(context);
      expect([again.fresh, again.path, again.child]).toEqual([false, path, child]);
    }));

  it("refuses parents and names before anything is asked", () =>
    using(async (context, own) => {
      const why = (request: Parameters<typeof prepareChild>[1]) =>
        refusalOf(() => prepareChild(context, request, reading), place);
      expect(await why({ parents: ["analyst"] })).toContain("two or three parents (got 1)");
      expect(await why({ parents: ["analyst", "analyst"] })).toContain("(got 1)");
      expect(await why({ parents: ["analyst", "historian", "inventor", "empiricist"] })).toContain("(got 4)");
      expect(await why({ parents: ["analyst", "histrian"] })).toContain("historian");
      expect(await why({ parents, name: "Pragmatist" })).toContain("built-in persona Pragmatist");
      expect(await why({ parents, name: "  pragMATIST " })).toContain("built-in persona Pragmatist");
      expect(await why({ parents, name: "!!!" })).toContain("no letter");
      expect(own.count()).toBe(0);
    }));

  it("refuses a parent that is retired, or bred in another organization", async () => {
    await using(async (context) => {
      await bred(context);
      await using(async (fresh) => {
        await retirePersona(fresh, fresh.resources.persona("kid"), "old");
        await using(async (now) =>
          expect(
            await refusalOf(
              () => prepareChild(now, { parents: ["kid", "analyst"], name: "X" }, reading),
              place,
            ),
          ).toContain("retired"),
        );
      });
    });
    const other = readFileSync(kidPath(), "utf8").replace(/^retired:[^]*$/m, "");
    writeFileSync(kidPath(), other);
    await using(
      async (context) =>
        expect(
          await refusalOf(
            () => prepareChild(context, { parents: ["kid", "analyst"], name: "X" }, reading),
            place,
          ),
        ).toContain("another organization"),
      { organization: "acme" },
    );
  });

  it("refuses a child that is its parent word for word, by name", () =>
    using(async (context) => {
      const prepared = await prepareChild(context, { parents, name: "Kid" }, reading);
      const { id } = await prepared.open();
      const run = await resume(context, id, {});
      await run.outcome();
      const child = childIn(run.recorded());
      const copy = {
        ...prepared.parents[0],
        instructions: `${child?.instructions.toUpperCase()}  `,
      } as never;
      expect(
        await refusalOf(
          () => child && writeChild(context, child, { parents: [copy], folder: folder() }),
          place,
        ),
      ).toContain("its parent Analyst says, word for word");
    }));
});

describe("a child on trial", () => {
  const seat = (context: AppContext) =>
    prepareOpening(
      { ...context, settings: { ...context.settings, personas: ["kid", "analyst"] } },
      { question: "Why?", protocol: "council" },
    );

  it("may not sit, nor respond, until it is accepted, and not with other instructions", async () => {
    await using(async (context) => void (await bred(context)));
    await using(async (context) => {
      expect(await refusalOf(() => seat(context), place)).toContain("Kid is on trial");
      const responding = { ...context, settings: { ...context.settings, respondent: "kid" } } as AppContext;
      expect(
        await refusalOf(() => prepareOpening(responding, { question: "Why?", protocol: "respond" }), place),
      ).toContain("on trial");
      await acceptPersona(context, context.resources.persona("kid"), { why: "for a demo" });
    });
    await using(async (context) => {
      const { opening } = await seat(context);
      expect(opening.participants.map(({ id }) => id)).toContain("kid");
      expect((await listVersions(context, "kid")).map(({ how, why }) => [how, why])).toEqual([
        ["bred", "from Analyst and Historian"],
        ["accepted", "for a demo"],
      ]);
    });
    writeFileSync(kidPath(), readFileSync(kidPath(), "utf8").replace("be CHILD in tone.", "be other."));
    await using(async (context) => {
      expect(fileStatus(context.resources.persona("kid"))).toBe("changed");
      expect(await refusalOf(() => seat(context), place)).toContain("accepted with other instructions");
      await recordEdit(context, context.resources.persona("kid"));
      expect(await recordEdit(context, context.resources.persona("kid"))).toBeUndefined();
      const back = await rollBackPersona(context, context.resources.persona("kid"), "worse");
      expect(back.version).toBe(
        textDigest(context.resources.persona("kid").instructions.replace("be other.", "be CHILD in tone.")),
      );
    });
    await using(async (context) => {
      expect(fileStatus(context.resources.persona("kid"))).toBe("accepted");
      const node = await readLineage(context, context.resources.persona("kid"));
      expect(node.versions.map(({ how }) => how)).toEqual(["bred", "accepted", "edited", "rolled-back"]);
      expect(node.parents.map(({ id, status }) => [id, status])).toEqual([
        ["analyst", "own"],
        ["historian", "own"],
      ]);
    });
  });

  it("keeps what a person wrote into its file (PFILE-1)", async () => {
    await using(async (context) => void (await bred(context)));
    writeFileSync(kidPath(), `# mine\n${readFileSync(kidPath(), "utf8")}`);
    await using(
      async (context) => void (await acceptPersona(context, context.resources.persona("kid"), { why: "x" })),
    );
    expect(readFileSync(kidPath(), "utf8")).toMatch(/^# mine\n[^]*accepted:/);
    await using(async (context) => {
      expect(
        await refusalOf(() => rollBackPersona(context, context.resources.persona("analyst"), "x"), place),
      ).toContain("ships with");
      expect(
        await refusalOf(
          () => acceptPersona(context, context.resources.persona("analyst"), { why: "x" }),
          place,
        ),
      ).toContain("not bred");
    });
  });
});

describe("a trial", () => {
  const tasks: readonly TrialTask[] = Array.from({ length: 40 }, (_, nth) => ({ question: `Task ${nth}?` }));
  const tried = async (context: AppContext, request: Partial<Parameters<typeof prepareTrial>[1]> = {}) => {
    const child = context.resources.persona("kid");
    const prepared = await prepareTrial(context, { child, tasks, ...request });
    const { id, state } = await prepared.open();
    const run = await resume(context, id, {});
    await run.outcome();
    return { id, state, prepared, verdict: verdictIn(run.recorded()), entries: run.recorded() };
  };

  it("is one for each version, whoever starts it", async () => {
    await using(async (context) => void (await bred(context)));
    await using(async (context, own) => {
      const [one, two] = await Promise.all([tried(context), tried(context)]);
      expect(one.id).toBe(two.id);
      expect([one.verdict?.accepted, two.verdict]).toEqual([true, one.verdict]);
      const calls = own.count();
      const later = await tried(context, { tasks: tasks.toReversed() });
      expect([later.id, later.state, own.count()]).toEqual([one.id, "closed", calls]);
      const again = await tried(context, { again: true });
      expect(again.id).not.toBe(one.id);
    });
  });

  it("takes held-out questions that nobody saw, and says how many are missing", async () => {
    await using(async (context) => {
      await bred(context);
      for (const question of held.slice(0, 9)) await asked(context, question);
    });
    await using(async (context) => {
      const child = context.resources.persona("kid");
      expect(await refusalOf(() => prepareTrial(context, { child }), place)).toMatch(
        /needs 14 held-out questions at least, and there are 9: 5 are missing/,
      );
      for (const question of [...held.slice(9, 16), ...free.slice(0, 3)]) await asked(context, question);
      const { prepared, verdict, entries } = await tried(context, { tasks: undefined });
      expect(prepared.questions).toBe(16);
      expect(verdict?.accepted).toBe(true);
      const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
      const texts = await Promise.all(
        (opened?.data.context ?? []).map(({ text }) => context.store.text(text)),
      );
      expect(texts.toSorted()).toEqual(held.slice(0, 16).toSorted());
    });
  }, 60_000);

  it("refuses a judge of the model's family, one of none that is known, and a persona that was not bred", async () => {
    await using(async (context) => void (await bred(context)));
    const why = async (flags: RequestSettings, id = "kid") => {
      let said = "";
      await using(async (context) => {
        said = await refusalOf(
          () => prepareTrial(context, { child: context.resources.persona(id), tasks }),
          place,
        );
      }, flags);
      return said;
    };
    expect(await why({ judge: ["sim/bob?family=a"] })).toContain("of the family a, like sim/ada?family=a");
    expect(await why({ models: ["sim/ada?family=a"] })).toContain("needs a judge of another family than");
    expect(await why({ judge: ["nobody/knows"], models: ["sim/ada?family=a"] })).toMatch(
      /family|provider|nobody/,
    );
    expect(await why({}, "analyst")).toContain("was not bred");
  });

  it("risks less the more siblings were tried against the parent", async () => {
    await using(async (context) => void (await bred(context)));
    await using(async (context) => void (await tried(context)));
    await using(async (context) => {
      await bred(context, "Sister");
    });
    await using(async (context) => {
      const { siblings } = await prepareTrial(context, { child: context.resources.persona("sister"), tasks });
      expect(siblings).toBe(1);
    });
  });
});

describe("live rankings", () => {
  const row = (text: string): Sign[] =>
    [...text].map((one) => (one === "+" ? "win" : one === "-" ? "loss" : "tie"));

  it("take a child back once they turn, and not by chance", () => {
    expect(liveTest(row("-".repeat(11))).decision).not.toBe("better");
    expect(liveTest(row("-".repeat(12)))).toMatchObject({ decision: "better", losses: 12 });
    expect(liveTest(row("+-".repeat(200))).decision).not.toBe("better");
    // What spoke for it long ago does not protect it now.
    expect(liveTest(row("+".repeat(300) + "-".repeat(20))).decision).toBe("better");
    expect(decideSigns(row("+".repeat(300) + "-".repeat(20)), { ...TRIAL_TEST, most: 999 }).decision).toBe(
      "better",
    );
  });

  it("seat the parent instead, and say so", async () => {
    await using(async (context) => void (await bred(context)));
    await using(
      async (context) => void (await acceptPersona(context, context.resources.persona("kid"), { why: "x" })),
    );
    // Reviewers rank by what the draft says: the child's is always last.
    await using(async (context, own) => {
      const order = (request: ModelRequest) => {
        const answers = readFenced(textIn(request)).filter(({ kind }) => kind === "answer");
        const ranking = answers
          .toSorted((a) => (a.text.includes("I am child") ? 1 : -1))
          .map(({ label }) => label);
        return JSON.stringify({ reviews: [], ranking });
      };
      const { complete } = own;
      own.complete = (request, options) =>
        textIn(request).includes("Then rank all")
          ? scripted({ ada: order, bob: order, cyd: order }).complete(request, options)
          : complete(request, options);
      for (let nth = 0; nth < 12; nth += 1)
        await asked(context, free[nth] ?? "", ["kid", "pragmatist", "challenger"]);
      const { opening, notes } = await prepareOpening(
        { ...context, settings: { ...context.settings, personas: ["kid", "pragmatist"] } },
        { question: "Why?", protocol: "council" },
      );
      expect(opening.participants.map(({ id }) => id).slice(0, 2)).toEqual(["analyst", "pragmatist"]);
      expect(JSON.stringify(notes)).toContain("Kid was taken back");
      const { status, live } = await readLineage(context, context.resources.persona("kid"));
      expect([status, live?.losses]).toEqual(["taken-back", 12]);
    });
  }, 60_000);
});

describe("feedback at run time", () => {
  it("is shown to the persona where the settings say so, fenced and pinned by the opening", async () => {
    await using(async (context) => {
      await asked(context, free[0] ?? "");
      const persona = context.resources.persona("analyst");
      const feedback = await readFeedback(context, { persona: "analyst" }, reading);
      const opened = await openSummary(context, { persona, feedback });
      await (await resume(context, opened.id, {})).outcome();
      expect((await openSummary(context, { persona, feedback })).state).toBe("closed");
      const off = await asked(context, free[1] ?? "");
      expect(Object.keys(off.opening.templates)).not.toContain("advice/analyst");
    });
    await using(
      async (context, own) => {
        const run = await asked(context, free[2] ?? "");
        expect(Object.keys(run.opening.templates)).toContain("advice/analyst");
        const drafts = own.calls
          .map(({ request }) => textIn(request))
          .filter((text) => text.includes("Answer the question on your own"));
        const shown = drafts.map((text) =>
          readFenced(text)
            .filter(({ kind }) => kind === "feedback")
            .map(({ text: said }) => said),
        );
        expect(shown.filter((texts) => texts.length > 0)).toEqual([
          ["Strengths that others found:\n- It checks."],
        ]);
      },
      { personaFeedback: true },
    );
  });
});
