import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaEntry } from "../../../contract/library.ts";
import { Field, TextField } from "../../../web/parts/field.tsx";
import { LimitFields, StartRun, useRunLimits } from "./paid-run.tsx";
import { words } from "../words.ts";
import { readTasks } from "./trial-tasks.ts";

/** Answers of three for 150 questions, and comparisons of a judge with two rivals in both orders. */
const MAX_CALLS = 150 * (3 + 4);

/** A bred persona's trial: against which parent, on which questions, and what it may cost. */
export function Trial({ persona: { id, lineage } }: { readonly persona: PersonaEntry }): VNode {
  const parents = lineage?.parents.map((parent) => parent.id) ?? [];
  const against = useSignal(parents[0] ?? "");
  const tasks = useSignal("");
  const judges = useSignal("");
  const limits = useRunLimits(MAX_CALLS);
  const judge = judges.value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const body = () => {
    const read = readTasks(tasks.value);
    return {
      against: against.value,
      ...(read.length === 0 ? {} : { tasks: read }),
      ...(judge.length === 0 ? {} : { judge }),
    };
  };
  return (
    <details class="part">
      <summary>
        <h2>{words.trialTitle}</h2>
      </summary>
      <p class="quiet">{words.trialHint}</p>
      <Field label={words.parents} size="narrow">
        <select value={against.value} onChange={({ currentTarget }) => (against.value = currentTarget.value)}>
          {parents.map((parent) => (
            <option key={parent} value={parent}>
              {parent}
            </option>
          ))}
        </select>
      </Field>
      <Field label={words.tasks} hint={words.tasksHint}>
        <textarea
          rows={4}
          dir="auto"
          value={tasks.value}
          onInput={({ currentTarget }) => (tasks.value = currentTarget.value)}
        />
      </Field>
      <TextField label={words.judge} size="narrow" value={judges} />
      <LimitFields limits={limits} />
      <div class="decide">
        <StartRun
          label={words.trial}
          path={`personas/${encodeURIComponent(id)}/trial`}
          body={body}
          limits={limits}
        />
      </div>
    </details>
  );
}
