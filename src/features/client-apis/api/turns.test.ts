import { describe, expect, it } from "vitest";
import { Refused } from "../../../server/problem.ts";
import { readFields } from "./fields.ts";
import { inputMessages, readMessages } from "./turns.ts";
import * as z from "zod";

const readInput = (input: Parameters<typeof inputMessages>[0]) => {
  const { messages, unread } = inputMessages(input);
  return { ...readMessages(messages, "input"), ignored: unread };
};

const call = { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"sky"}' } };

describe("a chat's messages", () => {
  it.each([
    ["a result at the end", [{ role: "tool" as const, tool_call_id: "c1", content: "blue" }]],
    [
      "one of parts",
      [{ role: "tool" as const, tool_call_id: "c1", content: [{ type: "text", text: "blue" }] }],
    ],
  ])("ends with the question and %s", (_, last) => {
    expect(
      readMessages([
        { role: "system", content: "Be short." },
        { role: "user", content: "What color?" },
        { role: "assistant", content: null, refusal: null, tool_calls: [call] },
        ...last,
      ]),
    ).toMatchObject({
      system: "Be short.",
      history: [],
      question: 'What color?\n\n# Done since\n\n[called look: {"at":"sky"}]\n\n[look gave]\nblue',
    });
  });

  it("has calls and results in the answer that they led to", () => {
    const { history, question } = readMessages([
      { role: "user", content: "What color?" },
      { role: "assistant", content: "I look.", tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "blue" },
      { role: "assistant", content: [{ type: "text", text: "Blue.", refusal: null }] },
      { role: "user", content: "Why?" },
    ]);
    expect(question).toBe("Why?");
    expect(history).toEqual([
      {
        question: "What color?",
        answer: 'I look.\n\n[called look: {"at":"sky"}]\n\n[look gave]\nblue\n\nBlue.',
      },
    ]);
  });

  it("keeps older forms of calls, custom tools and results that have no call", () => {
    const { question } = readMessages([
      { role: "user", content: "Go." },
      { role: "assistant", content: "", function_call: { name: "old", arguments: "{}" } },
      { role: "function", name: "old", content: "1" },
      { role: "assistant", tool_calls: [{ id: "c2", type: "custom", custom: { name: "free", input: "x" } }] },
      { role: "tool", tool_call_id: "c2", content: "2" },
      { role: "tool", tool_call_id: "lost", content: "3" },
    ]);
    for (const part of [
      "[called old: {}]",
      "[old gave]\n1",
      "[called free: x]",
      "[free gave]\n2",
      "[a tool gave]\n3",
    ])
      expect(question).toContain(part);
  });

  it.each([
    ["nothing", []],
    ["no question", [{ role: "system" as const, content: "Be short." }]],
    [
      "an answer at the end",
      [
        { role: "user" as const, content: "Q" },
        { role: "assistant" as const, content: "A" },
      ],
    ],
    ["a result alone", [{ role: "tool" as const, content: "x" }]],
    ["a picture", [{ role: "user" as const, content: [{ type: "image_url" }] }]],
  ])("are refused with %s", (_, messages) => {
    expect(() => readMessages(messages)).toThrow(Refused);
  });
});

