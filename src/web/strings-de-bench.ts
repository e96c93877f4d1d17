import { plural } from "./language.ts";
import type { Strings } from "./strings.ts";

// German: the words of what shows benches.

export const bench: Strings["bench"] = {
  empty: "Noch ist kein Benchmark aufgezeichnet.",
  emptyNext:
    "`parley bench tasks.jsonl` füllt diese Seite: Der Befehl stellt Fragen mit bekannten Antworten einem Modell, einer Abstimmung und einem Rat, und zeichnet auf, wie oft jeder richtig liegt und was es kostet. `parley tasks > tasks.jsonl` erzeugt solche Fragen.",
  tasks: (count) => plural(count, "Aufgabe", "Aufgaben"),
  finished: (done, all) => `${done} von ${all} fertig`,
  simulated: "simulierte Modelle",
  simulatedNote:
    "Diese Antworten gaben simulierte Modelle. Sie zeigen, wie sich die Verfahren bei einer festgelegten Fähigkeit verhalten, und sagen nichts über echte Modelle.",
  openNote: (done, all) =>
    `${done} von ${all} sind fertig. Was nicht fertig ist, zählt nirgends; derselbe Befehl setzt fort.`,
  failedNote: (count) =>
    `${plural(count, "Lauf", "Läufe")} ohne genügend Antworten. Sie werden nicht gewertet: parley bench --retry-failed fragt erneut.`,
  tooFewTasks: (least) =>
    `Weniger als ${least} Aufgaben: zu wenige für eine Aussage, welches Verfahren besser ist.`,
  seed: (seed) => `Startwert ${seed}`,
  noSeed: "zufällige Startwerte",
  plot: "Genauigkeit und Kosten",
  plotSubtitle: "Ein Punkt je Verfahren, mit seiner Nummer aus der Tabelle und seinem 95-%-Intervall.",
  plotHint: "Ein Klick auf einen Punkt zeigt die Läufe dahinter.",
  nothing: "Noch hat kein Verfahren eine Frage beendet",
  axis: { usd: "US-Dollar je Frage", tokens: "Tokens je Frage", calls: "Modellaufrufe je Frage" },
  arms: "Verfahren",
  armsHint:
    "Kosten, Aufrufe und Dauer (die längste Kette von Aufrufen) sind Mittelwerte je Frage; eine fehlende Antwort zählt als falsch.",
  number: "Nr.",
  arm: "Verfahren",
  accuracy: "Genauigkeit (95 %)",
  interval: "Intervall",
  n: "n",
  cost: "Kosten",
  calls: "Aufrufe",
  latency: "Dauer",
  notFinished: "Offen",
  flips: "Was das Beraten änderte",
  flipsHint:
    "Jede Antwort neben dem, was die Entwürfe desselben Laufs wählen. Zahlen führen zu den Läufen dahinter.",
  drafts: "Entwürfe",
  answer: "Antwort",
  changes: {
    "right-wrong": "Richtig zu falsch",
    "wrong-right": "Falsch zu richtig",
    "right-none": "Richtig zu keiner",
    "none-right": "Keine zu richtig",
  },
  p: "p",
  pairs: "Zwischen den Verfahren",
  pairsHint:
    "Paarweise je Frage: wie oft nur eines von zwei Verfahren richtig lag, der Unterschied in Prozentpunkten, und p nach McNemars exaktem Test, korrigiert für alle Paare.",
  pair: "Verfahren",
  onlyOne: "Nur eines richtig",
  difference: "Unterschied (95 %)",
  adjusted: "p, korrigiert",
  reading: "Lesart",
  better: (arm) => `${arm} ist besser`,
  preferredTo: (arm) => `Bevorzugt gegenüber ${arm} (95 %)`,
  noDifference: "kein deutlicher Unterschied",
  underpowered: "zu wenige unterscheiden sich",
  noPairs: "noch keine gemeinsamen Fragen",
  judged: "Offene Fragen, beurteilt",
  judgedHint: (judge) =>
    `${judge} verglich die Antworten in beiden Reihenfolgen. Was sich mit der Reihenfolge ändert, ist unentschieden.`,
  wonTiedLost: "Gewonnen, unentschieden, verloren",
  rows: (arm) => `Läufe von ${arm}`,
  change: "Nur",
  everyRow: "alle Läufe",
  task: "Aufgabe",
  outcome: "Ausgang",
  result: "Ergebnis",
  results: { right: "richtig", wrong: "falsch", none: "keine Antwort", open: "ohne bekannte Antwort" },
  draftsElect: "Entwürfe wählen",
  noRows: "Kein Lauf dieses Verfahrens passt.",
  closeRows: "Läufe ausblenden",
  toRows: (arm) => `Läufe von ${arm} zeigen`,
};
