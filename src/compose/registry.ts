import type { AnyProtocol, AnyReactor } from "../engine/index.ts";
import { Fault } from "../kernel/index.ts";
import { ask } from "../protocols/ask/index.ts";
import { council } from "../protocols/council/index.ts";
import { debate } from "../protocols/debate/index.ts";
import { evaluation } from "../protocols/evaluation/index.ts";
import { judge } from "../protocols/judge/index.ts";
import { respond } from "../protocols/respond/index.ts";
import { critic } from "../reactors/critic.ts";
import { memory } from "../reactors/memory.ts";
import { pairwise } from "../reactors/pairwise.ts";
import { respondentB } from "../reactors/respondent-b.ts";

/** Every protocol that this Parley ships: one line each. */
export const protocols: readonly AnyProtocol[] = [ask, council, debate, evaluation, judge, respond];

/** Every reactor: one line each. */
export const reactors: readonly AnyReactor[] = [critic, memory, pairwise, respondentB];

/** The protocol of this name. @throws Fault `configuration` */
export function protocolOf(name: string): AnyProtocol {
  const found = protocols.find((protocol) => protocol.name === name);
  if (!found) {
    const next = `there are ${protocols.map((protocol) => protocol.name).join(", ")}`;
    throw new Fault("configuration", { why: `there is no protocol "${name}"`, next });
  }
  return found;
}
