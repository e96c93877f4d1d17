import { plural } from "../../web/language.ts";
import type { Widened } from "../../web/strings-en.ts";
import { inLanguage } from "../../web/strings.ts";

// The words of its screens.

const en = {
  title: "Bench",
  empty: "No bench is on record yet.",
  emptyNext:
    "`parley bench tasks.jsonl` fills this screen: it puts questions with known answers to one model, to a vote and to a council, and records how often each is right and at what cost. `parley tasks > tasks.jsonl` makes such questions.",
  tasks: (count: number) => plural(count, "task", "tasks"),
  finished: (done: string, all: string) => `${done} of ${all} finished`,
  simulated: "simulated models",
  simulatedNote:
    "Simulated models gave these answers. They show how the arms behave under a set skill, and nothing about real models.",
  openNote: (done: string, all: string) =>
    `${done} of ${all} are finished. What is not finished counts nowhere; the same command continues.`,
  failedNote: (count: number) =>
    `${plural(count, "run", "runs")} failed for lack of replies. They are not scored: parley bench --retry-failed asks again.`,
  tooFewTasks: (least: string) =>
    `Fewer than ${least} tasks: too few for any claim about which arm is better.`,
  seed: (seed: string) => `seed ${seed}`,
  noSeed: "random seeds",
  plot: "Accuracy over cost",
  plotSubtitle: "A point for each arm, by its number in the table, with its 95 % interval.",
  plotHint: "A click on a point shows the runs behind it.",
  nothing: "No arm has finished a question yet",
  axis: { usd: "US dollars per question", tokens: "tokens per question", calls: "model calls per question" },
  arms: "Arms",
  armsHint:
    "Cost, calls and latency (the longest chain of calls) are means per question; a missing answer counts as wrong.",
  number: "No.",
  arm: "Arm",
  accuracy: "Accuracy (95 %)",
  interval: "Interval",
  n: "n",
  cost: "Cost",
  calls: "Calls",
  latency: "Latency",
  notFinished: "Open",
  flips: "What deliberating changed",
  flipsHint: "Each answer beside what the same run's own drafts elect. Numbers lead to the runs behind them.",
  drafts: "Drafts",
  answer: "Answer",
  changes: {
    "right-wrong": "Right to wrong",
    "wrong-right": "Wrong to right",
    "right-none": "Right to none",
    "none-right": "None to right",
  },
  p: "p",
  pairs: "Between arms",
  pairsHint:
    "Paired by question: how often only one of two arms was right, the difference in percentage points, and p by McNemar's exact test, adjusted for all pairs.",
  pair: "Arms",
  onlyOne: "Only one right",
  difference: "Difference (95 %)",
  adjusted: "p, adjusted",
  reading: "Reading",
  better: (arm: string) => `${arm} is better`,
  preferredTo: (arm: string) => `Preferred to ${arm} (95 %)`,
  noDifference: "no significant difference",
  underpowered: "too few differ",
  noPairs: "no common questions yet",
  judged: "Open questions, judged",
  judgedHint: (judge: string) =>
    `${judge} compared the answers in both orders. A preference that changes with the order is a tie.`,
  wonTiedLost: "Won, tied, lost",
  rows: (arm: string) => `Runs of ${arm}`,
  change: "Only",
  everyRow: "all runs",
  task: "Task",
  outcome: "Outcome",
  result: "Result",
  results: { right: "right", wrong: "wrong", none: "no answer", open: "no right answer known" },
  draftsElect: "Drafts elect",
  noRows: "No run of this arm fits.",
  closeRows: "Hide the runs",
  toRows: (arm: string) => `Show the runs of ${arm}`,
};

const de: Widened<typeof en> = {
  title: "Benchmark",
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

export const catalogue = { en, de };
export const words = inLanguage(catalogue);
