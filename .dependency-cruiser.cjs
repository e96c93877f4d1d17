// Which folder of src/ may import which: the table of the design, checked without exclusions.
// To add a folder, add its line; nothing else here knows a folder's name.

const everythingButWeb = ["*", "!web"];

/** folder: the other folders that it may import. Every folder may import itself. */
const layers = {
  kernel: [],
  judging: ["kernel"],
  prompts: ["kernel", "judging"],
  engine: ["kernel"],
  models: ["kernel"],
  sim: ["kernel", "prompts", "judging"],
  phases: ["kernel", "engine", "judging", "prompts"],
  protocols: ["kernel", "engine", "judging", "prompts", "phases"],
  reactors: ["kernel", "engine", "judging", "prompts", "phases"],
  memory: ["kernel", "judging"],
  gates: ["kernel"],
  tools: ["kernel"],
  stores: ["kernel", "memory"],
  projections: ["kernel", "judging"],
  reports: ["kernel", "projections"],
  config: ["kernel"],
  web: ["kernel", "projections"],
  compose: everythingButWeb,
  server: everythingButWeb,
  cli: everythingButWeb,
  testing: ["kernel", "engine", "memory"],
};

/** Folders that also have to run in a browser. */
const portable = ["kernel", "judging", "projections"];

const test = "[.]test[.]ts$";
const folders = Object.keys(layers);
const oneOf = (names) => `^src/(${names.join("|")})/`;

/** The complement of a line of the table: what a rule can name. */
function forbiddenTo(folder) {
  const allowed = layers[folder];
  const open = allowed === everythingButWeb ? folders.filter((name) => name !== "web") : allowed;
  return folders.filter((name) => name !== folder && !open.includes(name));
}

const layerRules = folders.flatMap((folder) => [
  {
    name: `${folder}-imports-only-its-layers`,
    severity: "error",
    from: { path: `^src/${folder}/`, pathNot: test },
    to: { path: oneOf(forbiddenTo(folder)) },
  },
  {
    name: `${folder}-tests-import-only-its-layers`,
    severity: "error",
    from: { path: `^src/${folder}/.*${test}` },
    to: { path: oneOf(forbiddenTo(folder).filter((name) => name !== "testing")) },
  },
]);

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: "every-folder-has-a-layer",
      comment: "a new folder needs its line in the table",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: oneOf(folders) },
      to: {},
    },
    {
      name: "no-unknown-folder",
      severity: "error",
      from: {},
      to: { path: "^src/[^/]+/", pathNot: oneOf(folders) },
    },
    {
      name: "layers-not-above-themselves",
      comment: "files directly in src/ make up the package's front; no folder may know them",
      severity: "error",
      from: { path: "^src/[^/]+/" },
      to: { path: "^src/[^/]+$" },
    },
    {
      name: "front-not-of-web",
      severity: "error",
      from: { path: "^src/[^/]+$" },
      to: { path: "^src/web/" },
    },
    {
      name: "protocols-know-no-sibling",
      comment: "what two protocols share is a phase; only ask conducts others",
      severity: "error",
      from: { path: "^src/protocols/([^/]+)/", pathNot: "^src/protocols/ask/" },
      to: { path: "^src/protocols/[^/]+/", pathNot: "^src/protocols/$1/" },
    },
    {
      name: "kernel-imports-only-zod",
      severity: "error",
      from: { path: "^src/kernel/", pathNot: test },
      to: { pathNot: "^src/kernel/|^node_modules/zod/" },
    },
    {
      name: "portable-without-node",
      severity: "error",
      from: { path: oneOf(portable), pathNot: test },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "prompts-read-no-files",
      severity: "error",
      from: { path: "^src/prompts/", pathNot: test },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nobody-imports-tests",
      severity: "error",
      from: {},
      to: { path: test },
    },
    {
      name: "nothing-shipped-needs-development-tools",
      severity: "error",
      from: { path: "^src/", pathNot: test },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
