export { createFileTools, type FileTools } from "./file-tools.ts";
