import { fileURLToPath } from "node:url";

/** The folder that package.json lies in. */
export const root = fileURLToPath(new URL("..", import.meta.url));
