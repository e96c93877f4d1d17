import type { Widened } from "../../web/strings-en.ts";
import { inLanguage } from "../../web/strings.ts";

// The words of its screens.

const en = {
  title: "Contributions",
  claimed: "Claimed by the chair",
  measured: "Measured",
  reason: "Reason",
  empty: "Nothing is known yet about who gave what.",
  emptyNext: "The chair says it with its synthesis; what it gave can be measured once the run has ended.",
  claimedHint: "The chair's own account, not measured: shares from 0 to 1.",
  claimedProblem: (why: string) => `The chair's account does not add up: ${why}.`,
  claimedUnusable: (why: string) => `The chair's account cannot be used: ${why}.`,
  measuredHint:
    "Measured by methods that answer different questions; their figures are not added or averaged.",
  methods: {
    "leave-one-out": "Left out",
    "shapley-vote": "Vote",
    "shapley-standing": "Reviewing",
    "text-overlap": "Overlap",
  } as { readonly [method: string]: string },
  methodHints: {
    "leave-one-out": "how the answer changes when the chair writes without this member",
    "shapley-vote": "its part in the vote's outcome; negative where it voted against it",
    "shapley-standing": "its part as a reviewer in who came first, not its own draft's",
    "text-overlap": "the share of the answer that stands in its draft, by wording",
  } as { readonly [method: string]: string },
  notMeasured: "not measured",
  measureFree: "Measure without calls",
  measuring: "Measuring …",
  measureCalls: "Measure by leaving each member out …",
  measureAsk: (calls: string, usd: string) =>
    `This asks the chair again: about ${calls}, about ${usd}, judged by its own synthesis. Recorded ones are not repeated.`,
  measureYes: "Measure, and pay for the calls",
  measureOpen: "It can be measured once the run has ended.",
  measureDone: (calls: string, usd: string) => `Measured with ${calls}, ${usd}.`,
  methodWhy: (method: string, why: string) => `${method}: ${why}`,
  noise: (value: string, chance: number) =>
    `Asking the chair again with all drafts changes the answer by up to ${value}: what is below counts as 0. A member without effect exceeds that in one draw in ${Math.round(1 / chance)}${chance > 0.05 ? ", so no effect is claimed" : ""}.`,
  unsupported: (share: string) => `${share} of the answer stands in no draft.`,
  withinNoise: "within noise",
  shares: {
    about:
      "What chairs say each persona gave, 0 to 1, and below it what was measured. Votes stand apart: sessions in which it came first.",
    split: "Strategies",
    byStrategy: "apart",
    together: "together",
    empty: "No chair has written an answer yet.",
    emptyNext: "Councils with a chair fill this table. Ask one.",
    votes: "Votes",
    claimed: (mean: string, runs: string) => `${mean} (${runs})`,
    measured: (method: string, mean: string, runs: string) => `${method} ${mean} (${runs})`,
    notMeasured: "not measured",
    methods: {
      "leave-one-out": "left out",
      "shapley-vote": "vote",
      "shapley-standing": "ranking",
      "text-overlap": "overlap",
    } as { readonly [method: string]: string },
    won: (share: string, sessions: string) => `${share} of ${sessions}`,
  },
};

const de: Widened<typeof en> = {
  title: "Beiträge",
  claimed: "Angabe des Vorsitzes",
  measured: "Gemessen",
  reason: "Begründung",
  empty: "Noch ist nicht bekannt, wer was beigetragen hat.",
  emptyNext: "Der Vorsitz gibt es mit seiner Synthese an; messen lässt es sich, sobald der Lauf beendet ist.",
  claimedHint: "Eigene Angabe des Vorsitzes, nicht gemessen: Anteile von 0 bis 1.",
  claimedProblem: (why) => `Die Angabe des Vorsitzes geht nicht auf: ${why}.`,
  claimedUnusable: (why) => `Die Angabe des Vorsitzes ist nicht verwendbar: ${why}.`,
  measuredHint:
    "Gemessen mit Methoden, die verschiedene Fragen beantworten; ihre Werte werden weder addiert noch gemittelt.",
  methods: {
    "leave-one-out": "Weglassen",
    "shapley-vote": "Abstimmung",
    "shapley-standing": "Begutachtung",
    "text-overlap": "Überschneidung",
  },
  methodHints: {
    "leave-one-out": "wie sich die Antwort ändert, wenn der Vorsitz ohne dieses Mitglied schreibt",
    "shapley-vote": "Anteil am Ausgang der Abstimmung; negativ, wenn die Stimme dagegen war",
    "shapley-standing": "Anteil als Gutachter daran, wer Erster wurde, nicht der des eigenen Entwurfs",
    "text-overlap": "Anteil der Antwort, der dem Wortlaut nach in diesem Entwurf steht",
  },
  notMeasured: "nicht gemessen",
  measureFree: "Ohne Aufrufe messen",
  measuring: "Wird gemessen …",
  measureCalls: "Durch Weglassen jedes Mitglieds messen …",
  measureAsk: (calls, usd) =>
    `Dafür wird der Vorsitz erneut angefragt: etwa ${calls}, etwa ${usd}, nach seiner eigenen Synthese geschätzt. Aufgezeichnete Aufrufe werden nicht wiederholt.`,
  measureYes: "Messen und die Aufrufe bezahlen",
  measureOpen: "Messen ist möglich, sobald der Lauf beendet ist.",
  measureDone: (calls, usd) => `Gemessen: ${calls}, ${usd}.`,
  methodWhy: (method, why) => `${method}: ${why}`,
  noise: (value, chance) =>
    `Eine erneute Anfrage an den Vorsitz mit allen Entwürfen ändert die Antwort um bis zu ${value}: Was darunter liegt, zählt als 0. Ein Mitglied ohne Wirkung liegt in einer von ${Math.round(1 / chance)} Ziehungen darüber${chance > 0.05 ? "; behauptet wird deshalb nichts" : ""}.`,
  unsupported: (share) => `${share} der Antwort stehen in keinem Entwurf.`,
  withinNoise: "im Rauschen",
  shares: {
    about:
      "Was jede Persona nach Angabe des Vorsitzes beigetragen hat, 0 bis 1, darunter das Gemessene. Getrennt davon die Stimmen: Sitzungen, in denen sie den ersten Rang erreichte.",
    split: "Strategien",
    byStrategy: "getrennt",
    together: "zusammen",
    empty: "Noch hat kein Vorsitz eine Antwort geschrieben.",
    emptyNext: "Räte mit einem Vorsitz füllen diese Tabelle. Dazu einen Rat befragen.",
    votes: "Stimmen",
    claimed: (mean, runs) => `${mean} (${runs})`,
    measured: (method, mean, runs) => `${method} ${mean} (${runs})`,
    notMeasured: "nicht gemessen",
    methods: {
      "leave-one-out": "Weglassen",
      "shapley-vote": "Abstimmung",
      "shapley-standing": "Begutachtung",
      "text-overlap": "Überschneidung",
    },
    won: (share, sessions) => `${share} von ${sessions}`,
  },
};

export const catalogue = { en, de };
export const words = inLanguage(catalogue);