describe("a response's input", () => {
  it("has what agents send: developers' messages, reasoning, calls of every kind and their results", () => {
    expect(
      readInput([
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Rules." }] },
        { role: "user", content: "Fix it." },
        { type: "reasoning", summary: [], encrypted_content: "x" },
        { type: "function_call", call_id: "a", name: "shell", arguments: '{"cmd":"ls"}' },
        { type: "function_call_output", call_id: "a", output: "file" },
        { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "*** Begin" },
        {
          type: "custom_tool_call_output",
          call_id: "b",
          output: [{ type: "input_text", text: "Done" }, { type: "input_image" }],
        },
        { type: "local_shell_call", call_id: "c", action: { command: ["pwd"] } },
        { type: "local_shell_call_output", call_id: "c", output: { code: 0 } },
        { type: "compaction", encrypted_content: "x" },
      ]),
    ).toEqual({
      system: "Rules.",
      history: [],
      files: [],
      ignored: ["input.reasoning", "input.compaction"],
      question: [
        "Fix it.",
        "# Done since",
        '[called shell: {"cmd":"ls"}]',
        "[shell gave]\nfile",
        "[called apply_patch: *** Begin]",
        "[apply_patch gave]\nDone\n(input_image left out)",
        '[called local_shell_call: {"command":["pwd"]}]',
        '[local_shell_call gave]\n{"code":0}',
      ].join("\n\n"),
    });
  });

  it.each([
    ["an item that is elsewhere", [{ type: "item_reference", id: "x" }]],
    ["a picture", [{ role: "user" as const, content: [{ type: "input_image" }] }]],
    ["a content that is none", [{ role: "user" as const, content: 5 }]],
    ["no question", []],
  ])("is refused with %s", (_, input) => {
    expect(() => readInput(input)).toThrow(Refused);
  });
});

describe("files in a conversation", () => {
  const png = Buffer.from("\x89PNG\r\n\x1a\n0123456789", "latin1").toString("base64");
  const asked = (...content: { type: string; [field: string]: unknown }[]) => [
    { role: "user" as const, content },
  ];

  it.each([
    ["a picture", { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }],
    ["a picture without an object around it", { type: "image_url", image_url: `data:;base64,${png}` }],
    ["a picture of the other API", { type: "input_image", image_url: `data:image/png;base64,${png}` }],
    ["a picture as a file", { type: "file", file: { file_data: png, filename: "" } }],
  ])("%s goes with the question", (_, part) => {
    const { files, question } = readMessages(asked({ type: "text", text: "What is it?" }, part));
    const [file] = files;
    expect(file).toEqual({ name: expect.stringMatching(/^(?:picture|file) 1$/) as unknown, base64: png });
    expect(question).toBe(`What is it?\n[attached: ${file && "name" in file ? file.name : ""}]`);
  });

  it("have their names, on one line, and are texts where they are", () => {
    const { files } = readInput(
      asked(
        { type: "input_file", filename: "a\n\u001b[31mb.csv", file_data: "data:text/csv;base64,YSxi" },
        { type: "input_file", filename: "c.txt", file_data: "data:text/plain,x%20y" },
        { type: "input_file", file_url: "https://h.example/r.pdf" },
        { type: "input_text", text: "Compare." },
      ),
    );
    expect(files).toEqual([
      { name: expect.stringMatching(/^a .*b\.csv$/) as unknown, text: "a,b" },
      { name: "c.txt", text: "x y" },
      { url: "https://h.example/r.pdf" },
    ]);
    expect(JSON.stringify(files)).not.toContain("\\u001b");
  });

  it("count wherever they stand, also in what a tool gave", () => {
    const picture = { type: "input_image", image_url: `data:image/png;base64,${png}` };
    const { files, question } = readInput([
      ...asked(picture),
      { role: "assistant", content: "A cat." },
      ...asked({ type: "input_text", text: "And now?" }),
      { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: [picture] },
    ]);
    expect(files).toHaveLength(2);
    expect(question).toContain("[look gave]\n[attached: picture 2]");
  });

  it("are refused where they are too many", () => {
    const picture = { type: "input_image", image_url: "https://h.example/a.png" };
    expect(readMessages(asked(...Array.from({ length: 40 }, () => picture))).files).toHaveLength(40);
    expect(() => readMessages(asked(...Array.from({ length: 41 }, () => picture)))).toThrow("more than 40");
  });

  it.each([
    ["kept elsewhere", { type: "input_image", file_id: "file-1" }, "files are not kept here"],
    ["no base64", { type: "input_image", image_url: "data:image/png;base64,*" }, "no data URL"],
    ["empty", { type: "input_file", file_data: "data:text/plain;base64," }, "no data URL"],
    ["of another kind", { type: "input_audio", input_audio: { data: png } }, "input_audio is not supported"],
    ["at an address that is none", { type: "image_url", image_url: { url: "https://" } }, "no address"],
    ["at another scheme", { type: "image_url", image_url: { url: "file:///etc/passwd" } }, "no data URL"],
  ])("are refused where they are %s", (_, part, why) => {
    expect(() => readMessages(asked(part))).toThrow(Refused);
    expect(() => readInput(asked(part))).toThrow(why);
  });
});

