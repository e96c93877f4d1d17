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
    const spans = this.parse(code).body.flatMap((statement) =>
      initialValues(statement).filter(({ type }) => type !== "ArrowFunctionExpression"),
    );
    return { code: replaced(code, spans, pure), map: null };
  },
});

/**
 * Leaves out of a bundle what of `marked` renders HTML. Only its lexer is used, but its file also makes a renderer of its own and
 * writes it onto the function that it exports by default, which a bundler has to keep.
 *
 * @returns {import("vite").Plugin}
 */
export const lexerAlone = () => ({
  name: "lexer-alone",
  transform(code, id) {
    if (!/\/node_modules\/marked\/lib\/marked\.esm\.js$/.test(id)) return null;
    const { body } = this.parse(code);
    const isWritten = (/** @type {any} */ { type, expression }) =>
      type === "ExpressionStatement" && expression.left?.type === "MemberExpression";
    if (!body.some(isWritten))
      this.error("marked is made in another way: see whether its lexer still stands alone");
    const spans = body.flatMap((statement) =>
      isWritten(statement)
        ? [statement]
        : initialValues(statement).filter(({ type }) => /^(?:Member|New)Expression$/.test(type)),
    );
    return { code: replaced(code, spans, (part) => (part.endsWith(";") ? "" : pure(part))), map: null };
  },
});

/** What the constants of a top-level statement are set to. @param {any} statement @returns {any[]} */
function initialValues(statement) {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  return declared?.type === "VariableDeclaration"
    ? declared.declarations.flatMap((/** @type {any} */ { init }) => init ?? [])
    : [];
}

/** An expression that a bundler may leave out. @param {string} init */
const pure = (init) => `/* @__PURE__ */ (() => (${init}))()`;

/**
 * @param {string} code
 * @param {readonly { readonly start: number, readonly end: number }[]} spans in order
 * @param {(part: string) => string} change
 */
const replaced = (code, spans, change) =>
  // From the last to the first, so that the places before stay what they are.
  spans.reduceRight(
    (text, { start, end }) => text.slice(0, start) + change(text.slice(start, end)) + text.slice(end),
    code,
  );
