import { plural } from "../../web/language.ts";
import { both, inEach, inLanguage } from "../../web/strings.ts";

export const catalogue = inEach({
  title: both("Bench", "Benchmark"),
  empty: both("No bench is on record yet.", "Noch ist kein Benchmark aufgezeichnet."),
  emptyNext: both(
    "`parley bench tasks.jsonl` fills this screen: it puts questions with known answers to one model, to a vote and to a council, and records how often each is right and at what cost. `parley tasks > tasks.jsonl` makes such questions.",
    "`parley bench tasks.jsonl` füllt diese Seite: Der Befehl stellt Fragen mit bekannten Antworten einem Modell, einer Abstimmung und einem Rat, und zeichnet auf, wie oft jeder richtig liegt und was es kostet. `parley tasks > tasks.jsonl` erzeugt solche Fragen.",
  ),
  tasks: both(
    (count: number) => plural(count, "task", "tasks"),
    (count) => plural(count, "Aufgabe", "Aufgaben"),
  ),
  finished: both(
    (done: string, all: string) => `${done} of ${all} finished`,
    (done, all) => `${done} von ${all} fertig`,
  ),
  simulated: both("simulated models", "simulierte Modelle"),
  simulatedNote: both(
    "Simulated models gave these answers. They show how the arms behave under a set skill, and nothing about real models.",
    "Diese Antworten gaben simulierte Modelle. Sie zeigen, wie sich die Verfahren bei einer festgelegten Fähigkeit verhalten, und sagen nichts über echte Modelle.",
  ),
  openNote: both(
    (done: string, all: string) =>
      `${done} of ${all} are finished. What is not finished counts nowhere; the same command continues.`,
    (done, all) =>
      `${done} von ${all} sind fertig. Was nicht fertig ist, zählt nirgends; derselbe Befehl setzt fort.`,
  ),
  failedNote: both(
    (count: number) =>
      `${plural(count, "run", "runs")} failed for lack of replies. They are not scored: parley bench --retry-failed asks again.`,
    (count) =>
      `${plural(count, "Lauf", "Läufe")} ohne genügend Antworten. Sie werden nicht gewertet: parley bench --retry-failed fragt erneut.`,
  ),
  tooFewTasks: both(
    (least: string) => `Fewer than ${least} tasks: too few for any claim about which arm is better.`,
    (least) => `Weniger als ${least} Aufgaben: zu wenige für eine Aussage, welches Verfahren besser ist.`,
  ),
  seed: both(
    (seed: string) => `seed ${seed}`,
    (seed) => `Startwert ${seed}`,
  ),
  noSeed: both("random seeds", "zufällige Startwerte"),
  plot: both("Accuracy over cost", "Genauigkeit und Kosten"),
  plotSubtitle: both(
    "A point for each arm, by its number in the table, with its 95 % interval.",
    "Ein Punkt je Verfahren, mit seiner Nummer aus der Tabelle und seinem 95-%-Intervall.",
  ),
  plotHint: both(
    "A click on a point shows the runs behind it.",
    "Ein Klick auf einen Punkt zeigt die Läufe dahinter.",
  ),
  nothing: both("No arm has finished a question yet", "Noch hat kein Verfahren eine Frage beendet"),
  axis: {
    usd: both("US dollars per question", "US-Dollar je Frage"),
    tokens: both("tokens per question", "Tokens je Frage"),
    calls: both("model calls per question", "Modellaufrufe je Frage"),
  },
  arms: both("Arms", "Verfahren"),
  armsHint: both(
    "Cost, calls and latency (the longest chain of calls) are means per question; a missing answer counts as wrong.",
    "Kosten, Aufrufe und Dauer (die längste Kette von Aufrufen) sind Mittelwerte je Frage; eine fehlende Antwort zählt als falsch.",
  ),
  number: both("No.", "Nr."),
  arm: both("Arm", "Verfahren"),
  accuracy: both("Accuracy (95 %)", "Genauigkeit (95 %)"),
  interval: both("Interval", "Intervall"),
  n: both("n", "n"),
  cost: both("Cost", "Kosten"),
  calls: both("Calls", "Aufrufe"),
  latency: both("Latency", "Dauer"),
  notFinished: both("Open", "Offen"),
  flips: both("What deliberating changed", "Was das Beraten änderte"),
  flipsHint: both(
    "Each answer beside what the same run's own drafts elect. Numbers lead to the runs behind them.",
    "Jede Antwort neben dem, was die Entwürfe desselben Laufs wählen. Zahlen führen zu den Läufen dahinter.",
  ),
  drafts: both("Drafts", "Entwürfe"),
  answer: both("Answer", "Antwort"),
  changes: {
    "right-wrong": both("Right to wrong", "Richtig zu falsch"),
    "wrong-right": both("Wrong to right", "Falsch zu richtig"),
    "right-none": both("Right to none", "Richtig zu keiner"),
    "none-right": both("None to right", "Keine zu richtig"),
  },
  p: both("p", "p"),
  pairs: both("Between arms", "Zwischen den Verfahren"),
  pairsHint: both(
    "Paired by question: how often only one of two arms was right, the difference in percentage points, and p by McNemar's exact test, adjusted for all pairs.",
    "Paarweise je Frage: wie oft nur eines von zwei Verfahren richtig lag, der Unterschied in Prozentpunkten, und p nach McNemars exaktem Test, korrigiert für alle Paare.",
  ),
  pair: both("Arms", "Verfahren"),
  onlyOne: both("Only one right", "Nur eines richtig"),
  difference: both("Difference (95 %)", "Unterschied (95 %)"),
  adjusted: both("p, adjusted", "p, korrigiert"),
  reading: both("Reading", "Lesart"),
  better: both(
    (arm: string) => `${arm} is better`,
    (arm) => `${arm} ist besser`,
  ),
  preferredTo: both(
    (arm: string) => `Preferred to ${arm} (95 %)`,
    (arm) => `Bevorzugt gegenüber ${arm} (95 %)`,
  ),
  noDifference: both("no significant difference", "kein deutlicher Unterschied"),
  underpowered: both("too few differ", "zu wenige unterscheiden sich"),
  noPairs: both("no common questions yet", "noch keine gemeinsamen Fragen"),
  judged: both("Open questions, judged", "Offene Fragen, beurteilt"),
  judgedHint: both(
    (judge: string) =>
      `${judge} compared the answers in both orders. A preference that changes with the order is a tie.`,
    (judge) =>
      `${judge} verglich die Antworten in beiden Reihenfolgen. Was sich mit der Reihenfolge ändert, ist unentschieden.`,
  ),
  wonTiedLost: both("Won, tied, lost", "Gewonnen, unentschieden, verloren"),
  rows: both(
    (arm: string) => `Runs of ${arm}`,
    (arm) => `Läufe von ${arm}`,
  ),
  change: both("Only", "Nur"),
  everyRow: both("all runs", "alle Läufe"),
  task: both("Task", "Aufgabe"),
  outcome: both("Outcome", "Ausgang"),
  result: both("Result", "Ergebnis"),
  results: {
    right: both("right", "richtig"),
    wrong: both("wrong", "falsch"),
    none: both("no answer", "keine Antwort"),
    open: both("no right answer known", "ohne bekannte Antwort"),
  },
  draftsElect: both("Drafts elect", "Entwürfe wählen"),
  noRows: both("No run of this arm fits.", "Kein Lauf dieses Verfahrens passt."),
  closeRows: both("Hide the runs", "Läufe ausblenden"),
  toRows: both(
    (arm: string) => `Show the runs of ${arm}`,
    (arm) => `Läufe von ${arm} zeigen`,
  ),
});

export const words = inLanguage(catalogue);
