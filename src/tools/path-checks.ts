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
 * Whether a path leads to what by its name holds keys, passwords or what was typed. Only names are known here: of a hard link
 * or a copy under another name, `holdsKey` sees what it holds.
 */
export function isSecretPath(segments: readonly string[], folder: boolean): boolean {
  const names = segments.map((segment) => withoutBackup(bareName(segment)));
  if (names.some((name) => /^(?:\.env|env\.(?:local|dev|prod|stag))/.test(name) || FOLDERS.has(name)))
    return true;
  const last = names.at(-1) ?? "";
  const parent = names.at(-2) ?? "";
  if (names.some((name) => name.endsWith(".git")) && (names.includes("logs") || (!folder && GIT.has(last))))
    return true;
  if (folder) return false;
  const words = withoutBackup(
    bareName((segments.at(-1) ?? "").replaceAll(/(?<=[a-z\d])(?=[A-Z])|\s+/g, "-")),
  );
  return (
    isSecretFile(last) ||
    isSecretFile(words) || // apiKey.json as api-key.json
    (last === "env" && bareName(segments.at(-1) ?? "") !== "env") ||
    (PLACED.get(parent)?.includes(last) ?? false) ||
    isServiceSettings(last, parent)
  );
}

const words = (text: string): readonly string[] => text.split(" ");

/** Of SSH, GnuPG, command lines of clouds and containers, password managers, browsers and wallets. */
const FOLDERS: ReadonlySet<string> = new Set(
  words(
    ".ssh .gnupg .aws .azure .kube .docker .gcloud gcloud .oci .chef .vault .putty .password-store keyrings secrets .secrets " +
      ".mozilla .bitcoin .ethereum .electrum .monero .solana keystore wallets .git-crypt .terraform.d .subversion",
  ),
);
/** Remotes may be written with a password; those of submodules and worktrees lie deeper. */
const GIT: ReadonlySet<string> = new Set(words("config config.worktree fetch_head"));
/** Files with common names, by the folder that says whose they are. */
const PLACED: ReadonlyMap<string, readonly string[]> = new Map([
  ["gh", ["hosts.yml"]],
  ["hub", ["config"]],
  [".bundle", ["config"]],
  [".snowsql", ["config"]],
  [".cargo", ["config", "config.toml"]],
  [".m2", ["settings.xml"]],
  [".hg", ["hgrc"]],
  [".gradle", ["gradle.properties"]],
  ["rclone", ["rclone.conf"]],
]);

/** What services and editors' extensions keep: connection strings and tokens. The editor's own settings may be read. */
function isServiceSettings(name: string, parent: string): boolean {
  return (
    parent !== ".vscode" &&
    /^(?:[a-z0-9_-]{1,40}\.)?(?:app)?settings(?:[._-][a-z0-9._-]{1,40})?\.json$/.test(name)
  );
}

function isSecretFile(name: string): boolean {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ""];
  // Some are written without their dot where they are kept for others.
  if (
    FILES.has(name) ||
    FILES.has(`.${name}`) ||
    KEYS.some((key) => name.includes(key)) ||
    isHistory(stem, extension)
  )
    return true;
  if (name.startsWith("utc--") || (dot >= 0 && KEY_EXTENSIONS.has(name.slice(dot + 1)))) return true;
  if (!DATA_EXTENSIONS.has(extension)) return false;
  return (
    stem
      .split(".")
      .slice(1)
      .some((part) => KEY_EXTENSIONS.has(part)) ||
    STEMS.has(stem) ||
    BEGINNINGS.some((word) => stem.startsWith(word)) ||
    ENDINGS.some((word) => stem.endsWith(word))
  );
}

/** What was typed into a shell or a database's command line, passwords among it. */
function isHistory(stem: string, extension: string): boolean {
  const ends = ["_history", "-history", ".history"].some((ending) => stem.endsWith(ending));
  return ["", "txt"].includes(extension) && (ends || stem === ".history" || stem === ".histfile");
}

