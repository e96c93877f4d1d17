// Which folder of src/ may import which: the table of the design, checked without exclusions.
// To add a folder, add its line; nothing else here knows a folder's name.

const everythingButSurfaces = ["*", "!surfaces"];
/** A command starts the server. */
const andServer = ["*", "!surfaces", "server"];
const surfaces = ["cli", "server", "workers", "web", "features"];
const judging = ["replies", "stats", "text"];

/** folder: the other folders that it may import. Every folder may import itself. */
const layers = {
  kernel: [],
  text: ["kernel"],
  replies: ["kernel", "text"],
  contract: ["kernel"],
  stats: ["kernel", "contract", "text", "replies"],
  engine: ["kernel"],
  models: ["kernel"],
  tools: ["kernel"],
  gates: ["kernel", "stats", "text"],
  memory: ["kernel", "contract", ...judging],
  stores: ["kernel", "memory"],
  prompts: ["kernel", ...judging],
  sim: ["kernel", "prompts", "protocols", ...judging],
  views: ["kernel", "contract", ...judging],
  reports: ["kernel", "contract", "views", ...judging],
  protocols: ["kernel", "contract", "engine", "prompts", "views", "reports", ...judging],
  config: ["kernel", "text"],
  app: everythingButSurfaces,
  interop: everythingButSurfaces,
  cli: andServer,
  server: everythingButSurfaces,
  workers: everythingButSurfaces,
  web: ["kernel", "contract", "views", "reports", "protocols", ...judging],
  testing: ["kernel", "engine", "memory"],
  // By its parts, below.
  features: ["*"],
};

/** Packages that the build takes in, so that nobody installs them. */
const builtIn = [
  ...[
    "@cfworker",
    "ajv/dist/refs",
    "@modelcontextprotocol",
    "@preact",
    "@speed-highlight",
    "commander",
    "csv-parse",
    "diff",
  ],
  ...[
    "eventsource-parser",
    "fast-string-width",
    "hono",
    "lru-cache",
    "htmlparser2",
    "marked",
    "pino",
    "picomatch",
    "preact",
    "prom-client",
    "quickjs-emscripten-core",
    "undici",
    "yaml",
  ],
];

/** What a part of a feature may import beside its own feature: as the folder does that it was in, if it were not one feature's. */
const featureParts = {
  "contract[.]ts": [...layers.contract, "contract"],
  "protocol/": [...layers.protocols, "protocols"],
  "reactor/": [...layers.protocols, "protocols"],
  "app/": [...everythingButSurfaces],
  "api/": [...everythingButSurfaces, "server"],
  "commands/": ["*", "cli"],
  "(screens/|web[.]ts|words/)": [...layers.web, "web"],
  "sim[.]ts": [...layers.sim, "sim"],
  "index[.]ts": [],
};

/** Folders that also have to run in a browser. */
const portable = ["kernel", "contract", "views", ...judging];

const test = "[.]test[.]ts$";
const folders = Object.keys(layers);
const oneOf = (names) => `^src/(${names.join("|")})/`;

