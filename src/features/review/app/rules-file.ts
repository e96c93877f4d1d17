import { existsSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import { checkedFile } from "../../../config/named-files.ts";
import { nearestAbove, type FileContext } from "../../../config/paths.ts";
import { requireTrust } from "../../../config/trust.ts";
import { parseYaml, readYaml, type YamlFile } from "../../../config/yaml.ts";
import { ReviewRules } from "../protocol/work.ts";

// The rules of a change are those of the revision that it is a change of, never those that it brings along.

export const RULES_FILE = "parley-review.yaml";

const { maxDiffKb, ...same } = ReviewRules.shape;
const RulesFile = z.strictObject({ ...same, "max-diff-kb": maxDiffKb });
const FORM = "it may have blocks, kinds, confirmations, reviewers, max-diff-kb, ignore and instructions";

/** The rules in a file's text; `path` is how an error calls it. @throws Fault `configuration` with the place of what is wrong */
export const readRules = (text: string, path: string): ReviewRules => rulesIn(parseYaml(text, path));

function rulesIn(file: YamlFile): ReviewRules {
  const { "max-diff-kb": most, ...rules } = checkedFile(
    { ...file, value: file.value ?? {} },
    RulesFile,
    FORM,
  );
  return { ...rules, maxDiffKb: most };
}

/**
 * The rules in the work tree's own file, where this user trusts it; undefined where there is none.
 * @throws Fault `untrusted`, `configuration`
 */
export function readWorkTreeRules(place: FileContext): ReviewRules | undefined {
  const path = nearestAbove(RULES_FILE, place);
  return path !== undefined && existsSync(path) ? readTrustedFile(path, place) : undefined;
}

function readTrustedFile(path: string, place: FileContext): ReviewRules {
  const file = readYaml(path, "file of rules");
  const rules = rulesIn(file);
  const names = Object.entries(file.value ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  requireTrust({ path, text: file.text }, names, place);
  return rules;
}

/** Reads what the file of a folder names, or `file`, which somebody named, so that it can be trusted. */
export function readTrusted(reading: FileContext, file?: string): void {
  if (file === undefined) readWorkTreeRules(reading);
  else if (basename(file) === RULES_FILE) readTrustedFile(file, reading);
}