const FILES: ReadonlySet<string> = new Set(
  words(
    ".netrc _netrc .authinfo .npmrc .yarnrc .yarnrc.yml .pypirc pip.conf pip.ini .condarc nuget.config .pgpass pgpass.conf " +
      ".htpasswd htpasswd .htdigest .dockercfg .s3cfg .boto .passwd-s3fs .databrickscfg .vault-token .vault_pass " +
      ".git-credentials .gitconfig .hgrc .my.cnf .mylogin.cnf .msmtprc .fetchmailrc .muttrc .curlrc .wgetrc .smbcredentials .terraformrc " +
      "terraform.rc credentials.tfrc.json .lesshst .viminfo .wget-hsts kubeconfig kubeconfig.yaml kubeconfig.yml database.yml database.yaml wp-config.php configuration.php " +
      "sftp-config.json sftp.json .ftpconfig sitemanager.xml recentservers.xml logins.json key3.db key4.db cookies.sqlite " +
      "cookies.txt google-services.json googleservice-info.plist settings-security.xml wallet.dat shadow",
  ),
);
const KEYS = words(
  "id_rsa id_dsa id_ecdsa id_ed25519 _rsa_key _dsa_key _ecdsa_key _ed25519_key firebase-adminsdk",
);
const KEY_EXTENSIONS: ReadonlySet<string> = new Set(
  words(
    "pem key p8 p12 pfx pkcs8 pkcs12 ppk jks jceks bks keystore keytab keychain keychain-db kdb kdbx psafe3 agekey env gpg asc " +
      "ovpn tfvars tfstate kubeconfig wallet mnemonic token secret secrets password passwd",
  ),
);
const STEMS: ReadonlySet<string> = new Set(
  words(
    "auth token tokens .token secret passwords password passwd wallet default_wallet seed seedphrase mnemonic rclone",
  ),
);
const BEGINNINGS = words(
  "client_secret client-secret serviceaccount service-account service_account wallet. authkey_",
);
const ENDINGS = words(
  "credential credentials secret secrets password passwords passwd passphrase vault_pass vault-pass apikey apikeys " +
    "api_key api-key api_keys api-keys _key -key privatekey privkey " +
    "access_token access-token auth_token auth-token api_token api-token refresh_token id_token -token _rsa _dsa _ecdsa _ed25519 " +
    "service-account service_account seed_phrase recovery_phrase seed-phrase wallet _token",
);
/** Source code and prose about credentials may be read. */
const DATA_EXTENSIONS: ReadonlySet<string> = new Set([
  "",
  ...words("json yml yaml toml ini cfg conf properties xml txt csv dat"),
]);

/** A backup, or what an editor saves meanwhile, holds what its original holds. */
function withoutBackup(name: string): string {
  const ending = BACKUPS.find((backup) => name.endsWith(backup));
  if (ending !== undefined) return withoutBackup(name.slice(0, -ending.length));
  return /^(?:#.*#|\.#.*)$/.test(name)
    ? withoutBackup(name.slice(name.startsWith("#") ? 1 : 2).replace(/#$/, ""))
    : name;
}

const BACKUPS = ["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp", ".copy"];

/** How much of a file says what kind of file it is. */
const HEAD_CHARACTERS = 4_096;
const HEAD_SIGNS: readonly RegExp[] = [
  /^\s*-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|SECRET KEY|OpenVPN Static key)/,
  /^\s*PuTTY-User-Key-File-\d/,
  /^\s*AGE-SECRET-KEY-1/m,
  /^\s*\[?\s*machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s/m,
  /^\s*aws_secret_access_key\s*=/im,
  /^\s*_authToken\s*=|:_authToken=/m,
  /^\s*client-key-data:/m,
  // Keys of clouds and services, by the form that each gives its own.
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b|\bgh[oprsu]_[A-Za-z0-9]{36}\b|\bgithub_pat_\w{40}|\bglpat-[\w-]{20}|\bxox[abprs]-[\w-]{20}|\bsk-(?:proj-|ant-|or-)?[\w-]{32}|\bnpm_[A-Za-z0-9]{36}\b/,
  /"type"\s*:\s*"service_account"/,
  /"(?:ciphertext|cipherparams)"\s*:/,
  /"private_?key"\s*:\s*"-----BEGIN/i,
];
/** A key with its body, so that prose about keys may be read. */
const KEY_BLOCK =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|\s){1,8}(?:[A-Za-z-]{1,30}: [^\n]{0,200}\n\s{0,8}){0,5}[A-Za-z0-9+/=]{16}/;

/** Whether a text is, or has in it, a private key or credentials, whatever its file is called. */
export function holdsKey(text: string): boolean {
  const head = text.slice(0, HEAD_CHARACTERS);
  return HEAD_SIGNS.some((sign) => sign.test(head)) || KEY_BLOCK.test(text);
}
