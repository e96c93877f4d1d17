import { phrase, inEach, inLanguage } from "../../web/strings.ts";
import { plural } from "../../web/language.ts";

export const catalogue = inEach({
  title: phrase("Forests", "Wälder"),
  empty: phrase("No forest yet.", "Noch kein Wald."),
  emptyNext: phrase(
    "The cycles of a forest appear here: parley forest init, then parley forest cycle.",
    "Die Zyklen eines Waldes erscheinen hier: parley forest init, danach parley forest cycle.",
  ),
  noCycle: phrase(
    "Nothing of this cycle is recorded yet.",
    "Von diesem Zyklus ist noch nichts aufgezeichnet.",
  ),
  noCycleNext: phrase(
    "Its weather and its candidates appear here.",
    "Wetter und Kandidaten erscheinen hier.",
  ),
  soFar: phrase(
    (fruits: string, tested: string) => `So far ${fruits} of ${tested} candidates are fruits.`,
    (fruits, tested) => `Bisher sind ${fruits} von ${tested} Kandidaten Früchte.`,
  ),
  fruitsOf: phrase(
    (fruits: string, tested: string) => `${fruits} of ${tested} candidates are fruits`,
    (fruits, tested) => `${fruits} von ${tested} Kandidaten sind Früchte`,
  ),
  all: phrase(
    (cycle: string) => `Cycle ${cycle} among all cycles of this forest`,
    (cycle) => `Zyklus ${cycle} unter allen Zyklen dieses Waldes`,
  ),
  cycles: phrase(
    (count: number) => plural(count, "cycle", "cycles"),
    (count) => plural(count, "Zyklus", "Zyklen"),
  ),
  left: phrase(
    (count: string) => `${count} older runs are not shown.`,
    (count) => `Ältere Läufe, die nicht angezeigt werden: ${count}.`,
  ),
  oneCycle: phrase(
    "A chart appears after the second cycle.",
    "Ein Diagramm erscheint nach dem zweiten Zyklus.",
  ),
  leavesChart: phrase("Fruits and leaves so far, by cycle", "Bisherige Früchte und Blätter je Zyklus"),
  slotsChart: phrase("Slots of the trees, by cycle", "Plätze der Bäume je Zyklus"),
  cyclesHead: phrase("Cycles", "Zyklen"),
  cycle: phrase("Cycle", "Zyklus"),
  state: phrase("State", "Zustand"),
  tested: phrase("Tested", "Geprüft"),
  slotsOf: phrase(
    (tree: string) => `Slots: ${tree}`,
    (tree) => `Plätze: ${tree}`,
  ),
  kinds: {
    fruit: phrase("Fruit", "Frucht"),
    golden_leaf: phrase("Golden leaf", "Goldenes Blatt"),
    normal_leaf: phrase("Normal leaf", "Normales Blatt"),
    dead_leaf: phrase("Dead leaf", "Totes Blatt"),
    sick_leaf: phrase("Sick leaf", "Krankes Blatt"),
  },
  notClassified: phrase("not classified", "nicht eingeordnet"),
  weather: phrase("Weather", "Wetter"),
  weatherOf: phrase(
    (cycle: string) => `Of cycle ${cycle}, the last whose weather is shown.`,
    (cycle) => `Von Zyklus ${cycle}, dem letzten, dessen Wetter gezeigt wird.`,
  ),
  noWeather: phrase("The weather is not recorded yet.", "Das Wetter ist noch nicht aufgezeichnet."),
  veiled: phrase(
    "While a person is waited for, what this cycle has found so far is hidden.",
    "Solange auf einen Menschen gewartet wird, bleiben die bisherigen Ergebnisse verborgen.",
  ),
  tree: phrase("Tree", "Baum"),
  slots: phrase("Slots", "Plätze"),
  status: phrase("Status", "Status"),
  why: phrase("Why", "Warum"),
  candidates: phrase("Candidates", "Kandidaten"),
  noCandidates: phrase("No candidate is classified yet.", "Noch ist kein Kandidat eingeordnet."),
  candidate: phrase("Candidate", "Kandidat"),
  kind: phrase("Kind", "Art"),
  gate: phrase("Gate", "Prüfung"),
  threshold: phrase("Threshold", "Schwellenwert"),
  value: phrase("Value", "Wert"),
  passed: phrase("passed", "bestanden"),
  failed: phrase("failed", "nicht bestanden"),
  notJudged: phrase("not judged", "nicht beurteilt"),
  risks: phrase("Risks that the skeptic named", "Vom Skeptiker genannte Risiken"),
  amendments: phrase("Proposed changes of gates", "Vorgeschlagene Änderungen von Prüfungen"),
  amendmentsNext: phrase(
    "A proposal changes nothing until a person decides. In the forest's folder: parley forest handoffs, then parley forest answer.",
    "Ein Vorschlag ändert nichts, bis ein Mensch entscheidet. Im Ordner des Waldes: parley forest handoffs, danach parley forest answer.",
  ),
  handoffs: phrase("Hand-offs that wait for you", "Offene Übergaben"),
  handoffsNext: phrase(
    "When all are answered, parley forest cycle goes on in the forest's folder.",
    "Sind alle beantwortet, macht parley forest cycle im Ordner des Waldes weiter.",
  ),
  alignment: phrase(
    "How well does the evidence fit the mechanism?",
    "Wie gut passt der Befund zum Mechanismus?",
  ),
  alignments: phrase(
    ["0: not at all", "1: hardly", "2: mostly", "3: fully"],
    ["0: gar nicht", "1: kaum", "2: weitgehend", "3: vollständig"],
  ),
  reason: phrase("Reason", "Begründung"),
  formulations: phrase("Other formulations, one a line", "Weitere Formulierungen, eine je Zeile"),
  noFormulations: phrase("There are none to add", "Keine weiteren vorhanden"),
});

export const words = inLanguage(catalogue);
