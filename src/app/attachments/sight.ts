import type { NewDeliberation } from "../../engine/opening-part.ts";
import { isPicture, isVoice, personOf, refusal } from "../../kernel/index.ts";
import type { AppContext } from "../context.ts";

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
  const answering = participants.filter((one) => isVoice(one) || one.seat.startsWith("respondent"));
  const asked = answering.length > 0 ? answering : participants;
  const sees = (model: string, kind: "pictures" | "documents") =>
    personOf(model) !== undefined || models.facts?.(model)[kind] !== false;
  for (const { name, media } of onlySeen) {
    if (!media) continue;
    const kind = isPicture(media) ? "pictures" : "documents";
    if (asked.some(({ model }) => sees(model, kind))) continue;
    const { reachable } = await import("../reachable.ts");
    const found = await reachable({ env, settings });
    const able = found
      .flatMap(({ provider, models: there }) => there.map((model) => `${provider}/${model}`))
      .filter((ref) => models.facts?.(ref)[kind] === true);
    const one = `${isPicture(media) ? "a picture" : "a PDF without text"}`;
    throw refusal(
      `none of the models takes ${kind}, and ${name} is ${one}`,
      able.length > 0
        ? `ask one that does: ${able.slice(0, MAX_NAMED).join(", ")}`
        : `ask a model that takes ${kind}, or describe it in words`,
    );
  }
}
