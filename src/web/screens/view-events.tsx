import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Entry } from "../../kernel/index.ts";
import { describeOrigin, entryWords } from "../../reports/entry-words.ts";
import { printable } from "../../reports/printable.ts";
import { address, hrefWith } from "../address.ts";
import { useWhole } from "../folds.ts";
import { formatClock, formatCount, formatMoment } from "../formats.ts";
import { AddressChoice } from "../parts/filter.tsx";
import type { RunStore, ShownRun } from "../run.ts";
import { t } from "../strings.ts";
import { blocksOf, countBy, nameOfType, participantOf } from "./event-rows.ts";

// EVENTS-1. Rows are made a block at a time, as they come near the screen: a list of any length opens at once.

/** Every event of the journal, those after the seq of the address as well. */
export function Events({ shown }: { readonly shown: ShownRun }): VNode {
  const { run, at } = shown;
  const { query } = address.value;
  const [type, by] = [query.get("type") ?? "", query.get("by") ?? ""];
  const all = useComputed((): readonly Entry[] => (run.version.value >= 0 ? run.entries.slice() : []));
  const found = all.value.filter(
    (entry) => (type === "" || nameOfType(entry) === type) && (by === "" || participantOf(entry) === by),
  );
  const unknown = all.value.filter((entry) => entry.type === "unknown").length;
  return (
    <>
      <div class="filters" role="search">
        <AddressChoice
          name="type"
          label={t.events.type}
          none={t.events.allTypes}
          options={countBy(all.value, nameOfType).map(choice)}
        />
        <AddressChoice
          name="by"
          label={t.events.by}
          none={t.events.anybody}
          options={countBy(all.value, participantOf).map(choice)}
        />
        <p class="quiet" role="status">
          {found.length === all.value.length
            ? t.events.shownAll(formatCount(found.length))
            : t.events.shown({ found: formatCount(found.length), all: formatCount(all.value.length) })}
        </p>
      </div>
      {unknown > 0 && (
        <p class="notice" role="note">
          {t.run.unknownEvents(unknown)} {t.events.unknownNote}
        </p>
      )}
      {found.length === 0 ? (
        <p class="quiet">
          {t.events.none} <a href={hrefWith({ type: undefined, by: undefined })}>{t.events.showAll}</a>
        </p>
      ) : (
        blocksOf(found).map((entries) => (
          <Block key={entries[0]?.seq} entries={entries} run={run} at={at.value} />
        ))
      )}
    </>
  );
}

const choice = ([name, count]: readonly [string, number]): readonly [string, string] => [
  name,
  `${name} (${formatCount(count)})`,
];

type BlockProps = {
  readonly entries: readonly Entry[];
  readonly run: RunStore;
  readonly at: number | undefined;
};

/** Rows that are made once they are near the screen. Until then their place is kept. */
function Block({ entries, run, at }: BlockProps): VNode {
  const place = useRef<HTMLOListElement>(null);
  const isNear = useSignal(false);
  const [first, last] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
  useEffect(() => {
    const element = place.current;
    if (!element || isNear.value) return;
    const watcher = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        isNear.value = true;
        watcher.disconnect();
      },
      { rootMargin: "100% 0px" },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return (
    <ol
      ref={place}
      class="events"
      aria-label={t.events.range({ first: formatCount(first), last: formatCount(last) })}
      style={isNear.value ? undefined : { minHeight: `${entries.length * 2}rem` }}
    >
      {isNear.value && entries.map((entry) => <Row key={entry.seq} entry={entry} run={run} at={at} />)}
    </ol>
  );
}

type RowProps = { readonly entry: Entry; readonly run: RunStore; readonly at: number | undefined };

function Row({ entry, run, at }: RowProps): VNode {
  const isOpen = useSignal(false);
  const { seq } = entry;
  const isLater = at !== undefined && seq > at;
  return (
    <li class={isLater ? "later" : undefined} aria-current={seq === at ? "true" : undefined}>
      <a class="seq" href={hrefWith({ at: seq })} aria-label={t.events.goTo(formatCount(seq))}>
        {seq}
      </a>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <time dateTime={entry.at} title={formatMoment(entry.at)}>
            {formatClock(entry.at)}
          </time>{" "}
          <strong>{nameOfType(entry)}</strong>{" "}
          <span class="quiet">
            {[participantOf(entry), describeOrigin(entry.origin)].filter(Boolean).join(" · ")}
          </span>
          <span class="event-words" dir="auto">
            {entry.type === "unknown" ? t.events.unknownType : entryWords(entry)}
          </span>
        </summary>
        {isOpen.value && <Whole entry={entry} run={run} />}
      </details>
    </li>
  );
}

/** All that is recorded of an event, with its texts in full. */
function Whole({ entry, run }: { readonly entry: Entry; readonly run: RunStore }): VNode {
  useWhole(run, [entry.seq], { digests: true });
  const { id, at, origin, data } = entry;
  return (
    <pre tabIndex={0} aria-label={t.events.recorded(formatCount(entry.seq))}>
      <code>{printable(JSON.stringify({ id, at, origin, data }, undefined, 2))}</code>
    </pre>
  );
}
