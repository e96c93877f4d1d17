import { oneLine, refuse } from "./refusal.ts";
import type { YamlFile } from "./yaml.ts";

/** Names under which people keep secrets. `key-env` names a variable, and `max-tokens` counts. */
const SECRET = /(^|[-_. ])(api[-_]?key|key|secret|token|password|passphrase|credentials?|authorization)$/i;
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s:/?#]*:[^\s]+@/i;

/**
 * A file with settings holds no secret: it is shared, copied and committed.
 * @throws Fault `configuration` that names the place, and never the value
 */
export function refuseSecrets(file: YamlFile): void {
  const look = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const here = [...path, Array.isArray(value) ? Number(key) : key];
      const scalar = inner !== null && typeof inner !== "object";
      if (scalar && !Array.isArray(value) && SECRET.test(key)) {
        const why = `${file.place(here, "key")}: ${oneLine(key, 60)} looks like a secret, and files are no place for one`;
        throw refuse(
          why,
          "put it in the environment, as OPENAI_API_KEY and the like, or name its variable under key-env",
        );
      }
      if (typeof inner === "string" && PASSWORD_IN_URL.test(inner)) {
        const why = `${file.place(here, "value")}: this URL holds a password, and files are no place for one`;
        throw refuse(why, "put it in the environment, for a database as DATABASE_URL");
      }
      look(inner, here);
    }
  };
  look(file.value, []);
}
