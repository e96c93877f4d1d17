import { writeFileSync } from "node:fs";

/**
 * A vitest reporter that writes which tests passed, how many failed, and which were skipped and why, as JSON to the
 * file named by PARLEY_TALLY. A test file that could not be loaded and an error outside any test count as one
 * failure each.
 */
export default class TallyReporter {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const path = process.env["PARLEY_TALLY"];
    if (path === undefined) return;
    const tally = { passed: [], failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      const failedBefore = tally.failed;
      for (const test of module.children.allTests()) count(tally, module, test);
      if (module.state() === "failed" && tally.failed === failedBefore) tally.failed += 1;
    }
    writeFileSync(path, JSON.stringify(tally));
  }
}

/**
 * @param {{ passed: string[], failed: number, skipped: { name: string, why: string }[] }} tally
 * @param {import("vitest/node").TestModule} module
 * @param {import("vitest/node").TestCase} test
 */
function count(tally, module, test) {
  const result = test.result();
  const name = `${module.relativeModuleId} > ${test.fullName}`;
  if (result.state === "passed") tally.passed.push(name);
  else if (result.state === "skipped") tally.skipped.push({ name, why: result.note ?? "" });
  else tally.failed += 1;
}
