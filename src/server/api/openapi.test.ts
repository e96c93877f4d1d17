import { expect, it } from "vitest";
import { FIELDS } from "./fields.ts";
import { routes } from "../../../test/support/server.ts";
import { openApiDocument, openApiPage } from "./openapi.ts";

const document = openApiDocument(routes, { version: "1.0.0", url: "http://127.0.0.1/", cookie: "session" });

/** Every object of the document, with the keys that lead to it. */
function* objectsIn(
  value: unknown,
  path = "",
): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value as Readonly<Record<string, unknown>>];
  for (const [key, inside] of Object.entries(value)) yield* objectsIn(inside, `${path}/${key}`);
}

it("says of every field and every parameter what it means, and nothing of what there is not", () => {
  const silent = [...objectsIn(document)].filter(
    ([path, { description }]) =>
      (/\/properties\/[^/]+$/.test(path) || /\/parameters\/\d+$/.test(path)) &&
      !(typeof description === "string" && description.length > 3),
  );
  expect(silent.map(([path]) => path)).toEqual([]);
  const said = new Set([...objectsIn(document)].map(([, { description }]) => description));
  expect(Object.keys(FIELDS).filter((name) => !said.has(FIELDS[name]))).toEqual([]);
});

it("shows a body of every operation that takes one, which the operation takes", () => {
  const taking = routes.flatMap(({ name, body, example }) => (body ? [{ name, body, example }] : []));
  expect(taking.length).toBeGreaterThan(15);
  const refused = taking.filter(
    ({ body, example }) => example === undefined || !body.safeParse(example).success,
  );
  expect(refused.map(({ name }) => name)).toEqual([]);
});

it("is shown as a page, every operation with its fields, which loads and runs nothing", () => {
  const page = openApiPage(document);
  for (const { method, path, body } of routes) {
    expect(page).toContain(`>${method.toUpperCase()} /${path}</`);
    if (body) expect(page).toContain("The body is ");
  }
  expect(page).toContain(`<td>${FIELDS["criticalPathMs"]}</td>`);
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|<img|<link|\ssrc=/);
});
