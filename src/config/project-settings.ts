import { isOwnPath } from "./trust.ts";
import { describeServer } from "./mcp-servers.ts";
import type { Environment } from "./paths.ts";
import type { MemberOptions } from "../kernel/index.ts";
import { completeSettings, settingName, settingTypes, type SettingKey, type Settings } from "./settings.ts";
import { looksLikePath } from "./text-file.ts";
import { isMapping } from "./yaml.ts";

/** Settings that cost and reveal nothing, whatever they say. */
const FREE: ReadonlySet<SettingKey> = new Set([
  "personas",
  "respondent",
  "system",
  "goal",
  "mode",
  "effort",
  "seed",
  "quorum",
  "temperature",
  "temperatures",
  "sampling",
  "temperatureB",
  "patienceMs",
  "onDegraded",
  "families",
]);

/** Settings of which less costs and reveals less: how much a value allows. */
const AMOUNTS: { readonly [key in SettingKey]?: (value: unknown) => number } = {
  maxCostUsd: Number,
  maxTotalTokens: Number,
  maxCalls: Number,
  timeoutMs: Number,
  callTimeoutMs: Number,
  draftTokens: Number,
  reviewTokens: Number,
  synthesisTokens: Number,
  respondTokens: Number,
  historyTurns: Number,
  toolCallLimit: Number,
  maxContextBytes: Number,
  maxAttachmentBytes: Number,
  pdf: (value) => ["text", "file"].indexOf(String(value)),
  fetchPrivate: Number,
  fetchUrls: Number,
  memory: Number,
  personaFeedback: Number,
  respondentB: Number,
  critic: (value) => ["off", "auto", "on"].indexOf(String(value)),
  strictFamilies: (value) => -Number(value),
};

const MODELS: ReadonlySet<SettingKey> = new Set([
  "models",
  "chair",
  "reviewers",
  "synthesizer",
  "judge",
  "modelB",
]);

/** What protocols take where a setting without a default says nothing; other limits are absent then. */
const USUAL: Partial<Settings> = {
  callTimeoutMs: 180_000,
  draftTokens: 4_096,
  reviewTokens: 4_096,
  synthesisTokens: 8_192,
  respondTokens: 4_096,
  toolCallLimit: 5,
};

/** Where a value stands, and what counts without it. */
type SettingContext = { readonly folder: string; readonly env: Environment; readonly below: unknown };

/** The same for how a persona or a member is asked: what may cost more, or is sent along. */
export const claimsOfOptions = ({ effort, body, headers }: MemberOptions): string[] =>
  Object.entries({ effort, body, headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`],
  );

/** What a project's file names with this setting that its user has to allow, one text each; none for what is harmless. (TRUST-1) */
export function claimsOfSetting(
  key: SettingKey,
  raw: unknown,
  { folder, env, below }: SettingContext,
): string[] {
  const read = (value: unknown): unknown => settingTypes[key].parse(value);
  const value = read(raw);
  if (FREE.has(key) || value === undefined) return [];
  const name = settingName(key);
  const amount = AMOUNTS[key];
  if (amount) {
    const most = below === undefined ? (completeSettings({})[key] ?? USUAL[key] ?? Infinity) : read(below);
    return amount(value) <= amount(most) ? [] : [`${name}: ${String(raw)}`];
  }
  const isOwn = (file: string) => !looksLikePath(file) || isOwnPath(file, folder, env);
  if (key === "strategy" && typeof value === "string" && isOwn(value)) return [];
  if (isMapping(value))
    return Object.entries(value).map(
      ([entry, inner]) =>
        `${name}.${entry}: ${key === "mcpServers" ? describeServer(inner) : describeEntry(inner)}`,
    );
  if (key === "memberOptions" && Array.isArray(value)) return value.flatMap(claimsOfOptions);
  const named = [value].flat().map(String);
  if (key === "store") return named.map((one) => `${name}: ${one}${describePassword(one)}`);
  return named.filter((one) => !(MODELS.has(key) && isHarmlessModel(one))).map((one) => `${name}: ${one}`);
}

function describeEntry(value: unknown): string {
  if (!isMapping(value)) return String(value);
  const { url, keyEnv, body, headers, auth, ...rest } = value;
  const sent = { ...(body ? { body } : {}), ...(headers ? { headers } : {}), ...(auth ? { auth } : {}) };
  const more = Object.keys(sent).length > 0 ? ` and ${JSON.stringify(sent)}` : "";
  if (typeof url === "string")
    return `${url}${typeof keyEnv === "string" ? ` with the key in ${keyEnv}` : ""}${more}`;
  return JSON.stringify({ ...rest, ...sent });
}

/** A file's address holds no password, so the server is sent the user's. It is named whether one is set now or not. */
const describePassword = (store: string): string =>
  store.includes("://")
    ? ", with the password in PGPASSWORD or your password file (PGPASSFILE, ~/.pgpass)"
    : "";

/** A simulated model costs nothing and sends nothing, unless it reads a file. */
export function isHarmlessModel(ref: string): boolean {
  return ref.startsWith("sim/") && !/\?.*(facts|[%+])/is.test(ref);
}
