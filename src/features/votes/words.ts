import { phrase, inEach, inLanguage } from "../../web/strings.ts";
import { plural } from "../../web/language.ts";

export const catalogue = inEach({
  league: {
    title: phrase("League", "Liga"),
    empty: phrase("No votes yet.", "Noch keine Stimmen."),
    emptyNext: phrase(
      "Councils whose members rank each other fill this table. Ask one.",
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Tabelle. Dazu einen Rat befragen.",
    ),
    sessions: phrase(
      (count: number) => plural(count, "session", "sessions"),
      (count) => plural(count, "Sitzung", "Sitzungen"),
    ),
    tooFewSessions: phrase(
      "fewer than 20: too few for any claim",
      "weniger als 20: zu wenige für eine Aussage",
    ),
    chance: phrase(
      (p: string) => `equals would differ as much with p = ${p}`,
      (p) => `Gleich starke würden sich mit p = ${p} ebenso stark unterscheiden`,
    ),
    player: phrase("Name", "Name"),
    votes: phrase("Votes", "Stimmen"),
    wins: phrase("Wins", "Siege"),
    averageRank: phrase("Mean rank", "Mittlerer Rang"),
    strength: phrase("Strength (95 %)", "Stärke (95 %)"),
  },
  votes: {
    title: phrase("Votes", "Stimmen"),
    empty: phrase("No votes yet.", "Noch keine Stimmen."),
    emptyNext: phrase(
      "Councils whose members rank each other fill this page. Ask one.",
      "Räte, deren Mitglieder sich gegenseitig einstufen, füllen diese Seite. Dazu einen Rat befragen.",
    ),
    everybody: phrase("Show everybody", "Alle anzeigen"),
    matrixHint: phrase(
      "How high each row ranked each column on the mean: 100 % is first, 0 % last. In brackets: how many votes.",
      "Wie hoch jede Zeile jede Spalte im Mittel einstuft: 100 % ist der erste Rang, 0 % der letzte. In Klammern: die Zahl der Stimmen.",
    ),
    voter: phrase("Voter", "Stimme von"),
    candidate: phrase("Draft by", "Entwurf von"),
    when: phrase("When", "Wann"),
    position: phrase("Shown as", "Gezeigt als"),
    rank: phrase(
      (rank: number, of: number) => `${rank} of ${of}`,
      (rank, of) => `${rank} von ${of}`,
    ),
    remarks: phrase("Remarks", "Anmerkungen"),
    history: phrase("Every vote", "Alle Stimmen"),
  },
});

export const words = inLanguage(catalogue);
