import { both, inEach, inLanguage } from "../../web/strings.ts";
import { plural } from "../../web/language.ts";

export const catalogue = inEach({
  league: {
    title: both("League", "Liga"),
    empty: both("No votes yet.", "Noch keine Stimmen."),
    emptyNext: both(
      "Councils whose members rank each other fill this table. Ask one.",
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Tabelle. Dazu einen Rat befragen.",
    ),
    sessions: both(
      (count: number) => plural(count, "session", "sessions"),
      (count) => plural(count, "Sitzung", "Sitzungen"),
    ),
    tooFewSessions: both(
      "fewer than 20: too few for any claim",
      "weniger als 20: zu wenige für eine Aussage",
    ),
    chance: both(
      (p: string) => `equals would differ as much with p = ${p}`,
      (p) => `Gleich starke würden sich mit p = ${p} ebenso stark unterscheiden`,
    ),
    player: both("Name", "Name"),
    votes: both("Votes", "Stimmen"),
    wins: both("Wins", "Siege"),
    averageRank: both("Mean rank", "Mittlerer Rang"),
    strength: both("Strength (95 %)", "Stärke (95 %)"),
  },
  votes: {
    title: both("Votes", "Stimmen"),
    empty: both("No votes yet.", "Noch keine Stimmen."),
    emptyNext: both(
      "Councils whose members rank each other fill this page. Ask one.",
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Seite. Dazu einen Rat befragen.",
    ),
    everybody: both("Show everybody", "Alle anzeigen"),
    matrixHint: both(
      "How high each row ranked each column on the mean: 100 % is first, 0 % last. In brackets: how many votes.",
      "Wie hoch jede Zeile jede Spalte im Mittel einstuft: 100 % ist der erste Rang, 0 % der letzte. In Klammern: die Zahl der Stimmen.",
    ),
    voter: both("Voter", "Stimme von"),
    candidate: both("Draft by", "Entwurf von"),
    when: both("When", "Wann"),
    position: both("Shown as", "Gezeigt als"),
    rank: both(
      (rank: number, of: number) => `${rank} of ${of}`,
      (rank, of) => `${rank} von ${of}`,
    ),
    remarks: both("Remarks", "Anmerkungen"),
    history: both("Every vote", "Alle Stimmen"),
  },
});

export const words = inLanguage(catalogue);
