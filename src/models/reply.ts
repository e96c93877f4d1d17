import { noUsage } from "../kernel/transport.ts";
import { finalProblem, networkProblem, type CallProblem } from "./failures.ts";
import { isKeepAlive, type EventStream, type Framing } from "./framing.ts";
import type { ResponseHead, Receiver } from "./http.ts";
import { parseJson } from "./loose.ts";
import type { Completion, ReplyReader, Wire } from "./wires/wire.ts";

/** More than this is no answer to a prompt. */
const MAX_REPLY_BYTES = 64 * 2 ** 20;
const MAX_ERROR_BYTES = 64 * 2 ** 10;

export type Reply = ReturnType<typeof createReply>;

/** One answer, read as it comes: a stream of events, a reply in one piece, or an error's body. */
export function createReply(
  wire: Wire,
  { onText, onFirstByte }: { readonly onText: (text: string) => void; readonly onFirstByte: () => void },
) {
  let head: ResponseHead = { status: 0, header: () => "" };
  let form: ReturnType<Framing["formOf"]> = "undecided";
  /** The beginning of the body, until it has decided the form. */
  let begin = "";
  let size = 0;
  let over = false;
  let ending = false;
  let tooLong = false;
  const chunks: Buffer[] = [];
  let opened: { readonly events: EventStream; readonly reader: ReplyReader } | null = null;
  /** Made when the first byte has come: most of a call's time is waiting for it. */
  const stream = () => (opened ??= openStream());
  const openStream = () => {
    const reader = wire.reader(onText);
    const events = wire.framing.open({
      onData: (data) => {
        if (over || isKeepAlive(data)) return;
        // What is left at the end may be half an event, which says nothing.
        if (ending && data !== "[DONE]" && parseJson(data) === undefined) return;
        over = reader.event(data);
      },
      onTooLong: () => {
        tooLong = true;
      },
    });
    return { events, reader };
  };

  const refused = (): boolean => head.status < 200 || head.status >= 300;
  const body = (): string => Buffer.concat(chunks).toString("utf8");

  const bytes = (chunk: Buffer): boolean => {
    if (size === 0) onFirstByte();
    size += chunk.length;
    if (refused()) {
      if (size - chunk.length < MAX_ERROR_BYTES) chunks.push(chunk);
      return size >= MAX_ERROR_BYTES;
    }
    if (size > MAX_REPLY_BYTES) {
      tooLong = true;
      return true;
    }
    if (form === "undecided") return begins(chunk);
    if (form === "whole") chunks.push(chunk);
    else stream().events.feed(chunk);
    return over || tooLong;
  };

  const begins = (chunk: Buffer): boolean => {
    begin = (begin + chunk.toString("latin1")).trimStart();
    if (begin === "") return false;
    chunks.push(chunk);
    form = wire.framing.formOf(begin);
    if (form === "undecided") return false;
    begin = "";
    if (form === "stream") for (const held of chunks.splice(0)) stream().events.feed(held);
    return over || tooLong;
  };

  const readWhole = (problem: CallProblem | null): Completion => {
    const text = body();
    const parsed = parseJson(text);
    if (parsed !== undefined) {
      const completion = wire.readWhole(parsed);
      if (completion.ok && completion.text !== "") onText(completion.text);
      return completion;
    }
    return {
      ok: false,
      usage: noUsage,
      problem: text.trimStart().startsWith("<")
        ? finalProblem("unreadable", `a page instead of a reply: ${text.replace(/<[^>]*>/g, " ")}`)
        : (problem ?? networkProblem("the reply ended early")),
    };
  };

  return {
    receiver: { head: (arrived) => void (head = arrived), bytes } satisfies Receiver,
    begun: (): boolean => head.status !== 0,
    /** The answer has a status other than 2xx. */
    refused: (): boolean => head.status !== 0 && refused(),
    head: () => head,
    /** The beginning of the body as text, of an error or of what is no stream. */
    body,
    /** The reply, once all has come. `problem` is what broke the connection; a reply that was whole by then stands. */
    completion: (problem: CallProblem | null): Completion => {
      if (tooLong) {
        const tooMuch = finalProblem("unreadable", "the reply is longer than any answer");
        return { ok: false, problem: tooMuch, usage: noUsage };
      }
      if (form === "whole") return readWhole(problem);
      if (form === "undecided" && begin === "")
        return { ok: false, usage: noUsage, problem: problem ?? networkProblem("the reply is empty") };
      ending = true;
      const { events, reader } = stream();
      events.end();
      const completion = reader.end();
      // "The stream ended early" is better said with the reason why.
      return !completion.ok && problem !== null && completion.problem.code === "network"
        ? { ...completion, problem }
        : completion;
    },
  };
}
