import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { setUp } from "../../scripts/setup.mjs";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const Packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);
const Lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

/** The package as npm packs it, installed into a project of its own with what npm brings beside it and nothing else. */
export type InstalledPackage = AsyncDisposable & {
  readonly folder: string;
  readonly project: string;
  /** Where the package is in the project. */
  readonly unpacked: string;
  readonly files: readonly string[];
  readonly packedBytes: number;
  /** The folders of what it depends on, from the root of the repository. */
  readonly dependencies: readonly string[];
  /** Without keys, with a data folder of its own. */
  readonly env: Readonly<Record<string, string>>;
};

export async function installPackage(): Promise<InstalledPackage> {
  await setUp(root, { build: true });
  const folder = await mkdtemp(join(tmpdir(), "parley-package-"));
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
  const [packed] = Packed.parse(JSON.parse(stdout));
  await execute("tar", ["-xzf", packed.filename], { cwd: folder });
  const project = join(folder, "project");
  const unpacked = join(project, "node_modules/@parley-llm/parley");
  await mkdir(dirname(unpacked), { recursive: true });
  await rename(join(folder, "package"), unpacked);
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  const { packages } = Lock.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  const dependencies = Object.entries(packages).flatMap(([path, { dev = false }]) =>
    path !== "" && !dev && existsSync(join(root, path)) ? [path] : [],
  );
  for (const path of dependencies) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await symlink(join(root, path), join(project, path));
  }
  return {
    ...{ folder, project, unpacked, dependencies, packedBytes: packed.size },
    files: packed.files.map((file) => file.path),
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: folder, PARLEY_HOME: join(folder, "home") },
      ...{ OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" },
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A Node.js that tests run programs with, or why there is none. */
export type NodeBinary = { readonly name: string } & (
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string }
);

/** The running Node.js, and those of the versions that npm has for this machine; why one is missing is printed. */
export async function nodeBinaries(folder: string, versions: readonly number[]): Promise<NodeBinary[]> {
  const own = { name: `Node ${process.versions.node}`, ok: true, path: process.execPath } as const;
  const others = versions.map(async (version): Promise<NodeBinary> => {
    const name = `Node ${version}`;
    const binary = `node-${process.platform}-${process.arch}`;
    const place = join(folder, `node-${version}`);
    await mkdir(place);
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--prefix", place];
    try {
      await execute("npm", ["install", ...options, `${binary}@${version}`], { cwd: place });
      return { name, ok: true, path: join(place, "node_modules", binary, "bin/node") };
    } catch (error) {
      const why = `npm cannot install ${binary}@${version}: ${String(error).split("\n").slice(0, 2).join(" ")}`;
      process.stderr.write(`${name} is skipped: ${why}\n`); // the reporter names no reasons
      return { name, ok: false, why };
    }
  });
  return [own, ...(await Promise.all(others))];
}
