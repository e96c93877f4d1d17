import { plural } from "../../web/language.ts";
import { phrase, inEach, inLanguage } from "../../web/strings.ts";

export const catalogue = inEach({
  title: phrase("Bench", "Benchmark"),
  empty: phrase("No bench is on record yet.", "Noch ist kein Benchmark aufgezeichnet."),
  emptyNext: phrase(
    "`parley bench tasks.jsonl` fills this screen: it puts questions with known answers to one model, to a vote and to a council, and records how often each is right and at what cost. `parley tasks > tasks.jsonl` makes such questions.",
    "`parley bench tasks.jsonl` füllt diese Seite: Der Befehl stellt Fragen mit bekannten Antworten einem Modell, einer Abstimmung und einem Rat, und zeichnet auf, wie oft jeder richtig liegt und was es kostet. `parley tasks > tasks.jsonl` erzeugt solche Fragen.",
  ),
  tasks: phrase(
    (count: number) => plural(count, "task", "tasks"),
    (count) => plural(count, "Aufgabe", "Aufgaben"),
  ),
  finished: phrase(
    (done: string, all: string) => `${done} of ${all} finished`,
    (done, all) => `${done} von ${all} fertig`,
  ),
  simulated: phrase("simulated models", "simulierte Modelle"),
  simulatedNote: phrase(
    "Simulated models gave these answers. They show how the arms behave under a set skill, and nothing about real models.",
    "Diese Antworten gaben simulierte Modelle. Sie zeigen, wie sich die Verfahren bei einer festgelegten Fähigkeit verhalten, und sagen nichts über echte Modelle.",
  ),
  openNote: phrase(
    (done: string, all: string) =>
      `${done} of ${all} are finished. What is not finished counts nowhere; the same command continues.`,
    (done, all) =>
      `${done} von ${all} sind fertig. Was nicht fertig ist, zählt nirgends; derselbe Befehl setzt fort.`,
  ),
  failedNote: phrase(
    (count: number) =>
      `${plural(count, "run", "runs")} failed for lack of replies. They are not scored: parley bench --retry-failed asks again.`,
    (count) =>
      `${plural(count, "Lauf", "Läufe")} ohne genügend Antworten. Sie werden nicht gewertet: parley bench --retry-failed fragt erneut.`,
  ),
  tooFewTasks: phrase(
    (least: string) => `Fewer than ${least} tasks: too few for any claim about which arm is better.`,
    (least) => `Weniger als ${least} Aufgaben: zu wenige für eine Aussage, welches Verfahren besser ist.`,
  ),
  seed: phrase(
    (seed: string) => `seed ${seed}`,
    (seed) => `Startwert ${seed}`,
  ),
  noSeed: phrase("random seeds", "zufällige Startwerte"),
  plot: phrase("Accuracy over cost", "Genauigkeit und Kosten"),
  plotSubtitle: phrase(
    "A point for each arm, by its number in the table, with its 95 % interval.",
    "Ein Punkt je Verfahren, mit seiner Nummer aus der Tabelle und seinem 95-%-Intervall.",
  ),
  plotHint: phrase(
    "A click on a point shows the runs behind it.",
    "Ein Klick auf einen Punkt zeigt die Läufe dahinter.",
  ),
  nothing: phrase("No arm has finished a question yet", "Noch hat kein Verfahren eine Frage beendet"),
  axis: {
    usd: phrase("US dollars per question", "US-Dollar je Frage"),
    tokens: phrase("tokens per question", "Tokens je Frage"),
    calls: phrase("model calls per question", "Modellaufrufe je Frage"),
  },
  arms: phrase("Arms", "Verfahren"),
  armsHint: phrase(
    "Cost, calls and latency (the longest chain of calls) are means per question; a missing answer counts as wrong.",
    "Kosten, Aufrufe und Dauer (die längste Kette von Aufrufen) sind Mittelwerte je Frage; eine fehlende Antwort zählt als falsch.",
  ),
  number: phrase("No.", "Nr."),
  arm: phrase("Arm", "Verfahren"),
  accuracy: phrase("Accuracy (95 %)", "Genauigkeit (95 %)"),
  interval: phrase("Interval", "Intervall"),
  n: phrase("n", "n"),
  cost: phrase("Cost", "Kosten"),
  calls: phrase("Calls", "Aufrufe"),
  latency: phrase("Latency", "Dauer"),
  notFinished: phrase("Open", "Offen"),
  flips: phrase("What deliberating changed", "Was das Beraten änderte"),
  flipsHint: phrase(
    "Each answer beside what the same run's own drafts elect. Numbers lead to the runs behind them.",
    "Jede Antwort neben dem, was die Entwürfe desselben Laufs wählen. Zahlen führen zu den Läufen dahinter.",
  ),
  drafts: phrase("Drafts", "Entwürfe"),
  answer: phrase("Answer", "Antwort"),
  changes: {
    "right-wrong": phrase("Right to wrong", "Richtig zu falsch"),
    "wrong-right": phrase("Wrong to right", "Falsch zu richtig"),
    "right-none": phrase("Right to none", "Richtig zu keiner"),
    "none-right": phrase("None to right", "Keine zu richtig"),
  },
  p: phrase("p", "p"),
  pairs: phrase("Between arms", "Zwischen den Verfahren"),
  pairsHint: phrase(
    "Paired by question: how often only one of two arms was right, the difference in percentage points, and p by McNemar's exact test, adjusted for all pairs.",
    "Paarweise je Frage: wie oft nur eines von zwei Verfahren richtig lag, der Unterschied in Prozentpunkten, und p nach McNemars exaktem Test, korrigiert für alle Paare.",
  ),
  pair: phrase("Arms", "Verfahren"),
  onlyOne: phrase("Only one right", "Nur eines richtig"),
  difference: phrase("Difference (95 %)", "Unterschied (95 %)"),
  adjusted: phrase("p, adjusted", "p, korrigiert"),
  reading: phrase("Reading", "Lesart"),
  better: phrase(
    (arm: string) => `${arm} is better`,
    (arm) => `${arm} ist besser`,
  ),
  preferredTo: phrase(
    (arm: string) => `Preferred to ${arm} (95 %)`,
    (arm) => `Bevorzugt gegenüber ${arm} (95 %)`,
  ),
  noDifference: phrase("no significant difference", "kein deutlicher Unterschied"),
  underpowered: phrase("too few differ", "zu wenige unterscheiden sich"),
  noPairs: phrase("no common questions yet", "noch keine gemeinsamen Fragen"),
  judged: phrase("Open questions, judged", "Offene Fragen, beurteilt"),
  judgedHint: phrase(
    (judge: string) =>
      `${judge} compared the answers in both orders. A preference that changes with the order is a tie.`,
    (judge) =>
      `${judge} verglich die Antworten in beiden Reihenfolgen. Was sich mit der Reihenfolge ändert, ist unentschieden.`,
  ),
  wonTiedLost: phrase("Won, tied, lost", "Gewonnen, unentschieden, verloren"),
  rows: phrase(
    (arm: string) => `Runs of ${arm}`,
    (arm) => `Läufe von ${arm}`,
  ),
  change: phrase("Only", "Nur"),
  everyRow: phrase("all runs", "alle Läufe"),
  task: phrase("Task", "Aufgabe"),
  outcome: phrase("Outcome", "Ausgang"),
  result: phrase("Result", "Ergebnis"),
  results: {
    right: phrase("right", "richtig"),
    wrong: phrase("wrong", "falsch"),
    none: phrase("no answer", "keine Antwort"),
    open: phrase("no right answer known", "ohne bekannte Antwort"),
  },
  draftsElect: phrase("Drafts elect", "Entwürfe wählen"),
  noRows: phrase("No run of this arm fits.", "Kein Lauf dieses Verfahrens passt."),
  closeRows: phrase("Hide the runs", "Läufe ausblenden"),
  toRows: phrase(
    (arm: string) => `Show the runs of ${arm}`,
    (arm) => `Läufe von ${arm} zeigen`,
  ),
});

export const words = inLanguage(catalogue);
