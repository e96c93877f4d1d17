import { absolute, type Place } from "./paths.ts";
import { refuse } from "./refusal.ts";
import { readYaml } from "./yaml.ts";
import { fileName } from "./text-file.ts";

/**
 * What a file of facts for simulated models holds, as plain data; the simulated models know its form.
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds nothing
 */
export function readFactsFile(file: string, place: Pick<Place, "cwd" | "env">): unknown {
  const { value } = readYaml(absolute(file, place), "facts file");
  if (value === null)
    throw refuse(`the facts file ${fileName(file)} is empty`, "write facts: and a list of facts");
  return value;
}
