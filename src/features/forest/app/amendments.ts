import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import * as z from "zod";
import { checkedFile } from "../../../config/named-files.ts";
import { refuse } from "../../../config/text-file.ts";
import { readYaml } from "../../../config/yaml.ts";
import type { BoundProfileGate } from "../../../gates/profile.ts";
import { callOf, isEvent, type Entry } from "../../../kernel/index.ts";
import { GateAmendment, SkepticVerdict } from "../protocol/replies.ts";

const Amendment = z.strictObject({
  ...GateAmendment.shape,
  id: z.string(),
  /** The cycle in which it was proposed. */
  cycle: z.int(),
  /** The model that proposed it. */
  by: z.string(),
  decision: z.enum(["yes", "no"]).nullable(),
  decided_by: z.string().nullable(),
});
export type Amendment = z.infer<typeof Amendment>;

const FILE = "gate-amendments.yaml";
const AmendmentFile = z.strictObject({ amendments: z.array(Amendment) });

/** The amendments of a forest, oldest first. @throws Fault `configuration` */
export function readAmendments(archive: string): readonly Amendment[] {
  const path = join(archive, FILE);
  if (!existsSync(path)) return [];
  return checkedFile(readYaml(path, "file of amendments"), AmendmentFile, "amendments of gates").amendments;
}

/** Adds proposals that are not there yet. */
export function writeAmendments(archive: string, proposed: readonly Amendment[]): void {
  const known = readAmendments(archive);
  const fresh = proposed.filter(({ id }) => !known.some((one) => one.id === id));
  if (fresh.length > 0) replace(archive, [...known, ...fresh]);
}

/** What the skeptic of a cycle has proposed, in the order of its steps. */
export function proposedIn(entries: readonly Entry[], cycle: number): readonly Amendment[] {
  return entries
    .filter((entry) => isEvent(entry, "critique-given"))
    .toSorted((one, other) => (stepOf(one) < stepOf(other) ? -1 : 1))
    .flatMap((entry) => {
      const said = SkepticVerdict.safeParse(JSON.parse(entry.data.text));
      const amendment = said.data?.gate_amendment;
      return amendment ? [{ ...amendment, by: callOf(entry)?.model ?? entry.data.by }] : [];
    })
    .map((amendment, index) => ({
      ...{ ...amendment, id: `amendment-${cycle}-${index + 1}`, cycle },
      ...{ decision: null, decided_by: null },
    }));
}

const stepOf = ({ origin }: Entry): string => ("step" in origin ? origin.step : "");

/** Records a person's decision. @throws Fault `configuration` for an amendment that there is not, or that was decided */
export function decideAmendment(
  archive: string,
  {
    id,
    decision,
    by,
    gates,
  }: {
    readonly id: string;
    readonly decision: "yes" | "no";
    readonly by: string;
    readonly gates: readonly BoundProfileGate[];
  },
): Amendment {
  const all = readAmendments(archive);
  const one = all.find((amendment) => amendment.id === id);
  if (!one) throw refuse(`there is no amendment ${id}`, "list them: forest handoffs");
  if (one.decision !== null)
    throw refuse(
      `${id} was decided: ${one.decision}`,
      "the first decision stands; change the gate in forest.yaml",
    );
  const gate = gates.find(({ name }) => name === one.gate);
  if (decision === "yes" && (!gate || !Object.hasOwn(gate.thresholds, one.threshold)))
    throw refuse(
      `${gate ? `the gate ${one.gate} has no threshold ${one.threshold}` : `there is no gate ${one.gate}`}`,
      "answer no, or change the gate in forest.yaml",
    );
  const decided: Amendment = { ...one, decision, decided_by: by };
  replace(
    archive,
    all.map((amendment) => (amendment.id === id ? decided : amendment)),
  );
  return decided;
}

/** The gates with the thresholds that people have accepted. */
export const accepted = (
  gates: readonly BoundProfileGate[],
  amendments: readonly Amendment[],
): readonly BoundProfileGate[] =>
  amendments
    .filter(({ decision }) => decision === "yes")
    .reduce<readonly BoundProfileGate[]>(
      (now, { gate, threshold, value, id, decided_by, why }) =>
        now.map((one) =>
          one.name === gate && Object.hasOwn(one.thresholds, threshold)
            ? {
                ...one,
                thresholds: { ...one.thresholds, [threshold]: value },
                provenance: `${id}, accepted by ${decided_by ?? "a person"}: ${why}`,
              }
            : one,
        ),
      gates,
    );

function replace(archive: string, amendments: readonly Amendment[]): void {
  mkdirSync(archive, { recursive: true });
  const path = join(archive, FILE);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, stringify({ amendments }, { lineWidth: 0 }));
  renameSync(draft, path);
}
