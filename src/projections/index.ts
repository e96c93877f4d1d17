export * from "./claims.ts";
export * from "./critical-path.ts";
export * from "./progress.ts";
export * from "./result.ts";
export * from "./spending.ts";
