import { connect } from "node:net";
import pg from "pg";

/** PARLEY_DATABASE_URL, or a way into a server of this machine that asks for no password. */
export async function findServer(): Promise<{ url: string } | { because: string }> {
  const { PARLEY_DATABASE_URL: given, USER: user = "postgres" } = process.env;
  if (given !== undefined && given !== "") return { url: given };
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: 5432, timeout: 1_000 });
    const settle = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", settle(true)).on("timeout", settle(false)).on("error", settle(false));
  });
  if (!answers) return { because: "PARLEY_DATABASE_URL is not set and nothing answers on 127.0.0.1:5432" };
  for (const name of new Set(["postgres", user, "root"])) {
    for (const database of ["test", "postgres", name]) {
      const url = `postgres://${name}@127.0.0.1:5432/${database}`;
      if (
        await query(url, "select 1").then(
          () => true,
          () => false,
        )
      )
        return { url };
    }
  }
  return {
    because: "the server on 127.0.0.1:5432 lets nobody in without a password; set PARLEY_DATABASE_URL",
  };
}

export async function query(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    // The rows are read by their column names right where they are asked for.
    return (await client.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end().catch(() => undefined);
  }
}
