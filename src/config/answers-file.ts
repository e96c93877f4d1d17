import * as z from "zod";
import { checkedFile } from "./checked-file.ts";
import { absolute, type Place } from "./paths.ts";
import { readYaml } from "./yaml.ts";

const text = z.string().trim().max(20_000, "more than 20,000 characters");
const List = z.array(z.strictObject({ id: z.string(), text })).max(500, "more than 500 answers");
const Answers = z.union([List, z.record(z.string(), text)]);

const FORM = 'answers are a map of question ids to texts, or a list of {"id", "text"}';

/** Answers to questions, by id: JSON or YAML. @throws Fault `configuration` */
export function readAnswersFile(written: string, place: Place): ReadonlyMap<string, string> {
  const answers = checkedFile(readYaml(absolute(written, place), "file of answers"), Answers, FORM);
  return new Map(Array.isArray(answers) ? answers.map((one) => [one.id, one.text]) : Object.entries(answers));
}
