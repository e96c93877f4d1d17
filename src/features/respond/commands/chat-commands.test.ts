import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openConfigured } from "../../../../test/support/opened.ts";
import { scratch } from "../../../../test/support/scratch.ts";
import { features } from "../../../features.ts";
import { converse } from "../../../../test/support/converse.ts";
import { completeCommand, runChatCommand, type Chat, type ChatRequest } from "./chat-commands.ts";

/** A chat after one answered question, whose turns are only noted. */
async function chatting(
  work: (chat: Chat, seen: { readonly notes: string[]; readonly asked: ChatRequest[] }) => Promise<void>,
): Promise<void> {
  using folder = scratch();
  const { context, me } = await openConfigured({
    ...folder,
    flags: { store: ":memory:", models: ["sim/ada"] },
  });
  const notes: string[] = [];
  const asked: ChatRequest[] = [];
  try {
    const { id } = await converse(context, { question: "What is 2 + 3?" }, new AbortController().signal);
    const state = {
      last: id,
      lastTurn: undefined,
      lastQuestion: "What is 2 + 3?",
      model: "sim/ada",
      memory: true,
    };
    const output = { note: (line: string) => void notes.push(line) };
    const chat = {
      ...{ io: { ...folder, output, features }, context, state, settled: new Set() },
      write: async (text: string) => void notes.push(text),
      ask: async (turn: ChatRequest) => void asked.push(turn),
    };
    await work(chat as unknown as Chat, { notes, asked });
  } finally {
    await me.close();
  }
}

describe("a chat's commands", () => {
  it("complete with Tab, and are listed in groups", () =>
    chatting(async (chat, { notes }) => {
      expect(completeCommand(chat.io, "/co")).toEqual([["/council"], "/co"]);
      expect(completeCommand(chat.io, "/council x")[0]).toEqual([]);
      expect(completeCommand(chat.io, "why /co")[0]).toEqual([]);
      await runChatCommand(chat, "/help");
      expect(notes.filter((line) => /^\w+$/.test(line))).toEqual([
        ...["Ask", "Rate", "Memory", "Conversation"],
      ]);
      // Each line is a note of its own, so that none is wrapped and loses its indentation.
      expect(notes).toContain("  /retry            ask the last question again");
      for (const line of notes) expect(line.length).toBeLessThanOrEqual(80);
    }));

  it("name the nearest for one that is unknown, and end at /quit and /exit alone", () =>
    chatting(async (chat, { notes }) => {
      expect(await runChatCommand(chat, "/retyr")).toBe(true);
      expect(await runChatCommand(chat, "/constructor")).toBe(true);
      expect(notes).toEqual([
        "Unknown command /retyr. Try: /retry",
        "Unknown command /constructor. Try: /help",
      ]);
      expect([await runChatCommand(chat, "/quit"), await runChatCommand(chat, "/exit")]).toEqual([
        false,
        false,
      ]);
    }));

  it("ask the last question again, of a panel or the model, in place of its answer", () =>
    chatting(async (chat, { asked }) => {
      for (const line of ["/council", "/debate", "/retry"]) await runChatCommand(chat, line);
      const again = { question: "What is 2 + 3?", again: true };
      expect(asked).toEqual([
        { ...again, protocol: "council" },
        { ...again, protocol: "debate" },
        { ...again, protocol: undefined },
      ]);
      await runChatCommand(chat, "/new");
      await expect(runChatCommand(chat, "/retry")).rejects.toThrow("there is no question yet");
    }));

  it("change the model, switch memory, and pin and delete facts", () =>
    chatting(async (chat, { notes }) => {
      await runChatCommand(chat, "/model sim/bo");
      expect(chat.state.model).toBe("sim/bo");
      await expect(runChatCommand(chat, "/model nonsense")).rejects.toThrow('is called "nonsense"');
      expect(chat.state.model).toBe("sim/bo");
      await runChatCommand(chat, "/pin I live in Kyiv.");
      const [, id = ""] = /\/forget (\S+)$/.exec(notes.at(-1) ?? "") ?? [];
      await runChatCommand(chat, "/memory");
      expect(notes.slice(-2)).toEqual(["Memory: on (user local)", `${id}  I live in Kyiv.`]);
      expect(id).toMatch(/^[0-9a-f]{8}$/);
      await expect(runChatCommand(chat, `/forget ${id.slice(0, 1)}`)).rejects.toThrow("at least its first 4");
      await runChatCommand(chat, `/forget ${id.slice(0, 4)}`);
      await runChatCommand(chat, "/memory");
      expect(notes.slice(-3)).toEqual([
        "Deleted: I live in Kyiv.",
        "Memory: on (user local)",
        "No pinned facts",
      ]);
      await runChatCommand(chat, "/memory off");
      expect(chat.state.memory).toBe(false);
    }));

  it("save the conversation as Markdown, and overwrite a file only when told", () =>
    chatting(async (chat, { notes }) => {
      const file = join(chat.io.cwd, "c.md");
      writeFileSync(file, "mine");
      await expect(runChatCommand(chat, "/save c.md")).rejects.toThrow('"c.md" exists');
      expect(readFileSync(file, "utf8")).toBe("mine");
      await runChatCommand(chat, "/save c.md overwrite");
      expect(readFileSync(file, "utf8")).toMatch(/^## Question\n\nWhat is 2 \+ 3\?\n\n## Answer\n\n[^]*5/);
      expect(notes.at(-1)).toBe("Saved 1 turn in c.md");
    }));
});
