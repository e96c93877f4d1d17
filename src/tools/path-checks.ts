import * as z from "zod";

/**
 * A name as Windows and file systems without case compare it: in lower case, without the stream behind a colon
 * and without the dots and spaces at its end.
 */
function bareName(name: string): string {
  const stem = name.toLowerCase().split(":", 1)[0] ?? "";
  let end = stem.length;
  while (end > 0 && " .".includes(stem.charAt(end - 1))) end -= 1;
  return stem.slice(0, end);
}

/**
 * Whether Windows takes a name for a device, in any folder and with any extension (Microsoft, "Naming Files, Paths,
 * and Namespaces"). It holds on every system: what may be read
 * does not depend on where it is read.
 */
export function isDeviceName(name: string): boolean {
  return DEVICES.has(bareName(bareName(name).split(".", 1)[0] ?? ""));
}

const PORTS = ["com", "lpt"].flatMap((port) => [..."123456789¹²³"].map((digit) => `${port}${digit}`));
const DEVICES: ReadonlySet<string> = new Set(["con", "prn", "aux", "nul", "conin$", "conout$", ...PORTS]);

/** A path as a model writes it; Linux takes 4,096 bytes. */
export const PathInput = z
  .string()
  .max(4_096)
  .describe("Relative to the project's folder, with slashes, for example docs/notes.md.");

/**
 * Whether a path leads to what by its name holds keys or passwords. Only names are known here: a hard link
 * or a copy under another name is not recognized.
 */
export function isSecretPath(segments: readonly string[], folder: boolean): boolean {
  const names = segments.map(bareName);
  if (names.some((name) => name.startsWith(".env") || FOLDERS.has(name))) return true;
  const last = names.at(-1) ?? "";
  return !folder && (isSecretFile(last) || (names.includes(".git") && GIT.has(last)));
}

/** Of SSH, GnuPG, the clouds' and containers' command lines. */
const FOLDERS: ReadonlySet<string> = new Set([".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"]);
/** Remotes may be written with a password; those of submodules and worktrees lie deeper. */
const GIT: ReadonlySet<string> = new Set(["config", "config.worktree"]);

function isSecretFile(name: string): boolean {
  const original = withoutBackup(name);
  const dot = original.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [original.slice(0, dot), original.slice(dot + 1)] : [original, ""];
  return (
    FILES.has(original) ||
    KEYS.some((key) => original.startsWith(key)) ||
    (dot >= 0 && KEY_EXTENSIONS.has(original.slice(dot + 1))) ||
    (DATA_EXTENSIONS.has(extension) &&
      (stem.startsWith("client_secret") ||
        stem.startsWith("service-account") ||
        stem.startsWith("service_account") ||
        WORDS.some((word) => stem.endsWith(word))))
  );
}

const FILES: ReadonlySet<string> = new Set(
  ".netrc _netrc .npmrc .pypirc .pgpass .htpasswd .dockercfg .s3cfg .boto .vault-token .git-credentials .my.cnf".split(
    " ",
  ),
);
const KEYS = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const KEY_EXTENSIONS: ReadonlySet<string> = new Set(
  "pem key p12 pfx ppk jks keystore kdbx env gpg asc tfvars tfstate".split(" "),
);
const WORDS = ["credential", "credentials", "secret", "secrets"];
/** Source code and prose about credentials may be read. */
const DATA_EXTENSIONS: ReadonlySet<string> = new Set([
  "",
  ..."json yml yaml toml ini cfg conf properties xml txt csv".split(" "),
]);

/** A backup holds what its original holds. */
function withoutBackup(name: string): string {
  const ending = BACKUPS.find((backup) => name.endsWith(backup));
  return ending === undefined ? name : withoutBackup(name.slice(0, -ending.length));
}

const BACKUPS = ["~", ".bak", ".old", ".orig", ".save", ".swp"];
