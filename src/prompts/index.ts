export * from "./council.ts";
export * from "./fence.ts";
export * from "./judge.ts";
export * from "./ladder.ts";
export type { Desk } from "./material.ts";
export * from "./slots.ts";
export * from "./template.ts";
