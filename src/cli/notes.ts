import type { FeedbackOutcome } from "../app/feedback.ts";
import type { Note } from "../engine/opening-part.ts";
import { oneLine } from "../reports/printable.ts";

const MAX_NOTE_LENGTH = 2_000;

/** A note before a run, in words; what others named in it is printable, and on one line. */
export const wordNote = (note: Note): string => oneLine(describeNote(note), MAX_NOTE_LENGTH);

function describeNote(note: Note): string {
  switch (note.code) {
    case "simulated-models":
      return (
        "No model is configured, no Ollama runs here and no key is set: using simulated models. They compute arithmetic, " +
        "counting and small puzzles, and know a few facts; for anything else they write a placeholder. Set a key, start Ollama or use --models for real answers."
      );
    case "models-discovered":
      return note.through === "home"
        ? `Using models on this machine: ${note.models.join(", ")}`
        : `Using models available through your API keys: ${note.models.join(", ")}`;
    case "shared-family":
      return `Note: ${note.members} of ${note.of} models are from ${note.family}; expect correlated errors`;
    case "judge-shares-family": {
      const who = note.model === null ? note.judge : `the judge ${note.judge}`;
      const whom = note.model === null ? "a member" : `${note.model}, whose answers it grades`;
      return `Note: ${who} is of the family ${note.family}, like ${whom}; expect self-preference bias`;
    }
    case "tool-without-folder":
      return `${note.tool} is left out: no folder was given; name one with --folder DIR`;
    case "folder-unused":
      return "--folder is not used: no agent of the configuration has file_read or list_files";
    case "embedding-unavailable":
      return `${note.reason}; passages are compared by their words`;
    case "single-agent":
      return "There is one agent and nobody to criticize it: it proposes, and the judge writes the solution";
    case "participant": {
      const summary = note.summary
        ? `${note.summary.method} from ${note.summary.threshold} characters`
        : "whole history";
      return `${note.name} (${note.id}): ${note.role}, ${note.model}, temperature ${note.temperature ?? "provider default"}, ${note.instructions ?? "built-in instructions"}, ${summary}`;
    }
    case "warning":
      return note.text;
  }
}

const FEEDBACK: { readonly [S in FeedbackOutcome["status"]]: string } = {
  recorded: "Feedback saved",
  stored: "Feedback saved with the answer in memory",
  retired: "Feedback saved; this answer will not be reused",
  "not-stored": "Feedback saved; memory has not stored it",
  "not-remembered": "Feedback saved; the answer is not in memory",
};

/** What became of a person's feedback, in words. */
export const wordFeedback = (outcome: FeedbackOutcome): string =>
  FEEDBACK[outcome.status] + ("reason" in outcome ? `: ${outcome.reason}` : "");
