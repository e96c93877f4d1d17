import * as z from "zod";
import { Settings as SettingsSchema } from "../../config/settings.ts";

/**
 * A setting as a request in JSON has it: without its default and without the spellings of files and flags, such as lists with
 * commas, and with times in whole milliseconds or as people write them.
 */
export function settingField(key: string): z.ZodType {
  const own: z.ZodType = SettingsSchema.shape[key as keyof typeof SettingsSchema.shape];
  const plain = own instanceof z.ZodDefault ? own.unwrap() : own;
  const bare = plain instanceof z.ZodOptional ? plain.unwrap() : plain;
  if (!key.endsWith("Ms")) return written(bare as z.ZodType).optional();
  return z
    .union([
      z
        .int()
        .positive()
        .max(2 ** 31 - 1),
      z.string().min(1).max(40),
    ])
    .optional();
}
/** What a spelling is read into, with the words that errors say of it. */
const written = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform
    ? (schema.out as z.ZodType).meta({ ...schema.meta() }) // a schema of its own
    : schema;
