import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { findPack, loadPacks } from "./packs.ts";
import { findPersona, loadPersonas, parsePersona } from "./personas.ts";
import { loadSettings } from "./sources.ts";

const USER = ".config/parley/parley.yaml";
const load = (place: ReturnType<typeof scratch>) => loadSettings({ ...place, flags: {} });

describe("settings of endpoints", () => {
  it.each([
    [
      "compatible: {lab: {url: http://x, headers: {cookie: y}}}",
      '1:44: compatible.lab.headers is not valid: "cookie" carries a credential, which no file holds and no run records; the key goes where auth says',
    ],
    ["compatible: {lab: {url: http://x, headers: {x-api-key: y}}}", "1:45: x-api-key looks like a secret"],
    [
      "providers: {openai: {body: {max_tokens: 5}}}",
      '1:28: providers.openai.body is not valid: "max_tokens" cannot be set here: Parley sets the longest reply (settings: draft-tokens, respond-tokens, …)',
    ],
    ["providers: {openai: {bdy: {}}}", '1:22: unknown key "bdy"; did you mean body?'],
    [
      "providers: {openai: {auth: {header: a b}}}",
      '1:37: providers.openai.auth.header must be the name of a header (got "a b"); for example api-key',
    ],
    [
      "member-options: [{effort: hgih}]",
      '1:27: "hgih" is not an effort; expected one of none, minimal, low, medium, high, xhigh, max, e.g. high',
    ],
    ["member-options: [{efort: high}]", '1:19: unknown key "efort"; did you mean effort?'],
  ])("refuse %j", async (text, expected) => {
    using place = scratch({ [USER]: text });
    expect(await refusalOf(() => load(place), place)).toContain(expected);
  });

  it("of a project's file are named before they count: what is sent along as well", async () => {
    const file = "compatible: {lab: {url: http://x, body: {tier: 1}, auth: {header: x-gate}}}\n";
    using place = scratch({ "project/parley.yaml": `${file}providers: {openai: {headers: {a: b}}}` });
    const said = await refusalOf(() => load({ ...place, trusts: () => false }), place);
    expect(said).toContain('compatible.lab: http://x and {"body":{"tier":1},"auth":{"header":"x-gate"}}');
    expect(said).toContain('providers.openai: {"headers":{"a":"b"}}');
  });

  it("leave a model's options to its reference, in lists and behind a local name", () => {
    using place = scratch({
      [USER]: "models: openai/gpt-5.6?effort=high&wire=responses, gemma4:26b?effort=low",
    });
    expect(load(place).settings.models).toEqual([
      "openai/gpt-5.6?effort=high&wire=responses",
      "ollama/gemma4:26b?effort=low",
    ]);
  });
});

describe("a persona", () => {
  const own = (more: string) => `id: own\nname: Own\ninstructions: Be.\n${more}`;
  const FILE = ".config/parley/personas/own.yaml";

  it("says how much it thinks, and what its provider is sent", () => {
    using place = scratch({ [FILE]: own("effort: high\nbody: {seed: 7}\nheaders: {x-lab: a}") });
    const how = { effort: "high", body: { seed: 7 }, headers: { "x-lab": "a" } };
    expect(findPersona(loadPersonas(place), "own")).toMatchObject(how);
    expect(parsePersona(own("effort: max"), "x.yaml")).toMatchObject({ effort: "max" });
  });

  it.each([
    ["effort: hihg", '4:9: "hihg" is not an effort; expected one of none, minimal, low, medium, high'],
    ["efort: high", '4:1: unknown key "efort"; did you mean effort?'],
    ["body: {messages: []}", 'body is not valid: "messages" cannot be set here: Parley writes the prompt'],
    ["headers: {proxy-authorization: x}", '"proxy-authorization" carries a credential'],
  ])("is refused with %j", async (more, expected) => {
    using place = scratch({ [FILE]: own(more) });
    expect(await refusalOf(() => loadPersonas(place), place)).toContain(expected);
  });

  it("of a project asks its user before it may cost more or send more", async () => {
    using place = scratch({ "project/.parley/personas/own.yaml": own("effort: max\nbody: {seed: 7}") });
    const said = await refusalOf(() => loadPersonas({ ...place, trusts: () => false }), place);
    expect(said).toContain("effort: max");
    expect(said).toContain('body: {"seed":7}');
  });
});

describe("a pack's member", () => {
  const FILE = ".config/parley/packs/own.yaml";
  const own = (members: string) => `id: own\nname: Own\nmembers: [${members}]\n`;

  it("is asked in its own way, and the others in theirs", () => {
    using place = scratch({ [FILE]: own("{persona: analyst, effort: high, body: {seed: 7}}, historian") });
    expect(findPack(loadPacks(place), "own").settings).toMatchObject({
      personas: ["analyst", "historian"],
      memberOptions: [{ effort: "high", body: { seed: 7 } }, {}],
    });
  });

  it("without a way of its own leaves it to its persona", () => {
    using place = scratch({ [FILE]: own("analyst") });
    expect(findPack(loadPacks(place), "own").settings).not.toHaveProperty("memberOptions");
  });

  it.each([
    ["{persona: analyst, effort: hihg}", '"hihg" is not an effort'],
    ["{persona: analyst, efort: high}", 'unknown key "efort"; did you mean effort?'],
    ["{persona: analyst, headers: {authorization: x}}", '"authorization" carries a credential'],
  ])("is refused as %j", async (member, expected) => {
    using place = scratch({ [FILE]: own(member) });
    expect(await refusalOf(() => loadPacks(place), place)).toContain(expected);
  });
});
