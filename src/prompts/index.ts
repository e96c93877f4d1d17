export * from "./council.ts";
export * from "./fence.ts";
export * from "./template.ts";
