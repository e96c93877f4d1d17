import { both, inEach, inLanguage } from "../../web/strings.ts";
import { plural } from "../../web/language.ts";

export const catalogue = inEach({
  title: both("Forests", "Wälder"),
  empty: both("No forest yet.", "Noch kein Wald."),
  emptyNext: both(
    "The cycles of a forest appear here: parley forest init, then parley forest cycle.",
    "Die Zyklen eines Waldes erscheinen hier: parley forest init, danach parley forest cycle.",
  ),
  noCycle: both("Nothing of this cycle is recorded yet.", "Von diesem Zyklus ist noch nichts aufgezeichnet."),
  noCycleNext: both("Its weather and its candidates appear here.", "Wetter und Kandidaten erscheinen hier."),
  soFar: both(
    (fruits: string, tested: string) => `So far ${fruits} of ${tested} candidates are fruits.`,
    (fruits, tested) => `Bisher sind ${fruits} von ${tested} Kandidaten Früchte.`,
  ),
  fruitsOf: both(
    (fruits: string, tested: string) => `${fruits} of ${tested} candidates are fruits`,
    (fruits, tested) => `${fruits} von ${tested} Kandidaten sind Früchte`,
  ),
  all: both(
    (cycle: string) => `Cycle ${cycle} among all cycles of this forest`,
    (cycle) => `Zyklus ${cycle} unter allen Zyklen dieses Waldes`,
  ),
  cycles: both(
    (count: number) => plural(count, "cycle", "cycles"),
    (count) => plural(count, "Zyklus", "Zyklen"),
  ),
  left: both(
    (count: string) => `${count} older runs are not shown.`,
    (count) => `Ältere Läufe, die nicht angezeigt werden: ${count}.`,
  ),
  oneCycle: both(
    "A chart appears after the second cycle.",
    "Ein Diagramm erscheint nach dem zweiten Zyklus.",
  ),
  leavesChart: both("Fruits and leaves so far, by cycle", "Bisherige Früchte und Blätter je Zyklus"),
  slotsChart: both("Slots of the trees, by cycle", "Plätze der Bäume je Zyklus"),
  cyclesHead: both("Cycles", "Zyklen"),
  cycle: both("Cycle", "Zyklus"),
  state: both("State", "Zustand"),
  tested: both("Tested", "Geprüft"),
  slotsOf: both(
    (tree: string) => `Slots: ${tree}`,
    (tree) => `Plätze: ${tree}`,
  ),
  kinds: {
    fruit: both("Fruit", "Frucht"),
    golden_leaf: both("Golden leaf", "Goldenes Blatt"),
    normal_leaf: both("Normal leaf", "Normales Blatt"),
    dead_leaf: both("Dead leaf", "Totes Blatt"),
    sick_leaf: both("Sick leaf", "Krankes Blatt"),
  },
  notClassified: both("not classified", "nicht eingeordnet"),
  weather: both("Weather", "Wetter"),
  weatherOf: both(
    (cycle: string) => `Of cycle ${cycle}, the last whose weather is shown.`,
    (cycle) => `Von Zyklus ${cycle}, dem letzten, dessen Wetter gezeigt wird.`,
  ),
  noWeather: both("The weather is not recorded yet.", "Das Wetter ist noch nicht aufgezeichnet."),
  veiled: both(
    "While a person is waited for, what this cycle has found so far is hidden.",
    "Solange auf einen Menschen gewartet wird, bleiben die bisherigen Ergebnisse verborgen.",
  ),
  tree: both("Tree", "Baum"),
  slots: both("Slots", "Plätze"),
  status: both("Status", "Status"),
  why: both("Why", "Warum"),
  candidates: both("Candidates", "Kandidaten"),
  noCandidates: both("No candidate is classified yet.", "Noch ist kein Kandidat eingeordnet."),
  candidate: both("Candidate", "Kandidat"),
  kind: both("Kind", "Art"),
  gate: both("Gate", "Prüfung"),
  threshold: both("Threshold", "Schwellenwert"),
  value: both("Value", "Wert"),
  passed: both("passed", "bestanden"),
  failed: both("failed", "nicht bestanden"),
  notJudged: both("not judged", "nicht beurteilt"),
  risks: both("Risks that the skeptic named", "Vom Skeptiker genannte Risiken"),
  amendments: both("Proposed changes of gates", "Vorgeschlagene Änderungen von Prüfungen"),
  amendmentsNext: both(
    "A proposal changes nothing until a person decides. In the forest's folder: parley forest handoffs, then parley forest answer.",
    "Ein Vorschlag ändert nichts, bis ein Mensch entscheidet. Im Ordner des Waldes: parley forest handoffs, danach parley forest answer.",
  ),
  handoffs: both("Hand-offs that wait for you", "Offene Übergaben"),
  handoffsNext: both(
    "When all are answered, parley forest cycle goes on in the forest's folder.",
    "Sind alle beantwortet, macht parley forest cycle im Ordner des Waldes weiter.",
  ),
  alignment: both(
    "How well does the evidence fit the mechanism?",
    "Wie gut passt der Befund zum Mechanismus?",
  ),
  alignments: both(
    ["0: not at all", "1: hardly", "2: mostly", "3: fully"],
    ["0: gar nicht", "1: kaum", "2: weitgehend", "3: vollständig"],
  ),
  reason: both("Reason", "Begründung"),
  formulations: both("Other formulations, one a line", "Weitere Formulierungen, eine je Zeile"),
  noFormulations: both("There are none to add", "Keine weiteren vorhanden"),
});

export const words = inLanguage(catalogue);