/** The complement of a line of the table: what a rule can name. */
function forbiddenTo(folder, allowed = layers[folder]) {
  const open = allowed.includes("*")
    ? folders.filter((name) => !surfaces.includes(name) || allowed.includes(name))
    : allowed;
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

const featureRules = Object.entries(featureParts).map(([part, allowed]) => ({
  name: `feature-part-${part.replaceAll(/\W+/g, "-")}-imports-only-its-layers`,
  severity: "error",
  from: { path: `^src/features/[^/]+/${part}`, pathNot: test },
  to: { path: oneOf(forbiddenTo("features", allowed)) },
}));

module.exports = {
  forbidden: [
    ...layerRules.filter(({ name }) => !name.startsWith("features-")),
    ...featureRules,
    {
      name: "features-have-known-parts",
      severity: "error",
      from: {
        path: "^src/features/[^/]+/",
        pathNot: `${test}|^src/features/[^/]+/(${Object.keys(featureParts).join("|")})`,
      },
      to: {},
    },
    {
      name: "features-know-no-sibling",
      severity: "error",
      from: { path: "^src/features/([^/]+)/" },
      to: { path: "^src/features/[^/]+/", pathNot: "^src/features/$1/" },
    },
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
      // The lists of features are for whoever starts a program, and for the page.
      from: { path: "^src/[^/]+/", pathNot: `${test}|^src/cli/main[.]ts$` },
      to: { path: "^src/[^/]+$", pathNot: "^src/features-web[.]ts$" },
    },
    {
      name: "command-starts-at-its-front",
      severity: "error",
      from: { path: "^src/cli/main[.]ts$" },
      to: { path: "^src/[^/]+$", pathNot: "^src/command[.]ts$" },
    },
    {
      name: "root-never-loads-the-lab",
      comment: "who measures deliberations imports parley/lab",
      severity: "error",
      from: { path: "^src/app/parley[.]ts$" },
      to: { path: "^src/(lab[.]ts$|features/)", reachable: true },
    },
    {
      name: "front-not-of-web",
      severity: "error",
      from: { path: "^src/[^/]+$", pathNot: "^src/features-web[.]ts$" },
      to: { path: "^src/web/" },
    },
    {
      name: "protocols-know-no-sibling",
      comment: "what two protocols share stands in protocols/phases",
      severity: "error",
      from: { path: "^src/(?:protocols|features)/([^/]+)/(?!api/|app/|commands/)" },
      to: { path: "^src/protocols/[^/]+/", pathNot: "^src/protocols/($1|phases)/" },
    },
    {
      name: "views-and-reports-run-in-a-page",
      comment:
        "a protocol's view.ts and report.ts are folds and words: no engine, no prompts, no steps of the protocol",
      severity: "error",
      from: {
        path: "^src/(protocols/[^/]+|features/[^/]+/protocol|features/[^/]+/protocol/[a-z]+)/(view|report)[^/]*(/|[.]ts$)",
        pathNot: test,
      },
      to: {
        path: "^src/",
        pathNot: `${oneOf([...judging, "kernel", "contract", "views", "reports"])}|^src/$1/(view|report|work|validation|history|state|growth|seeds|weather)`,
      },
    },
    {
      name: "kernel-imports-only-zod",
      severity: "error",
      from: { path: "^src/kernel/", pathNot: test },
      to: { pathNot: "^src/kernel/|(^|/)node_modules/zod/" },
    },
    {
      name: "contract-imports-only-the-kernel-and-zod",
      severity: "error",
      from: { path: "^src/(contract/|features/[^/]+/contract[.]ts)", pathNot: test },
      to: { pathNot: "^src/(contract|kernel)/|(^|/)node_modules/zod/" },
    },
    {
      name: "web-imports-only-types-of-the-contract",
      comment: "the server checks what it gives; a page that checked it again would carry every schema",
      severity: "error",
      from: { path: "^src/(web/|features/[^/]+/(screens/|web[.]ts|words/))", pathNot: test },
      to: { path: "^src/(contract/|features/[^/]+/contract[.]ts)", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "portable-without-node",
      severity: "error",
      from: { path: oneOf(portable), pathNot: test },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "elements-without-node",
      comment: "a page in a browser makes its elements of these trees",
      severity: "error",
      from: {
        path: "^src/(reports/(element|markdown-tree|plot|timeline)|protocols/[^/]+/report(/chart|-plot)|features/([^/]+/protocol/([a-z]+/|)report(/chart|-plot)|contributions/app/text))[.]ts$",
      },
      to: { pathNot: "^src/|(^|/)node_modules/", reachable: true },
    },
    {
      name: "prompts-read-no-files",
      severity: "error",
      from: { path: "^src/prompts/", pathNot: test },
      to: { dependencyTypes: ["core"] },
    },
    { name: "nobody-imports-tests", severity: "error", from: {}, to: { path: test } },
    {
      name: "nothing-shipped-needs-development-tools",
      comment: "what the build takes in is a development dependency, too, and stands in the list above",
      severity: "error",
      from: { path: "^src/", pathNot: test },
      to: {
        ...{ dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
        pathNot: `(^|/)node_modules/(${builtIn.join("|")})/`,
      },
    },
    {
      name: "no-circular",
      comment:
        "types count; a circle may close in what is loaded when it is run or looked at: a table's commands, a feature's screens, a language",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["dynamic-import"] } },
    },
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
