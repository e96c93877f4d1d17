import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { resolve } from "node:path";
import { defineConfig, type Rolldown } from "tsdown";
import manifest from "./package.json" with { type: "json" };
import { lazySchemas } from "./scripts/lazy-schemas.mjs";
import { licenses } from "./scripts/licenses.mjs";

type Entry = readonly [output: string, source: string];

/** `./kernel` in package.json's exports is src/kernel.ts or src/kernel/index.ts, `.` is src/index.ts. */
const library = Object.keys(manifest.exports)
  .filter((subpath) => !subpath.endsWith(".json"))
  .map((subpath): Entry => {
    const folder = subpath.slice(2);
    const name = folder === "" ? "index" : folder;
    const file = `src/${name}.ts`;
    return [name, existsSync(file) ? file : `src/${folder}/index.ts`];
  });

/** Not in the build: they bring binaries and threads, or are the user's to install. */
const EXTERNAL = ["@libsql", "pg", "piscina", "unpdf", "vitest"];

/**
 * libsql asks Node for two diagnostic reports, 5 ms each, to tell which C library there is. The command tries the binaries that
 * npm has installed instead: musl's first on Alpine, the GNU library's first elsewhere.
 */
const libsqlBinary = {
  name: "libsql-binary",
  resolveId: (id: string) => (id === "@neon-rs/load" || id === "detect-libc" ? `\0${id}` : null),
  load: (id: string) =>
    id === "\0detect-libc"
      ? "export const familySync = () => null, GLIBC = 'glibc', MUSL = 'musl';"
      : id === "\0@neon-rs/load"
        ? `import { existsSync } from "node:fs";
          import { createRequire } from "node:module";
          export const currentTarget = () => \`\${process.platform}-\${process.arch}\`;
          const abi = process.arch === "arm" ? "eabihf" : "";
          const linux = existsSync("/etc/alpine-release") ? ["-musl", "-gnu"] : ["-gnu", "-musl"];
          const suffixes = { linux: linux.map((libc) => libc + abi), win32: ["-msvc"] }[process.platform] ?? [""];
          export function load(target) {
            const near = createRequire(createRequire(import.meta.url).resolve("libsql"));
            let failure;
            for (const suffix of suffixes) {
              try {
                return near("@libsql/" + target + suffix);
              } catch (error) {
                failure ??= error;
              }
            }
            throw failure;
          }`
        : null,
  transform(code: string, id: string) {
    if (!/[\\/]libsql[\\/](index|promise)\.js$/.test(id)) return null;
    const required = "require(`@libsql/${target}`)";
    if (!code.includes(required)) throw new Error("libsql looks for its binary in another way now");
    return code.replace(required, "load(target)");
  },
};

/** What a client of undici loads that stands elsewhere in the build, or in none of its files. */
const UNDICI_PARTS: Readonly<Record<string, string>> = {
  "./client-h2.js": "\0undici-refused",
  "../web/fetch/body.js": "\0undici-refused",
  "../llhttp/llhttp-wasm.js": "\0undici-llhttp",
};

/**
 * What of undici the command uses, the proxies' part by itself: loading all of it would take three times as long. No agent here
 * is asked for HTTP/2 or for a body other than text, and the parser for machines without vector instructions is a file of its own.
 */
const onlyAgents = {
  name: "undici-agents",
  resolveId: (id: string, importer: string | undefined) =>
    id === "undici"
      ? importer?.endsWith("proxy.ts")
        ? "\0undici-proxy"
        : "\0undici"
      : id === "./parley-llhttp.cjs"
        ? { id, external: true }
        : importer?.includes("/undici/lib/dispatcher/client")
          ? (UNDICI_PARTS[id] ?? null)
          : null,
  load: (id: string) =>
    id === "\0undici"
      ? 'import Agent from "undici/lib/dispatcher/agent.js"; export { Agent };'
      : id === "\0undici-proxy"
        ? // A tunnel to https asks a dispatcher to connect, which undici's own first file has given it.
          `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
          import connect from "undici/lib/api/api-connect.js";
          import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
          Object.assign(Dispatcher.prototype, { connect });
          export { ProxyAgent };`
        : id === "\0undici-refused"
          ? `const refuse = () => { throw new Error("Parley's build of undici has HTTP/1.1 and bodies of text only"); };
          module.exports = Object.assign(refuse, { extractBody: refuse });`
          : id === "\0undici-llhttp"
            ? 'module.exports = require("./parley-llhttp.cjs");'
            : null,
};

/**
 * What the command reads YAML with: a file of its own, which is loaded with the first YAML file that there is, because most
 * commands meet none and loading it takes a third of the time that they need.
 */
