import { openConfigured as open } from "../../src/app/configured.ts";
import { features } from "../../src/features.ts";

export { openParley } from "../../src/index.ts";

/** As a command opens it: with the features that ship. */
export const openConfigured = (options: Parameters<typeof open>[0]) => open({ features, ...options });
