import { describe, expect, it } from "vitest";
import { exportText } from "../src/app/export.ts";
import { openParley } from "./support/opened.ts";
import { attachmentsOf, callOf, isEvent, type Entry } from "../src/kernel/index.ts";
import { chatEnd, chunk, openFakeServer, stream, type FakeServer } from "./support/fake-server.ts";
import { pdfOf, pngOf } from "./support/media-samples.ts";

// What a model may see: pictures and documents over whole runs, and who is said not to have seen them.

const png = pngOf(1200, 800).toString("base64");
const pdf = pdfOf(["Revenue rose by 12 percent.", "Costs fell."]).toString("base64");
const scan = pdfOf(["", ""]).toString("base64");
const QUESTION = "What does it show?";

type Body = { readonly model: string; readonly messages: { role: string; content: unknown }[] };
const userContent = (body: string): unknown =>
  (JSON.parse(body) as Body).messages.findLast(({ role }) => role === "user")?.content;
const pictureIn = (content: unknown): boolean =>
  JSON.stringify(content).includes(`data:image/png;base64,${png}`);

/** Models that demand the picture where a prompt names it, but for those that are `blind`: they take none, and know nothing. */
const openModels = () =>
  openFakeServer((response, { body }) => {
    if (body === "") return void response.writeHead(404).end(); // it has no list
    const { model } = JSON.parse(body) as Body;
    const content = userContent(body);
    const error = (message: string) =>
      void response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message } }));
    const isBlind = model.startsWith("blind");
    if (isBlind && Array.isArray(content)) return error("this model does not support image input");
    if (!isBlind && JSON.stringify(content).includes("[BEGIN picture ") && !pictureIn(content))
      return error("the picture is missing");
    const said = isBlind ? "I saw none.\n\nFinal answer: unknown" : "A bar chart.\n\nFinal answer: 12";
    stream(response, chunk(said) + chatEnd());
  });

const opened = (server: Pick<FakeServer, "url">) =>
  openParley({
    ...{ store: ":memory:", env: {} },
    settings: { compatible: { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } } },
  });
const council = (...names: string[]) => ({
  ...{ protocol: "council", question: QUESTION, seed: "s", reactions: false },
  models: names.map((name) => `compatible/box/${name}`),
});

/** What the steps of a run recorded, by their names: those that run at once end in any order. */
const comparable = (entries: readonly Entry[]): unknown =>
  entries
    .flatMap(({ type, origin, data }) =>
      "step" in origin ? [JSON.stringify([origin.step, origin.digest, type, data])] : [],
    )
    .sort();

