import { defineProtocol, type ProtocolContext } from "../../../../engine/index.ts";
import type { ModelRequest, Participant } from "../../../../kernel/index.ts";
import { measure, seatedAt, textNamed } from "../../../../protocols/phases/measure.ts";
import { modelParams, readFinal, readReply } from "../../../../protocols/phases/reply.ts";
import { fence, labelList, materialText } from "../../../../prompts/material.ts";
import { defineTemplate } from "../../../../prompts/template.ts";
import { texts } from "./templates/index.ts";
import { AuthorshipSettings, guessedBy, letterAt } from "./work.ts";

const guessTemplate = defineTemplate(
  "authorship-guess",
  ["material", "answer", "participants", "count", "labels"],
  texts["authorship-guess"],
);

/** One model guesses who wrote each draft of a deliberation, each by itself. `app/audit.ts` compares with chance. */
export const authorship = defineProtocol<AuthorshipSettings>({
  name: "authorship",
  version: 1,
  summary: "have one model guess who wrote the drafts of a deliberation",
  seats: [{ name: "guesser", filledBy: "judge", min: 1, max: 1 }],
  settings: AuthorshipSettings,
  templates: [guessTemplate],
  view: () => import("./view.ts"),
  report: () => import("./view.ts"),
  deliberate(context) {
    const { again, drafts } = context.settings;
    const guesser = seatedAt(context, "guesser");
    return measure(context, {
      name: "guess",
      prompts: drafts.map((draft) => {
        const { name: id } = draft;
        const loss = {
          ...{ what: `the guess of ${id}`, participant: guesser.id },
          weakens: "the audit rests on one guess less",
        };
        return {
          ...{ id, work: { of: id }, from: again },
          request: guessRequest(context, guesser, draft),
          read: readReply<"answer-given">(loss, (text, call) => {
            const final = readFinal(text, call);
            return guessedBy(draft, final) === undefined
              ? { unreadable: "the reply names no participant" }
              : { type: "answer-given", data: { by: guesser.id, kind: "response", round: 1, text, final } };
          }),
        };
      }),
      outcomes: ["answer-given", "degradation-noted"],
      key: "guessed",
      reason: "how many drafts have a guess",
      body: (read, unread) => ({ read: read.length, of: read.length + unread.length }),
      nothing: "no reply names a participant",
    });
  },
});

function guessRequest(
  context: ProtocolContext<AuthorshipSettings>,
  guesser: Participant,
  { name, order }: AuthorshipSettings["drafts"][number],
): ModelRequest {
  const { candidates, maxOutputTokens } = context.settings;
  const text = (key: string) => textNamed(context, key) ?? "";
  const participants = order.flatMap((id, index) => {
    const one = candidates.find((candidate) => candidate.id === id);
    if (!one) return [];
    const told = [`Name: ${one.name}`, `Model: ${one.model}`, text(`participant/${id}`)];
    return [{ label: letterAt(index), text: told.join("\n").trim() }];
  });
  const messages = guessTemplate.render(context, {
    material: materialText(context, { question: text("question"), context: [] }),
    answer: fence(context, { kind: "answer", label: "", text: text(`draft/${name}`) }),
    participants: participants.map((one) => fence(context, { kind: "participant", ...one })).join("\n\n"),
    count: String(participants.length),
    labels: labelList(participants),
  });
  return { ...modelParams(guesser, maxOutputTokens, 2_048), messages };
}
