import * as z from "zod";
import { ModelRef } from "../kernel/index.ts";
import { nearest } from "./nearest.ts";
import { refuse, shown } from "./refusal.ts";
import type { YamlFile } from "./yaml.ts";

const temperature = z.number().min(0).max(2);

/** What a story says in place of flags, as its file writes it. */
export const WrittenDefaults = z.strictObject({
  model: ModelRef.optional(),
  judge: ModelRef.optional(),
  respondent_b: z.boolean().optional(),
  model_b: ModelRef.optional(),
  temperature: temperature.optional(),
  temperature_b: temperature.optional(),
});
type WrittenDefaults = z.output<typeof WrittenDefaults>;

/** What a story says in place of flags, where these are not given. */
export type StoryDefaults = {
  readonly model?: ModelRef | undefined;
  readonly judge?: ModelRef | undefined;
  readonly respondentB?: boolean | undefined;
  readonly modelB?: ModelRef | undefined;
  readonly temperature?: number | undefined;
  readonly temperatureB?: number | undefined;
};

export const defaultsOf = ({
  respondent_b: respondentB,
  model_b: modelB,
  temperature_b: temperatureB,
  ...same
}: WrittenDefaults): StoryDefaults => ({
  ...same,
  ...(respondentB === undefined ? {} : { respondentB }),
  ...(modelB === undefined ? {} : { modelB }),
  ...(temperatureB === undefined ? {} : { temperatureB }),
});

/** LoCAL2's flags that mean something here. */
const FLAGS = ["--model", "--respondent-b", "--model-b", "--temperature-b"];

/**
 * What LoCAL2's `startup_flags` ask for. A model without a provider is Ollama's, as all of LoCAL2's are.
 * @throws Fault `configuration` with the place of a flag that means nothing here, or lacks its value
 */
export function startupDefaults(file: YamlFile, words: readonly string[]): WrittenDefaults {
  let given: WrittenDefaults = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const at = file.place(["startup_flags", index], "value");
    const value = <S extends z.ZodType>(read: S, what: string, written: unknown): z.output<S> => {
      const parsed = read.safeParse(written);
      if (!parsed.success) throw refuse(`${at}: ${word} needs a ${what}`, "write it behind the flag");
      index += 1;
      return parsed.data;
    };
    const next = words[index + 1];
    switch (word) {
      case "--respondent-b":
        given = { ...given, respondent_b: true };
        break;
      case "--model":
        given = { ...given, model: value(ModelRef, "model", local(next)) };
        break;
      case "--model-b":
        given = { ...given, model_b: value(ModelRef, "model", local(next)) };
        break;
      case "--temperature-b":
        given = { ...given, temperature_b: value(temperature, "temperature", Number(next || Number.NaN)) };
        break;
      default:
        throw refuse(
          `${at}: the flag ${shown(word)} means nothing here`,
          `the nearest is ${nearest(word, FLAGS)}`,
        );
    }
  }
  return given;
}

const local = (model = ""): string => (model.includes("/") ? model : `ollama/${model}`);
