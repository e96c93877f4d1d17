import type { DeliberationId, Journal, World } from "../kernel/index.ts";
import type { History } from "./history.ts";

/** The interval at which a driver reads events that other processes recorded. */
const FOLLOW_MS = 200;

/** Keeps the histories of all deliberations that this process drives up to date, with one cheap query. */
export interface Follower {
  follow(id: DeliberationId, history: History): () => void;
}

export function createFollower(journal: Pick<Journal, "changed" | "end">, world: World): Follower {
  const followed = new Map<DeliberationId, Set<History>>();
  let stop: AbortController | undefined;

  const watch = async (signal: AbortSignal) => {
    let cursor = await journal.end();
    // Read what was recorded between the driver's first read and `end`.
    await Promise.all(
      [...followed.values()].flatMap((histories) => [...histories].map((history) => history.catchUp())),
    );
    while (!signal.aborted) {
      await world.sleep(FOLLOW_MS, signal);
      if (signal.aborted) return;
      const news = await journal.changed(cursor);
      cursor = news.cursor;
      await Promise.all(
        news.heads.flatMap(({ deliberation, seq }) =>
          [...(followed.get(deliberation) ?? [])]
            .filter((history) => history.upTo < seq)
            .map((history) => history.catchUp()),
        ),
      );
    }
  };

  /** Retries while the store cannot be read; a driver fails by its own appends, not here. */
  const watchThroughFaults = async (signal: AbortSignal) => {
    while (!signal.aborted)
      try {
        await watch(signal);
      } catch {
        await world.sleep(FOLLOW_MS * 5, signal);
      }
  };

  return {
    follow(id, history) {
      const histories = followed.get(id) ?? new Set();
      followed.set(id, histories.add(history));
      if (!stop) {
        stop = new AbortController();
        void watchThroughFaults(stop.signal);
      }
      return () => {
        histories.delete(history);
        if (histories.size === 0) followed.delete(id);
        if (followed.size === 0) {
          stop?.abort();
          stop = undefined;
        }
      };
    },
  };
}
