import {
  askedBy,
  Json,
  ParticipantId,
  samplingOptions,
  type DeliberationId,
  refusal,
} from "../../../kernel/index.ts";
import { conversationSummaryTemplate } from "../../../protocols/phases/conversation.ts";
import { memoryTools } from "../../../protocols/phases/memory-tools.ts";
import { MAX_TOOL_CALLS, requireTools } from "../../../protocols/phases/tools.ts";
import type { OpeningContext, OpeningPart, SeatedParticipant } from "../../../engine/opening-part.ts";

export type RespondRequest = {
  readonly previous?: DeliberationId | undefined;
  /** Whether that turn's question is asked again. */
  readonly again?: boolean | undefined;
};

/** Seats one respondent, or two where a second is to be compared with, after the conversation so far. */
export async function openRespond(request: RespondRequest, context: OpeningContext): Promise<OpeningPart> {
  const { settings, fileTools } = context;
  const { user } = settings;
  const { participants, notes } = await respondents(context);
  const { previous, again = false } = request;
  const place = previous === undefined ? undefined : await context.placeAfter(previous, user);
  const recall = context.recall(user);
  const remembers = recall !== null && settings.memoryTools;
  const { tools: own = [] } = context.persona(settings.respondent);
  const filesFor = async (id: string) => {
    const model = participants.find((one) => one.id === id)?.model ?? "";
    const names = [...settings.tools, ...own, ...context.searchTools(model)];
    return [...(fileTools?.specs ?? []), ...(await requireTools(context, names))];
  };
  const files = await filesFor("A");
  const filesB = settings.respondentB ? await filesFor("B") : [];
  const limit = settings.toolCallLimit ?? MAX_TOOL_CALLS;
  const windowOf = (id: string) => {
    const model = participants.find((one) => one.id === id)?.model;
    return model === undefined ? {} : { ...context.window(model), maxTurns: settings.historyTurns };
  };
  const history = await context.turnsBefore(previous, { again });
  return {
    settings: {
      ...(settings.respondTokens === undefined ? {} : { maxOutputTokens: settings.respondTokens }),
      ...(settings.callTimeoutMs === undefined ? {} : { callTimeoutMs: settings.callTimeoutMs }),
      recall,
      ...windowOf("A"),
      ...(fileTools ? { contextFolder: fileTools.folder } : {}),
      tools: { specs: [...files, ...(remembers ? memoryTools({ remember: true }) : [])], limit },
    },
    participants,
    templates: { [conversationSummaryTemplate.name]: conversationSummaryTemplate.text },
    conversation: { history, ...place, user, ...(again ? { again } : {}) },
    answering: participants.map(({ model }) => model),
    pairwise: settings.respondentB,
    // The second respondent answers under the first one's settings, and keeps no facts: nobody sees what it says.
    reactions: (own): Record<string, Json> => {
      if (!settings.respondentB) return {};
      const specs = [...filesB, ...(remembers ? memoryTools({ remember: false }) : [])];
      const { contextTokens: _window, soft: _soft, maxTurns: _turns, ...same } = own;
      return { "respondent-b": Json.parse({ ...same, ...windowOf("B"), tools: { specs, limit } }) };
    },
    notes,
  };
}

async function respondents(context: OpeningContext): Promise<Pick<OpeningPart, "participants" | "notes">> {
  const { settings } = context;
  const [configured] = settings.models;
  const panel =
    configured === undefined
      ? await context.panel()
      : { members: [await context.model(configured)], notes: [] };
  const [model] = panel.members;
  if (model === undefined) {
    const next = "name a model as provider/model";
    throw refusal("there is no model to answer", next);
  }
  const { name, instructions, temperature, ...how } = context.persona(settings.respondent);
  const seat = (own: Pick<SeatedParticipant, "id" | "seat" | "model">, degrees: number | undefined) => ({
    ...{ ...own, ...askedBy(own.model, samplingOptions(settings.sampling), how) },
    persona: { name, instructions: settings.system ?? instructions },
    family: context.family(own.model),
    ...(degrees === undefined ? {} : { temperature: degrees }),
  });
  const first = { id: ParticipantId.parse("A"), seat: "respondent", model };
  const participants: SeatedParticipant[] = [seat(first, settings.temperature ?? temperature)];
  if (settings.respondentB) {
    const other = settings.modelB === undefined ? model : await context.model(settings.modelB);
    const second = { id: ParticipantId.parse("B"), seat: "respondent-b", model: other };
    participants.push(seat(second, settings.temperatureB));
  }
  return { participants, notes: panel.notes };
}
