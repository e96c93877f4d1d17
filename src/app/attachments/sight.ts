import type { NewDeliberation } from "../../engine/opening-part.ts";
import { isAnswering, isPicture, refusal } from "../../kernel/index.ts";
import type { AppContext } from "../context.ts";
import { refsAt } from "../panel.ts";

/** How many models are named that could see. */
const MAX_NAMED = 3;

/**
 * Refuses a question about something that none of those who answer can see. Of whom nothing is known may see.
 * @throws Fault `configuration`, with reachable models that could
 */
export async function refuseBlind(
  { models, env, settings }: Pick<AppContext, "models" | "env" | "settings">,
  {
    participants,
    onlySeen,
  }: Pick<NewDeliberation, "participants"> & { onlySeen: NewDeliberation["context"] },
): Promise<void> {
  const answering = participants.filter(isAnswering);
  const asked = answering.length > 0 ? answering : participants;
  const { factsAtHome, MAX_ASKED, reachable } = await import("../reachable.ts");
  const factsOf = async (ref: string) => ({ ...models.facts?.(ref), ...(await factsAtHome(ref, env)) });
  const known = await Promise.all(asked.map(({ model }) => factsOf(model)));
  for (const { name, media } of onlySeen) {
    if (!media) continue;
    const kind = isPicture(media) ? "pictures" : "documents";
    if (known.some((facts) => facts[kind] !== false)) continue;
    const refs = (await reachable({ env, settings })).flatMap(refsAt).slice(0, MAX_ASKED);
    const facts = await Promise.all(refs.map(factsOf));
    const able = refs.filter((_, at) => facts[at]?.[kind] === true);
    const one = isPicture(media) ? "a picture" : "a PDF without text";
    throw refusal(
      `none of the models takes ${kind}, and ${name} is ${one}`,
      able.length > 0
        ? `ask one that does: ${able.slice(0, MAX_NAMED).join(", ")}`
        : `ask a model that takes ${kind}, or describe it in words`,
    );
  }
}