const yamlOnDemand = {
  name: "yaml-on-demand",
  resolveId: (id: string) =>
    id === "yaml" ? "\0yaml" : id === "./parley-yaml.cjs" ? { id, external: true } : null,
  load: (id: string) =>
    id === "\0yaml"
      ? `let loaded;
        const yaml = () => (loaded ??= require("./parley-yaml.cjs"));
        ${["isAlias", "isMap", "isNode", "isScalar", "isSeq", "parseDocument", "stringify", "visit"].map((name) => `export const ${name} = (...args) => yaml().${name}(...args);`).join("\n")}
        ${["Lexer", "LineCounter"].map((name) => `export const ${name} = function (...args) { return new (yaml().${name})(...args); };`).join("\n")}
        export const CST = new Proxy({}, { get: (_, name) => yaml().CST[name] });`
      : null,
};

/** What gathers figures looks for traces in a part that is not used here; the traces themselves are of the operator's own package. */
const figuresAlone = {
  name: "figures-alone",
  resolveId: (id: string, importer: string | undefined) =>
    id === "@opentelemetry/api" && importer?.includes("prom-client") ? "\0no-traces" : null,
  load: (id: string) => (id === "\0no-traces" ? "module.exports = {};" : null),
};

/** Node's own modules are required where they are loaded on demand: an import within compiled code makes Node warn of an experiment. */
const builtinsOnDemand = {
  name: "builtins-on-demand",
  transform: (code: string) =>
    code.includes('import("node:')
      ? code.replaceAll(/\bimport\(("node:[a-z_/]+")\)/g, "Promise.resolve(require($1))")
      : null,
};

/**
 * What a program is bundled into has one file, which may be an ES module: that has neither `require` for Node's own modules, nor `__filename`,
 * nor other files beside it. So the built files ask the process for Node's modules, and the list of models is one that a bundler takes in.
 */
