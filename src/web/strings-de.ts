import { en } from "./strings-en.ts";
import type { Strings } from "./strings.ts";

export const de: Strings = en;
