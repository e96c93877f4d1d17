import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { address, hrefTo } from "../address.ts";
import { formatClock } from "../formats.ts";
import { followWhileSeen } from "../feed.ts";
import { withQuery } from "../http.ts";
import { AddressChoice } from "../parts/filter.tsx";
import { Empty } from "../parts/states.tsx";
import { t } from "../strings.ts";

type Message = {
  readonly message_id: string;
  readonly subject: string;
  readonly sender_id: string;
  readonly correlation_id: string | null;
  readonly payload: unknown;
  readonly timestamp_utc: string;
};

const SUBJECTS = [
  "query.request",
  "response.generation",
  "critique.result",
  "memory.context",
  "user.feedback",
  "reward.event",
] as const;
const MAX_SHOWN = 500;

/** LoCAL2's messages as they come, the newest first. */
export function Bus(): VNode {
  const subject = address.value.query.get("subject") ?? undefined;
  const messages = useSignal<readonly Message[]>([]);
  const isLinked = useSignal(true);
  useEffect(() => {
    messages.value = [];
    let fresh: Message[] = [];
    let due = 0;
    return followWhileSeen(withQuery("bus", { subject, from: "start" }), {
      link: (up) => (isLinked.value = up),
      tell(data) {
        fresh.push(JSON.parse(data) as Message); // the server's own envelope
        due ||= requestAnimationFrame(() => {
          due = 0;
          messages.value = [...fresh.reverse(), ...messages.value].slice(0, MAX_SHOWN);
          fresh = [];
        });
      },
    });
  }, [subject]);
  return (
    <>
      <h1>{t.nav.bus}</h1>
      <p class="quiet">{t.bus.about}</p>
      <div class="filters">
        <AddressChoice
          name="subject"
          label={t.bus.subject}
          none={t.bus.allSubjects}
          options={SUBJECTS.map((one) => [one, one])}
        />
      </div>
      {!isLinked.value && <p class="notice">{t.shell.relinking}</p>}
      {messages.value.length === 0 ? (
        <Empty title={t.bus.empty} next={t.bus.emptyNext} to={[]} />
      ) : (
        <ul class="lines">
          {messages.value.map(
            ({
              message_id: id,
              subject: name,
              sender_id: sender,
              correlation_id: run,
              payload,
              timestamp_utc: at,
            }) => (
              <li key={id}>
                <details>
                  <summary>
                    <time dateTime={at}>{formatClock(at)}</time> <strong>{name}</strong>{" "}
                    <span class="quiet">{sender}</span>
                  </summary>
                  {run !== null && <a href={hrefTo(["d", run])}>{run}</a>}
                  <pre dir="ltr">{JSON.stringify(payload, null, 2)}</pre>
                </details>
              </li>
            ),
          )}
        </ul>
      )}
    </>
  );
}