describe("a council that is shown a picture", () => {
  it("shows it to drafter, reviewer and chair, and says who could not see it (SEE-1)", async () => {
    await using server = await openModels();
    await using parley = await opened(server);
    const context = [{ name: "chart.png", base64: png }];
    const run = await parley.start({ ...council("a", "blind", "c"), context });
    const { status, result } = await run.outcome();
    expect(status).toMatch(/^answered/);
    expect(result?.degraded.filter(({ what }) => what.startsWith("chart"))).toEqual([
      {
        what: "chart.png for Pragmatist",
        why: "compatible/box/blind was not shown it: it takes no pictures",
      },
    ]);
    const entries = await parley.read(run.id);
    // What repairs a reply's form shows no material.
    const calls = entries.flatMap((entry) => {
      const isRepair = "step" in entry.origin && entry.origin.step.endsWith("/repair");
      return isRepair ? [] : (callOf(entry) ?? []);
    });
    expect(calls.length).toBeGreaterThan(6);
    for (const { model, without } of calls)
      expect(without).toEqual(model.endsWith("blind") ? ["pictures"] : undefined);
    // The prompt names the picture by its number, which stands before it.
    const [first] = server.received.map(({ body }) => userContent(body)).filter(pictureIn);
    expect(first).toMatchObject([{ text: "Picture 1:" }, { type: "image_url" }, { type: "text" }]);
    expect(JSON.stringify(first)).toContain("[BEGIN picture 1 chart.png #");
    const told = server.received
      .map(({ body }) => userContent(body))
      .filter((one) => typeof one === "string");
    expect(told.join("\n")).toContain("[picture chart.png, 1200×800, not shown to you]");
  });

  it("is not outvoted by those who did not see it", async () => {
    await using server = await openModels();
    await using parley = await opened(server);
    const context = [{ name: "chart.png", base64: png }];
    const asked = { ...council("a", "blind", "blind-too"), protocol: "ask" };
    const { result } = await (await parley.start({ ...asked, context })).outcome();
    const members = result?.participants.filter(({ seat }) => seat === "member");
    expect(members?.map(({ finalAnswer }) => finalAnswer)).toEqual(["12", null, null]);
    expect(result?.finalAnswer).toBe("12");
    // Without a picture they have a voice like any other.
    const { result: plain } = await (await parley.start(asked)).outcome();
    expect(plain?.finalAnswer).toBe("unknown");
  });

  it("asks a server at home who sees, where a picture would be dropped without a word (SEE-1)", async () => {
    const shown: string[] = [];
    await using server = await openFakeServer((response, { path, body }) => {
      const { model, messages } = JSON.parse(body || "{}") as Partial<Body>;
      if (path === "/api/show")
        return void response.end(JSON.stringify({ capabilities: model === "sees" ? ["vision"] : [] }));
      if (JSON.stringify(messages).includes(png)) shown.push(model ?? "");
      const message = { role: "assistant", content: "Final answer: 12" };
      response.end(`${JSON.stringify({ message, done: true, done_reason: "stop" })}\n`);
    });
    await using parley = await openParley({ store: ":memory:", env: { OLLAMA_HOST: server.url } });
    const models = ["ollama/sees", "ollama/text-alone"];
    const context = [{ name: "chart.png", base64: png }];
    const run = await parley.start({ ...council(), models, context });
    const { result } = await run.outcome();
    expect(new Set(shown)).toEqual(new Set(["sees"]));
    // Once each before the run, and once each for all of their calls.
    expect(server.received.filter(({ path }) => path === "/api/show")).toHaveLength(4);
    expect(result?.degraded.map(({ why }) => why)).toContain(
      "ollama/text-alone was not shown it: it takes no pictures",
    );
  });

  it("is replayed and forked with the network closed, byte by byte", async () => {
    const server = await openModels();
    await using parley = await opened(server);
    const context = [
      { name: "chart.png", base64: png },
      { name: "report.pdf", base64: pdf },
      { name: "again.png", base64: png },
    ];
    const run = await parley.start({ ...council("a", "blind", "c"), context });
    await run.outcome();
    const before = await parley.read(run.id);
    const asked = server.received.length;
    await server[Symbol.asyncDispose]();

    expect(await parley.replay(run.id)).toMatchObject({ closed: true });
    const fork = await parley.fork(run.id, {});
    expect((await fork.outcome()).status).toMatch(/^answered/);
    const after = await parley.read(fork.id);
    expect(JSON.stringify(comparable(after))).toBe(JSON.stringify(comparable(before)));
    expect(server.received).toHaveLength(asked);

    // Two of the same are kept once, and the text of the PDF stands in the place of the file.
    const opening = before.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
    const attached = opening ? attachmentsOf(opening) : [];
    expect(attached.map(({ name }) => name)).toEqual(["chart.png", "again.png"]);
    expect(new Set(attached.map(({ digest }) => digest)).size).toBe(1);
    const { store } = parley.context();
    expect(await store.text(attached[0]?.digest ?? ("" as never))).toBe(png);
    const report = await store.text(opening?.context[1]?.text ?? ("" as never));
    expect(report).toBe("[page 1]\nRevenue rose by 12 percent.\n\n[page 2]\nCosts fell.");
    expect(JSON.stringify(before)).not.toContain(png.slice(0, 200));
  });

  it("counts it before it is sent, and takes it along in an export", async () => {
    await using server = await openModels();
    await using parley = await opened(server);
    const context = [{ name: "chart.png", base64: png }];
    const tokensOf = async (more: object) =>
      (await parley.estimate({ ...council("a"), ...more })).total?.tokens.high ?? 0;
    expect((await tokensOf({ context })) - (await tokensOf({}))).toBeGreaterThan(2_375);
    const run = await parley.start({ ...council("a", "b"), context });
    await run.outcome();
    const { texts } = await parley.export(run.id);
    expect(Object.values(texts)).toContain(png);
  });
});

