import type { Widened } from "../../web/strings-en.ts";
import { inLanguage } from "../../web/strings.ts";

const en = {
  ladder: "Steps taken",
  stepReason: "What was decided after it, and why",
  comparison: "How the drafts compare",
  agreements: "They agree",
  contradictions: "They contradict each other",
  uniqueClaims: "Only one says",
  saidBy: (names: string) => `said by ${names}`,
};

const de: Widened<typeof en> = {
  ladder: "Ausgeführte Schritte",
  stepReason: "Was danach entschieden wurde, und warum",
  comparison: "Die Entwürfe im Vergleich",
  agreements: "Darin stimmen sie überein",
  contradictions: "Darin widersprechen sie sich",
  uniqueClaims: "Das sagt nur einer",
  saidBy: (names) => `gesagt von ${names}`,
};

export const catalogue = { en, de };
export const words = inLanguage(catalogue);
