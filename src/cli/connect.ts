import type { AppContext } from "../app/context.ts";
import { choosePanel } from "../app/panel.ts";
import { refusal } from "../kernel/index.ts";

/**
 * Refuses a question for which there is no model but the simulated ones, unless these can compute it.
 * @throws Fault `configuration` that says three ways to go on
 */
export async function refuseWithoutModels(context: AppContext, question: string): Promise<void> {
  if (context.settings.models.length > 0) return;
  // Loaded on use: who has models loads no simulated one.
  const { isSolvable } = await import("../sim/belief.ts");
  if (isSolvable(question)) return;
  const { notes } = await choosePanel(context);
  if (!notes.some(({ code }) => code === "simulated-models")) return;
  throw refusal(
    "no model is connected, and the simulated ones cannot compute an answer to this",
    "parley keys set openai; or ollama pull llama3.2; or parley demo, which plays a recording",
  );
}

/** What a service says where no model is configured, unless it was told to simulate. */
export const withoutModels = ({ simulated }: { readonly simulated: boolean }) =>
  simulated
    ? {}
    : {
        withoutModels:
          "parley keys set openai, or name models (PARLEY_MODELS, or models in parley.yaml), and start again; or start with " +
          "--simulated, for a trial",
      };
