import type { VNode } from "preact";
import type { Inbox as InboxReply } from "../../../contract/runs.ts";
import { hrefTo } from "../../../web/address.ts";
import { formatAgo, formatMoment } from "../../../web/formats.ts";
import { useAgain, useApi } from "../../../web/loaded.ts";
import { Empty, Shown } from "../../../web/parts/states.tsx";
import { t } from "../../../web/strings.ts";
import { WaitingForms } from "../../../web/screens/waiting.tsx";

const AGAIN_MS = 10_000;

/** Everything that waits for the reader, each with its form. */
export function Inbox(): VNode {
  const inbox = useApi<InboxReply>("inbox");
  useAgain(inbox.again, AGAIN_MS);
  return (
    <>
      <h1>{t.waiting.title}</h1>
      <Shown of={inbox}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.waiting.empty} next={t.waiting.emptyNext} />
          ) : (
            [...new Map(data.map((item) => [item.id, item])).values()].map(
              ({ id, question, since, until }) => (
                <section key={id} class="inbox-item">
                  <h2 dir="auto">
                    <a href={hrefTo(["d", id])}>{question}</a>
                  </h2>
                  <p class="quiet">
                    {[
                      t.waiting.since(formatAgo(since)),
                      until === null ? "" : t.waiting.until(formatMoment(until)),
                    ]
                      .filter(Boolean)
                      .join(", ")}
                  </p>
                  <WaitingForms id={id} onAnswered={inbox.again} />
                </section>
              ),
            )
          )
        }
      </Shown>
    </>
  );
}
