import type { Widened } from "../../web/strings-en.ts";
import { inLanguage } from "../../web/strings.ts";
import { plural } from "../../web/language.ts";

// The words of its screens.

const en = {
  league: {
    title: "League",
    empty: "No votes yet.",
    emptyNext: "Councils whose members rank each other fill this table. Ask one.",
    sessions: (count: number) => plural(count, "session", "sessions"),
    tooFewSessions: "fewer than 20: too few for any claim",
    chance: (p: string) => `equals would differ as much with p = ${p}`,
    player: "Name",
    votes: "Votes",
    wins: "Wins",
    averageRank: "Mean rank",
    strength: "Strength (95 %)",
  },
  votes: {
    title: "Votes",
    empty: "No votes yet.",
    emptyNext: "Councils whose members rank each other fill this page. Ask one.",
    everybody: "Show everybody",
    matrixHint:
      "How high each row ranked each column on the mean: 100 % is first, 0 % last. In brackets: how many votes.",
    voter: "Voter",
    candidate: "Draft by",
    when: "When",
    position: "Shown as",
    rank: (rank: number, of: number) => `${rank} of ${of}`,
    remarks: "Remarks",
    history: "Every vote",
  },
};
const de: Widened<typeof en> = {
  league: {
    title: "Liga",
    empty: "Noch keine Stimmen.",
    emptyNext:
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Tabelle. Dazu einen Rat befragen.",
    sessions: (count) => plural(count, "Sitzung", "Sitzungen"),
    tooFewSessions: "weniger als 20: zu wenige für eine Aussage",
    chance: (p) => `Gleich starke würden sich mit p = ${p} ebenso stark unterscheiden`,
    player: "Name",
    votes: "Stimmen",
    wins: "Siege",
    averageRank: "Mittlerer Rang",
    strength: "Stärke (95 %)",
  },
  votes: {
    title: "Stimmen",
    empty: "Noch keine Stimmen.",
    emptyNext:
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Seite. Dazu einen Rat befragen.",
    everybody: "Alle anzeigen",
    matrixHint:
      "Wie hoch jede Zeile jede Spalte im Mittel einstuft: 100 % ist der erste Rang, 0 % der letzte. In Klammern: die Zahl der Stimmen.",
    voter: "Stimme von",
    candidate: "Entwurf von",
    when: "Wann",
    position: "Gezeigt als",
    rank: (rank, of) => `${rank} von ${of}`,
    remarks: "Anmerkungen",
    history: "Alle Stimmen",
  },
};

export const catalogue = { en, de };
export const words = inLanguage(catalogue);
