/**
 * Makes a schema of a constant at the top of a file, and of a field of one that has schemas, when it is first asked for. A process parses with a tenth of the schemas that
 * its files declare, and making all of them takes a fifth of a start. Building a schema does nothing else, so that nobody can tell.
 *
 * @param {string} zod the name of the chunk that has zod
 * @returns {import("tsdown").Rolldown.Plugin}
 */
export const lazySchemas = (zod) => ({
  name: "lazy-schemas",
  renderChunk(code) {
    return deferSchemas(code, zod, this.parse(code));
  },
});

/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node */

/** The code of a chunk with its schemas deferred; null where there are none. @param {string} code @param {string} zod @param {any} program */
export function deferSchemas(code, zod, program) {
  const namespace = program.body
    .flatMap(declarators)
    .find((/** @type {Node} */ { init }) => requires(init, zod))?.id.name;
  if (namespace === undefined) return null;
  const bound = new Map();
  visit(program, (node) => {
    for (const name of boundBy(node)) bound.set(name, (bound.get(name) ?? 0) + 1);
  });
  const deferred = new Map();
  const isSchema = (/** @type {any} */ { type, ...node }) =>
    type === "CallExpression" && (rootOf(node.callee) === namespace || deferred.has(rootOf(node.callee)));
  const isField = (/** @type {any} */ { value, computed }) => value && !computed && isSchema(value);
  const isMade = (/** @type {any} */ { value, computed }) =>
    !computed && (value?.type === "CallExpression" || deferred.has(value?.name));
  /** @type {Node[]} */
  const fields = [];
  for (const statement of program.body) {
    const [one, ...others] = declarators(statement);
    const { id, init } = /** @type {any} */ (one ?? {});
    if (others.length > 0 || !init) continue;
    if (init.type === "ObjectExpression" && init.properties.some(isField))
      fields.push(...init.properties.filter(isMade));
    // A name that is bound again within a function may mean what it is bound to there.
    if (isSchema(init) && bound.get(id.name) === 1 && !bound.has(`${id.name}$`))
      deferred.set(id.name, { statement, init });
  }
  if (deferred.size + fields.length === 0) return null;
  /** By where they begin, because a field in short form is one node twice. @type {Map<number, { to: number, text: string }>} */
  const edits = new Map();
  for (const [name, { statement, init }] of deferred) {
    const text = `var ${name}$made;function ${name}$(){return ${name}$made??=`;
    edits.set(statement.start, { to: init.start, text });
    edits.set(init.end, { to: statement.end, text: ";}" });
  }
  visit(program, (node, parent) => {
    if (node.type !== "Identifier" || !deferred.has(node["name"])) return;
    const { computed, shorthand, key, value, property, id, label } = /** @type {any} */ (parent ?? {});
    const isShort = shorthand === true && value === node;
    if (id === node || label === node || (!isShort && !computed && (key === node || property === node)))
      return;
    const text = `${isShort ? `${node["name"]}:` : ""}${node["name"]}$()`;
    edits.set(node.start, { to: node.end, text });
  });
  for (const { start, key, value } of fields) {
    const name = JSON.stringify(key.name ?? key.value);
    const isShort = start === value.start;
    const text = `get ${name}(){return field$made(this,${name},${isShort ? `${value.name}$()` : ""}`;
    edits.set(start, { to: isShort ? value.end : value.start, text });
    edits.set(value.end, { to: value.end, text: ")}" });
  }
  let text = "";
  let done = 0;
  for (const [at, edit] of [...edits].sort(([one], [other]) => one - other)) {
    text += code.slice(done, at) + edit.text;
    done = edit.to;
  }
  return `${text}${code.slice(done)}${FIELD}`;
}

/** A field that was made stands there from then on. */
const FIELD =
  "\nfunction field$made(of,key,value){Object.defineProperty(of,key,{value,enumerable:true,configurable:true,writable:true});return value;}\n";

/** @param {Node} statement @returns {Node[]} */
const declarators = ({ type, declarations }) => (type === "VariableDeclaration" ? declarations : []);

/** @param {Node | null} init @param {string} chunk */
const requires = (init, chunk) =>
  init?.type === "CallExpression" &&
  init["callee"].name === "require" &&
  String(init["arguments"][0]?.value).startsWith(`./${chunk}`);

/** What the beginning of a chain of calls is called. @param {Node} node @returns {string | undefined} */
function rootOf(node) {
  if (node.type === "CallExpression") return rootOf(node["callee"]);
  if (node.type === "MemberExpression") return rootOf(node["object"]);
  return node.type === "Identifier" ? node["name"] : undefined;
}

/** The names that a node binds. @param {Node} node @returns {string[]} */
function boundBy({ type, id, params, param, local }) {
  if (type === "VariableDeclarator") return namesIn(id);
  if (type === "CatchClause") return param ? namesIn(param) : [];
  if (/^Class|^Function|^ArrowFunction/.test(type))
    return [...(id ? [id.name] : []), ...(params ?? []).flatMap(namesIn)];
  return type.startsWith("Import") && local ? [local.name] : [];
}

/** @param {Node} pattern @returns {string[]} */
function namesIn(pattern) {
  if (pattern.type === "Identifier") return [pattern["name"]];
  if (pattern.type === "AssignmentPattern") return namesIn(pattern["left"]);
  if (pattern.type === "RestElement") return namesIn(pattern["argument"]);
  if (pattern.type === "ArrayPattern")
    return pattern["elements"].flatMap((/** @type {any} */ one) => (one ? namesIn(one) : []));
  if (pattern.type === "ObjectPattern")
    return pattern["properties"].flatMap((/** @type {any} */ one) =>
      namesIn(one.type === "RestElement" ? one : one.value),
    );
  return [];
}

/** @param {any} node @param {(node: Node, parent: Node | undefined) => void} see @param {Node} [parent] */
function visit(node, see, parent) {
  if (Array.isArray(node)) return node.forEach((one) => visit(one, see, parent));
  if (typeof node?.type !== "string") return;
  see(node, parent);
  for (const [key, value] of Object.entries(node))
    if (key !== "parent" && typeof value === "object") visit(value, see, node);
}
