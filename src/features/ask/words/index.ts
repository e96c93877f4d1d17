// Written by `npm run generate` from the files in this folder: change those.
import { inLanguage } from "../../../web/strings.ts";
export const words = await inLanguage<{ readonly ladder: string; readonly stepReason: string; readonly comparison: string; readonly agreements: string; readonly contradictions: string; readonly uniqueClaims: string; readonly saidBy: (names: string) => string }>({ de: () => import("./de.json"), en: () => import("./en.json") });