describe("fields", () => {
  const table = {
    honoured: z.strictObject({ temperature: z.number().optional(), top_p: z.number().optional() }),
    refused: { n: () => "no" },
  };
  const read = (body: unknown) => readFields(body, table);

  it("that are unknown are ignored by name", () => {
    // What servers and clients of today send beside OpenAI's.
    const usual =
      `top_k top_a min_p typical_p repetition_penalty length_penalty min_tokens stop_token_ids ignore_eos
      guided_json best_of echo use_beam_search n_predict n_probs mirostat cache_prompt id_slot grammar samplers options
      keep_alive think format models route provider plugins transforms reasoning include_reasoning session_id thinking
      system stop_sequences client_metadata chat_template_kwargs enable_thinking safe_prompt random_seed prompt_mode
      prompt suffix seed_id extra_body num_ctx usage cache_control betas constructor __proto__ toString`.split(
        /\s+/,
      );
    const body = JSON.parse(JSON.stringify(Object.fromEntries(usual.map((name) => [name, 1])))) as object;
    const given = JSON.parse(`{"__proto__":1,${JSON.stringify(body).slice(1)}`) as unknown;
    expect([...read(given).ignored].sort()).toEqual([...usual].sort());
  });

  it.each([
    "temprature",
    "temperatur",
    "tempreature",
    "Temperature",
    "temperatures",
    "topp_p",
    "servce_tier",
    "tool",
  ])("one letter from a known one are refused: %s", (name) => {
    expect(() => read({ [name]: 1 })).toThrow(/unknown field/);
  });

  it("of hosted tools are ignored by name", () => {
    const tools = [{ type: "function" }, { type: "custom" }, { type: "web_search" }, { type: "namespace" }];
    expect(read({ tools }).ignored).toEqual(["tools", "tools.web_search"]);
  });

  it("are refused where they are too many, and by their own reasons", () => {
    expect(() => read(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`x${at}`, 1])))).toThrow(
      /200 fields/,
    );
    expect(() => read({ n: 2 })).toThrow("n: no");
  });
});

it.each<[object, string]>([
  [{ messages: 3 }, "messages must be a list (got 3)"],
  [{ messages: [{ role: "x" }] }, 'messages[0].role must be system, user or assistant (got "x")'],
  [{ input: 3 }, "input must be text or a list (got 3)"],
  [{ input: [{ role: "user" }, { role: 4 }] }, "input[1].role must be user (got 4)"],
  [{ form: { type: "c" } }, 'form.type must be a or b (got "c")'],
  [{ form: { type: "b", x: 3 } }, "form.x must be text (got 3)"],
  [{ either: { a: "x" } }, "either is not valid (got a mapping)"],
])("%j is refused by the name of the place where it is wrong", (sent, says) => {
  const honoured = z.strictObject({
    messages: z.array(z.looseObject({ role: z.enum(["system", "user", "assistant"]) })).optional(),
    input: z.union([z.string(), z.array(z.looseObject({ role: z.literal("user").nullish() }))]).optional(),
    form: z
      .discriminatedUnion("type", [
        z.strictObject({ type: z.literal("a") }),
        z.strictObject({ type: z.literal("b"), x: z.string() }),
      ])
      .optional(),
    either: z.union([z.strictObject({ a: z.number() }), z.strictObject({ b: z.number() })]).optional(),
  });
  const refused = (() => {
    try {
      return readFields(sent, { honoured, refused: {} });
    } catch (error) {
      return error;
    }
  })();
  expect(refused instanceof Refused && refused.refusal.detail).toBe(says);
});

it("a part of a message's content is refused by its place", () => {
  const read = () => readMessages([{ role: "user", content: [{ type: "text", text: "Hi" }, { type: 1 }] }]);
  expect(read).toThrow("messages[0].content[1].type must be text (got 1)");
});
