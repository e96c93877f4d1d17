import { OrganizationId } from "../kernel/index.ts";
import { converse } from "./converse.ts";
import type { Parley } from "./parley.ts";
import { conveneRespond } from "./respond.ts";
import type { StoryPorts } from "./story.ts";

/** A story's conversations and memory, over everything that is open. */
export function storyPorts(parley: Parley): StoryPorts {
  const organization = OrganizationId.parse(parley.settings.organization);
  return {
    world: parley.world,
    notes: async (question, user) => (await conveneRespond(parley, { question, user })).notes,
    converse: ({ signal, ...asked }) => converse(parley, asked, signal),
    async engrams(user, ids) {
      const shown = await Promise.all(ids.map((id) => parley.memory.show({ organization, user }, id)));
      return shown.flatMap((one) => (one.ok ? [one.engram] : []));
    },
  };
}
