import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { isEvent, timeOf, type Entry } from "../../kernel/index.ts";
import { groupBy } from "../../stats/numbers.ts";
import { criticalPathSeqs } from "../../views/critical-path.ts";
import { go, hrefWith } from "../address.ts";
import { formatClock, formatCount } from "../formats.ts";
import { actOnKeys } from "../keys.ts";
import { indexOf, type ShownRun } from "../run.ts";
import { isServed } from "../served.ts";
import { t } from "../strings.ts";
import { nameOfType } from "./event-rows.ts";

const SPEEDS = [1, 4, 16, 64] as const;
/** A pause of the recording is played no longer than this, at 1×. */
const MAX_PAUSE_MS = 2_000;

/** The journal as a line in time: any event of it can be gone to, and played from. */
export function Replay({ shown }: { readonly shown: ShownRun }): VNode | null {
  const { run, at } = shown;
  const playing = useSignal(false);
  const speed = useSignal<number>(SPEEDS[0]);
  const last = useComputed(() => (run.version.value >= 0 ? (run.entries.at(-1)?.seq ?? 0) : 0));
  const seq = at.value ?? last.value;
  const move = (to: number) => {
    const next = Math.max(1, Math.min(last.value, to));
    go(hrefWith({ at: next === last.value && run.ended.value ? undefined : next }), { replace: true });
  };
  useEffect(() => {
    const by = (count: number) => (event: KeyboardEvent) =>
      move((at.value ?? last.value) + count * (event.shiftKey ? 10 : 1));
    return actOnKeys({
      ArrowLeft: by(-1),
      ArrowRight: by(1),
      Home: () => move(1),
      End: () => go(hrefWith({ at: undefined }), { replace: true }),
      " ": () => (playing.value = !playing.value),
    });
  }, [run]);
  useEffect(() => {
    if (!playing.value) return;
    if (at.value === undefined) move(1); // from the beginning
    let timer: ReturnType<typeof setTimeout> | undefined;
    const play = () => {
      const now = at.value ?? last.value;
      if (now >= last.value) {
        playing.value = false;
        go(hrefWith({ at: undefined }), { replace: true });
        return;
      }
      const wait = pauseAfter(run.entries, now) / speed.value;
      timer = setTimeout(() => {
        move(now + Math.max(1, Math.round(speed.value / 16)));
        play();
      }, wait);
    };
    play();
    return () => clearTimeout(timer);
  }, [playing.value, speed.value]);
  // The same element while the run is the same: scrubbing draws no marks anew.
  const drawn = useComputed(() => (
    <Marks marks={run.version.value >= 0 ? marksIn(run.entries) : []} last={last.value} />
  ));
  if (last.value === 0) return null;
  const current = run.entries[indexOf(run.entries, seq + 1) - 1];
  return (
    <section class="replay" aria-label={t.replay.label}>
      <button
        type="button"
        class="play"
        aria-label={playing.value ? t.replay.pause : t.replay.play}
        onClick={() => (playing.value = !playing.value)}
      >
        <span aria-hidden="true">{playing.value ? "❚❚" : "▶"}</span>
      </button>
      <div class="track">
        {drawn.value}
        <input
          type="range"
          min={1}
          max={last.value}
          value={seq}
          aria-label={t.replay.label}
          aria-valuetext={t.replay.at({ seq: formatCount(seq), last: formatCount(last.value) })}
          onInput={({ currentTarget }) => move(Number(currentTarget.value))}
        />
      </div>
      <p class="where">
        {t.replay.at({ seq: formatCount(seq), last: formatCount(last.value) })}
        {current && (
          <span class="quiet">
            {" "}
            {formatClock(current.at)} {nameOfType(current)}
          </span>
        )}
      </p>
      <label>
        <span class="hidden">{t.replay.speed}</span>
        <select
          value={speed.value}
          onChange={({ currentTarget }) => (speed.value = Number(currentTarget.value))}
        >
          {SPEEDS.map((one) => (
            <option key={one} value={one}>{`${one}×`}</option>
          ))}
        </select>
      </label>
      {at.value !== undefined && (
        <>
          <a href={hrefWith({ at: undefined })}>{t.replay.toEnd}</a>
          {isServed && <a href={hrefWith({ view: "fork" })}>{t.replay.fork}</a>}
        </>
      )}
    </section>
  );
}

/** How long the recording rested after an event, in milliseconds; a clock that ran backwards counts as none. */
function pauseAfter(entries: readonly Entry[], seq: number): number {
  const index = entries.findIndex((entry) => entry.seq >= seq);
  const [one, other] = [entries[index], entries[index + 1]];
  if (!one || !other) return 0;
  return Math.min(MAX_PAUSE_MS, Math.max(16, timeOf(other) - timeOf(one)));
}

type Mark = { readonly seq: number; readonly kind: "roster" | "loss" | "path" };

/** Where it was decided who takes part, what was lost, and the calls that everything waited for. */
function marksIn(entries: readonly Entry[]): readonly Mark[] {
  const path = criticalPathSeqs(entries);
  return entries.flatMap((entry): Mark[] => {
    const { seq } = entry;
    if (isEvent(entry, "degradation-noted")) return [{ seq, kind: "loss" }];
    if (isEvent(entry, "roster-fixed")) return [{ seq, kind: entry.data.out.length > 0 ? "loss" : "roster" }];
    return path.has(seq) ? [{ seq, kind: "path" }] : [];
  });
}

/** The upper edge and the height of each kind of mark. */
const BANDS = { loss: [0, 4], roster: [4, 4], path: [9, 3] } as const;

/** Marks above the track, one path for all of a kind; of many in one place, one is drawn. */
function Marks({ marks, last }: { readonly marks: readonly Mark[]; readonly last: number }): VNode {
  const places = groupBy(marks, ({ kind }) => kind);
  const names = { roster: t.replay.rosters, loss: t.replay.losses, path: t.replay.critical };
  const placeOf = ({ seq }: Mark) => (last <= 1 ? 0 : Math.round(((seq - 1) / (last - 1)) * 400) / 4);
  return (
    <>
      <svg class="marks" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
        {[...places].map(([kind, all]) => {
          const [top, height] = BANDS[kind];
          const rects = [...new Set(all.map(placeOf))].map((x) => `M${x - 0.2} ${top}h.4v${height}h-.4z`);
          return <path key={kind} class={kind} d={rects.join("")} />;
        })}
      </svg>
      <p class="legend quiet">
        {[...places.keys()].map((kind) => (
          <span key={kind} class={kind}>
            {names[kind]}
          </span>
        ))}
      </p>
    </>
  );
}
