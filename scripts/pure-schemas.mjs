/**
 * Leaves out of a bundle every schema that nothing in it parses with, and zod with the last of them. A bundler cannot tell that
 * building a schema does nothing else: this marks the constants of files that import zod as pure.
 *
 * @returns {import("vite").Plugin}
 */
export const pureSchemas = () => ({
  name: "pure-schemas",
  transform(code, id) {
    if (id.includes("/node_modules/") || !/\bfrom\s*"zod"/.test(code)) return null;
    const spans = this.parse(code).body.flatMap((statement) => {
      const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (declared?.type !== "VariableDeclaration") return [];
      return declared.declarations.flatMap(({ init }) =>
        init && init.type !== "ArrowFunctionExpression" ? [{ start: init.start, end: init.end }] : [],
      );
    });
    // From the last to the first, so that the places before stay what they are.
    const marked = spans.reduceRight(
      (text, { start, end }) =>
        `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    );
    return { code: marked, map: null };
  },
});
