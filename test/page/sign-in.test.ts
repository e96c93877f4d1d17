import { describe, expect, it } from "vitest";
import { inBrowser, PAGE } from "../support/browser.ts";
import { WAIT } from "../support/screen.ts";
import { testServer, type Json } from "../support/server.ts";

const browser = inBrowser("the screen that signs in");

describe.skipIf(browser.isMissing)("a browser without a session", () => {
  it("is signed in with a key, sees its person's sessions, ends one and signs out", async () => {
    await using server = await testServer({ page: PAGE });
    const context = await browser.get().newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(`${server.url}settings?view=sessions`);
    await page.getByLabel("Key").fill(`${server.key.slice(0, -3)}abc`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor(WAIT);
    const other = await server.get(`/${new URL(server.link).search}`, {
      key: null,
      headers: { "user-agent": "Phone/1" },
    });
    expect(other.status).toBe(303);
    await page.getByLabel("Key").fill(server.key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("cell", { name: "Phone/1" }).or(page.getByText("Phone/1")).first().waitFor(WAIT);
    await page.getByRole("button", { name: "End" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "End" }).click();
    const names = async () => (await server.get("sessions")).json.data.map(({ name }: Json) => name);
    await expect.poll(names, WAIT).toEqual([expect.stringMatching(/^Mozilla/)]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor(WAIT);
    expect(await context.cookies()).toEqual([]);
    await expect.poll(names, WAIT).toEqual([]);
    await context.close();
  }, 60_000);
});
