import { scriptsOf } from "../../src/app/registry.ts";
import { features } from "../../src/features.ts";
import { ModelRef, type Message, type ModelRequest } from "../../src/kernel/index.ts";
import type { Desk } from "../../src/prompts/material.ts";
import { shortHash } from "../../src/sim/chance.ts";
import { readReference } from "../../src/sim/reference.ts";
import { simulateReply, type SimReply } from "../../src/sim/reply.ts";
import { shippedText } from "./templates.ts";

const scripts = await scriptsOf(features)();

/** The shipped templates, with marks of fences that follow from a seed. */
export const deskOf = (seed: string): Desk => ({
  template: shippedText,
  mark: (text) =>
    (shortHash(`${seed} a ${text}`) + shortHash(`b ${text}`) + shortHash(`c ${text}`)).slice(0, 16),
});

export type SimAsking = Partial<ModelRequest> & { readonly attempt?: number };

/** What one attempt at these messages comes to. */
export function replyOf(ref: string, messages: readonly Message[], asking: SimAsking = {}): SimReply {
  const read = readReference(ref);
  if (!read.ok) throw new Error(read.reason);
  const { attempt = 1, ...more } = asking;
  const request = { model: ModelRef.parse(ref), messages: [...messages], maxOutputTokens: 8_000, ...more };
  return simulateReply({ parameters: read.parameters, facts: [], request, scripts, attempt });
}

/** The text of a reply. */
export function say(ref: string, messages: readonly Message[], reply?: ModelRequest["reply"]): string {
  const replied = replyOf(ref, messages, reply ? { reply } : {});
  if (!replied.ok) throw new Error(replied.outage.code);
  return replied.text;
}
