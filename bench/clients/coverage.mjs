// node --import coverage.mjs: on SIGUSR2 writes which modules have been evaluated into NODE_V8_COVERAGE, and ends the process.
import { takeCoverage } from "node:v8";

process.on("SIGUSR2", () => {
  takeCoverage();
  process.kill(process.pid, "SIGKILL");
});
