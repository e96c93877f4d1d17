import type { DeliberationId, Journal, World } from "../kernel/index.ts";
import type { History } from "./history.ts";

/** How soon a driver learns of a rival's event, a foreign close or a client's answer, milliseconds. */
const FOLLOW_MS = 200;

/** Keeps the histories of all deliberations that this process drives up to date, with one cheap query for all of them. */
export interface Follower {
  follow(id: DeliberationId, history: History): () => void;
}

export function createFollower(journal: Pick<Journal, "changed" | "end">, world: World): Follower {
  const followed = new Map<DeliberationId, Set<History>>();
  let stop: AbortController | undefined;

  const watch = async (signal: AbortSignal) => {
    let cursor = await journal.end();
    // What was recorded between the driver's first read and `end` would be missed; one read closes the gap.
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

  /** A store that cannot be read for a while is no reason to stop a driver: its own appends will say so. */
  const watchThroughFaults = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        await watch(signal);
      } catch {
        await world.sleep(FOLLOW_MS * 5, signal);
      }
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
