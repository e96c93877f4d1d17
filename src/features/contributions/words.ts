import { phrase, inEach, inLanguage, phrases } from "../../web/strings.ts";

export const catalogue = inEach({
  title: phrase("Contributions", "Beiträge"),
  claimed: phrase("Claimed by the chair", "Angabe des Vorsitzes"),
  measured: phrase("Measured", "Gemessen"),
  reason: phrase("Reason", "Begründung"),
  empty: phrase(
    "Nothing is known yet about who gave what.",
    "Noch ist nicht bekannt, wer was beigetragen hat.",
  ),
  emptyNext: phrase(
    "The chair says it with its synthesis; what it gave can be measured once the run has ended.",
    "Der Vorsitz gibt es mit seiner Synthese an; messen lässt es sich, sobald der Lauf beendet ist.",
  ),
  claimedHint: phrase(
    "The chair's own account, not measured: shares from 0 to 1.",
    "Eigene Angabe des Vorsitzes, nicht gemessen: Anteile von 0 bis 1.",
  ),
  claimedProblem: phrase(
    (why: string) => `The chair's account does not add up: ${why}.`,
    (why) => `Die Angabe des Vorsitzes geht nicht auf: ${why}.`,
  ),
  claimedUnusable: phrase(
    (why: string) => `The chair's account cannot be used: ${why}.`,
    (why) => `Die Angabe des Vorsitzes ist nicht verwendbar: ${why}.`,
  ),
  measuredHint: phrase(
    "Measured by methods that answer different questions; their figures are not added or averaged.",
    "Gemessen mit Methoden, die verschiedene Fragen beantworten; ihre Werte werden weder addiert noch gemittelt.",
  ),
  methods: phrases({
    "leave-one-out": phrase("Left out", "Weglassen"),
    "shapley-vote": phrase("Vote", "Abstimmung"),
    "shapley-standing": phrase("Reviewing", "Begutachtung"),
    "text-overlap": phrase("Overlap", "Überschneidung"),
  }),
  methodHints: phrases({
    "leave-one-out": phrase(
      "how the answer changes when the chair writes without this member",
      "wie sich die Antwort ändert, wenn der Vorsitz ohne dieses Mitglied schreibt",
    ),
    "shapley-vote": phrase(
      "its part in the vote's outcome; negative where it voted against it",
      "Anteil am Ausgang der Abstimmung; negativ, wenn die Stimme dagegen war",
    ),
    "shapley-standing": phrase(
      "its part as a reviewer in who came first, not its own draft's",
      "Anteil als Gutachter daran, wer Erster wurde, nicht der des eigenen Entwurfs",
    ),
    "text-overlap": phrase(
      "the share of the answer that stands in its draft, by wording",
      "Anteil der Antwort, der dem Wortlaut nach in diesem Entwurf steht",
    ),
  }),
  notMeasured: phrase("not measured", "nicht gemessen"),
  measureFree: phrase("Measure without calls", "Ohne Aufrufe messen"),
  measuring: phrase("Measuring …", "Wird gemessen …"),
  measureCalls: phrase("Measure by leaving each member out …", "Durch Weglassen jedes Mitglieds messen …"),
  measureAsk: phrase(
    (calls: string, usd: string) =>
      `This asks the chair again: about ${calls}, about ${usd}, judged by its own synthesis. Recorded ones are not repeated.`,
    (calls, usd) =>
      `Dafür wird der Vorsitz erneut angefragt: etwa ${calls}, etwa ${usd}, nach seiner eigenen Synthese geschätzt. Aufgezeichnete Aufrufe werden nicht wiederholt.`,
  ),
  measureYes: phrase("Measure, and pay for the calls", "Messen und die Aufrufe bezahlen"),
  measureOpen: phrase(
    "It can be measured once the run has ended.",
    "Messen ist möglich, sobald der Lauf beendet ist.",
  ),
  measureDone: phrase(
    (calls: string, usd: string) => `Measured with ${calls}, ${usd}.`,
    (calls, usd) => `Gemessen: ${calls}, ${usd}.`,
  ),
  methodWhy: phrase(
    (method: string, why: string) => `${method}: ${why}`,
    (method, why) => `${method}: ${why}`,
  ),
  noise: phrase(
    (value: string, chance: number) =>
      `Asking the chair again with all drafts changes the answer by up to ${value}: what is below counts as 0. A member without effect exceeds that in one draw in ${Math.round(1 / chance)}${chance > 0.05 ? ", so no effect is claimed" : ""}.`,
    (value, chance) =>
      `Eine erneute Anfrage an den Vorsitz mit allen Entwürfen ändert die Antwort um bis zu ${value}: Was darunter liegt, zählt als 0. Ein Mitglied ohne Wirkung liegt in einer von ${Math.round(1 / chance)} Ziehungen darüber${chance > 0.05 ? "; behauptet wird deshalb nichts" : ""}.`,
  ),
  unsupported: phrase(
    (share: string) => `${share} of the answer stands in no draft.`,
    (share) => `${share} der Antwort stehen in keinem Entwurf.`,
  ),
  withinNoise: phrase("within noise", "im Rauschen"),
  shares: {
    about: phrase(
      "What chairs say each persona gave, 0 to 1, and below it what was measured. Votes stand apart: sessions in which it came first.",
      "Was jede Persona nach Angabe des Vorsitzes beigetragen hat, 0 bis 1, darunter das Gemessene. Getrennt davon die Stimmen: Sitzungen, in denen sie den ersten Rang erreichte.",
    ),
    split: phrase("Strategies", "Strategien"),
    byStrategy: phrase("apart", "getrennt"),
    together: phrase("together", "zusammen"),
    empty: phrase("No chair has written an answer yet.", "Noch hat kein Vorsitz eine Antwort geschrieben."),
    emptyNext: phrase(
      "Councils with a chair fill this table. Ask one.",
      "Räte mit einem Vorsitz füllen diese Tabelle. Dazu einen Rat befragen.",
    ),
    votes: phrase("Votes", "Stimmen"),
    claimed: phrase(
      (mean: string, runs: string) => `${mean} (${runs})`,
      (mean, runs) => `${mean} (${runs})`,
    ),
    measured: phrase(
      (method: string, mean: string, runs: string) => `${method} ${mean} (${runs})`,
      (method, mean, runs) => `${method} ${mean} (${runs})`,
    ),
    notMeasured: phrase("not measured", "nicht gemessen"),
    methods: phrases({
      "leave-one-out": phrase("left out", "Weglassen"),
      "shapley-vote": phrase("vote", "Abstimmung"),
      "shapley-standing": phrase("ranking", "Begutachtung"),
      "text-overlap": phrase("overlap", "Überschneidung"),
    }),
    won: phrase(
      (share: string, sessions: string) => `${share} of ${sessions}`,
      (share, sessions) => `${share} von ${sessions}`,
    ),
  },
});

export const words = inLanguage(catalogue);