const bundled = {
  name: "bundled",
  resolveId: (id: string) => (id === "./model-list.json" ? { id, external: true } : null),
  transform(code: string, id: string) {
    if (!id.endsWith("/models/model-list.ts")) return null;
    const read =
      /JSON\.parse\(readFileSync\(new URL\("\.\/model-list\.json", import\.meta\.url\), "utf8"\)\)/;
    if (!read.test(code)) throw new Error("the list of models is read in another way now");
    return code.replace(read, 'require("./model-list.json")');
  },
  generateBundle(_: unknown, bundle: Rolldown.OutputBundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      let asked = 0;
      const code = chunk.code
        .replaceAll(/\brequire\(([`"'])((?:node:)?[a-z0-9_/]+)\1\)/g, (required, _quote, name: string) => {
          if (!isBuiltin(name)) return required;
          asked += 1;
          return `$builtin("${shortest(name)}")`;
        })
        .replaceAll(
          ".pathToFileURL(__filename)",
          '.pathToFileURL(typeof __filename=="string"?__filename:process.argv[1]||"./-")',
        );
      chunk.code = asked > 0 ? `var $builtin=process.getBuiltinModule;${code}` : code;
    }
  },
};

/** The shortest name of a module of Node's: some have one with `node:` alone. */
function shortest(name: string): string {
  const bare = name.replace(/^node:/, "");
  return isBuiltin(bare) ? bare : name;
}

/** In the build, the command's first file loads the program's files through the cache of compiled code. */
const compiledStart = {
  name: "compiled-start",
  resolveId: (id: string) => (id === "../command.ts" ? "\0start" : null),
  load: (id: string) =>
    id === "\0start"
      ? `import { requireCompiled } from ${JSON.stringify(resolve("src/cli/compiled-code.ts"))};
        const { runProgram } = requireCompiled("command.cjs", process.env);
        export { runProgram };`
      : null,
};

/**
 * A process parses a few dozen values: compiling a function for each schema would take longer than it saves. The setting is
 * zod's for the whole process, and a program that uses zod itself has its own.
 */
const plainSchemas = {
  name: "plain-schemas",
  transform(code: string, id: string) {
    if (!/[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/.test(id)) return null;
    const shared = "export const globalConfig = globalThis.__zod_globalConfig;";
    if (!code.includes(shared)) throw new Error("zod keeps its settings in another way now");
    return code.replace(
      shared,
      "export const globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };",
    );
  },
};

/**
 * Where the files begin that almost everything loads: what opens a store and drives a question, for programs, and what the command
 * line has beyond that. Each takes in all that these import; a hundred small files would take twice as long.
 */
const CHUNKS = [
  [
    "run",
    [
      "index.ts",
      "app/personas/seating.ts",
      "app/run.ts",
      "app/start.ts",
      "features/ask/protocol/index.ts",
      "reactors/memory/index.ts",
      "stores/sqlite.ts",
    ],
  ],
  ["core", ["cli/program.ts", "cli/session.ts", "app/configured.ts"]],
  ["asking", ["app/result.ts", "cli/commands/ask.ts", "cli/ending.ts", "cli/run-deliberation.ts"]],
] as const;

/** Functions and classes keep their names: a stack trace has them. */
const minified = {
  compress: true,
  mangle: { keepNames: { function: true, class: true } },
  codegen: { removeWhitespace: true },
} as const;

type Chunking = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null };

/** A group for each chunk; the first has the modules that several of them import. */
function chunkGroups() {
  let chunks: ReadonlyMap<string, string> | undefined;
  const own = CHUNKS.map(([name], index) => ({
    name: (id: string, chunking: Chunking) =>
      (chunks ??= chunksBy(chunking)).get(id) === name ? name : null,
    priority: CHUNKS.length - index,
  }));
  const zod = { name: "zod", test: /[\\/]node_modules[\\/]zod[\\/]/, priority: CHUNKS.length + 1 };
  // One file with what is asked for of it, without the proxies' part.
  const undici = {
    name: "undici",
    test: /^\0undici(?:-refused|-llhttp)?$|[\\/]undici[\\/]lib[\\/](?!.*(?:proxy|socks5|api-connect))/,
    priority: CHUNKS.length + 1,
  };
  // By itself, because a start without its binary has to say so.
  const libsql = {
    name: "libsql",
    test: /^\0(?:detect-libc|@neon-rs[\\/]load)$|[\\/]node_modules[\\/]libsql[\\/]/,
    priority: CHUNKS.length + 1,
  };
  return [zod, undici, libsql, ...own];
}

function chunksBy(chunking: Chunking): ReadonlyMap<string, string> {
  const chunks = new Map<string, string>();
  for (const [name, files] of CHUNKS) {
    const ids = files.map((file) => resolve("src", file));
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      if (chunks.has(id)) continue;
      const info = chunking.getModuleInfo(id);
      if (!info) continue;
      chunks.set(id, name);
      ids.push(...info.importedIds);
    }
  }
  return chunks;
}

const common = {
  format: "esm",
  platform: "node",
  target: "node20.20",
  // Both write into one folder, which scripts/setup.mjs makes anew.
  clean: false,
  checks: { pluginTimings: false },
} as const;

/**
 * The library's files for `import`: each names what the program's file of that name exports. There is one copy of the code for the
 * command, the library, and the packages that bring features, so that what one has made the others know.
 */
const importable = {
  name: "importable",
  generateBundle(this: Rolldown.PluginContext, _: unknown, bundle: Rolldown.OutputBundle) {
    for (const [name] of library) {
      const chunk = bundle[`${name}.cjs`];
      if (chunk?.type !== "chunk") throw new Error(`the build has no ${name}.cjs`);
      const source = `import all from "./${name}.cjs";\nexport const { ${chunk.exports.join(", ")} } = all;\n`;
      this.emitFile({ type: "asset", fileName: `${name}.mjs`, source });
    }
  },
};

export default defineConfig([
  {
    ...common,
    entry: Object.fromEntries(library),
    dts: { entry: library.map(([, source]) => source), emitDtsOnly: true },
  },
  {
    ...common,
    // The published store contract starts its worker as a process beside itself, and gates are run in threads.
    entry: {
      "store-contract-worker": "src/testing/store-contract-worker.ts",
      "gate-worker": "src/gates/worker.ts",
      "pdf-worker": "src/app/attachments/pdf-worker.ts",
    },
    dts: false,
    minify: minified,
    outputOptions: { chunkFileNames: "worker-[name]-[hash].mjs" },
  },
  {
    ...common,
    // A few lines that load the program, which is CommonJS, through the cache of compiled code.
    entry: { cli: "src/cli/main.ts" },
    dts: false,
    plugins: [compiledStart],
    outputOptions: { chunkFileNames: "cli-boot-[hash].mjs" },
  },
  {
    ...common,
    copy: ["src/models/model-list.json"],
    // With its libraries in its own files the command starts in two thirds of the time.
    entry: Object.fromEntries(library),
    format: "cjs",
    dts: false,
    deps: {
      alwaysBundle: (id: string) => !EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
    },
    plugins: [
      onlyAgents,
      yamlOnDemand,
      libsqlBinary,
      plainSchemas,
      figuresAlone,
      builtinsOnDemand,
      bundled,
      importable,
      lazySchemas("parley-zod-"),
      licenses("licenses.txt"),
    ],
    minify: minified,
    outputOptions: { chunkFileNames: "parley-[name]-[hash].cjs", codeSplitting: { groups: chunkGroups() } },
  },
  {
    ...common,
    entry: { "parley-yaml": "yaml", "parley-llhttp": "undici/lib/llhttp/llhttp-wasm.js" },
    format: "cjs",
    dts: false,
    deps: { alwaysBundle: () => true },
    plugins: [bundled],
    minify: minified,
  },
]);