describe("what nobody can see", () => {
  it("is refused before a call, as is what is too much or broken", async () => {
    await using server = await openModels();
    await using parley = await opened(server);
    const asked = (context: { name: string; base64: string }[], more: object = {}) =>
      parley.start({ ...council("a", "b"), ...more, context }).then(
        () => "started",
        ({ message }: Error) => message,
      );
    const models = ["sim/ada", "sim/bo"];
    expect(await asked([{ name: "chart.png", base64: png }], { models })).toMatch(
      /none of the models takes pictures, and chart\.png is a picture/,
    );
    expect(await asked([{ name: "scan.pdf", base64: scan }], { models })).toMatch(
      /none of the models takes documents, and scan\.pdf is a PDF without text/,
    );
    const of = (bytes: Buffer, name = "x") => [{ name, base64: bytes.toString("base64") }];
    expect(await asked(of(Buffer.from("<svg/>"), "x.svg"))).toMatch(/neither a picture .* nor a PDF/);
    expect(await asked(of(pngOf(8_001, 1), "wide.png"))).toMatch(/8001×1 .* at most 8000 pixels/);
    expect(await asked(of(pngOf(5, 5).subarray(0, 12), "cut.png"))).toMatch(/no whole picture/);
    expect(await asked(of(pdfOf(["x"], { isLocked: true }), "locked.pdf"))).toMatch(/locked with a password/);
    expect(await asked(of(Buffer.from("%PDF-1.7 junk"), "bad.pdf"))).toMatch(/no PDF that can be read/);
    const page = of(pdfOf(["a line of words\n".repeat(20)]), "long.pdf");
    expect(await asked(page, { maxContextBytes: 100 })).toMatch(/the text of long\.pdf has more than/);
    expect(await asked(page, { maxAttachmentBytes: 100 })).toMatch(/long\.pdf has more than/);
    expect(await asked(Array.from({ length: 21 }, () => ({ name: "p", base64: png })))).toMatch(
      /more than 20/,
    );
    expect(server.received.filter(({ path }) => path !== "/v1/models")).toEqual([]);
  });

  it("shows a PDF itself where it has no text, or the settings say so", async () => {
    const bodies: string[] = [];
    await using server = await openFakeServer((response, { body }) => {
      bodies.push(body);
      stream(response, chunk("Twelve.") + chatEnd());
    });
    await using parley = await opened(server);
    const respond = {
      protocol: "respond",
      question: QUESTION,
      models: ["compatible/box/a"],
      reactions: false,
    };
    const ask = async (context: { name: string; base64: string }[], more: object = {}) => {
      const run = await parley.start({ ...respond, ...more, context });
      expect((await run.outcome()).status).toBe("answered");
      return { body: bodies.at(-1) ?? "", notes: run.notes };
    };
    const scanned = await ask([{ name: "scan.pdf", base64: scan }]);
    expect(scanned.body).toContain(`"file_data":"data:application/pdf;base64,${scan}"`);
    expect(JSON.stringify(scanned.notes)).toContain("scan.pdf has 2 pages and no text");
    const text = await ask([{ name: "report.pdf", base64: pdf }]);
    expect(text.body).toContain("Revenue rose by 12 percent.");
    expect(text.body).not.toContain("file_data");
    const both = await ask([{ name: "report.pdf", base64: pdf }], { pdf: "file" });
    expect(both.body).toContain("Revenue rose by 12 percent.");
    expect(both.body).toContain(`"file_data":"data:application/pdf;base64,${pdf}"`);
  });
});

describe("a document about the run", () => {
  it("lists what was attached, and a page has the pictures within it (ELEMENT-1, PAGE-1)", async () => {
    await using server = await openModels();
    await using parley = await opened(server);
    const context = [{ name: 'chart"><script>.png', base64: png }];
    const run = await parley.start({ ...council("a", "b"), context });
    await run.outcome();
    const { store, protocols, exports } = parley.context();
    const entries = await parley.read(run.id);
    const asIn = (format: string) => exportText({ store, protocols, exports }, entries, { format });
    expect(await asIn("md")).toContain("picture, 1200×800, image/png");
    const page = await asIn("html");
    expect(page).toContain(`<img src="data:image/png;base64,${png}"`);
    expect(page).toContain("img-src data:");
    expect(page).not.toContain('chart"><script>.png');
    expect(JSON.parse(await asIn("json"))).toMatchObject({ texts: expect.objectContaining({}) });
  });
});
