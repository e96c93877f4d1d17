import * as z from "zod";
import { Json, parseJson } from "../kernel/index.ts";
import { oneLine, refuse, type ToolOutcome } from "./tool.ts";

/** Of one result: as many tokens as a plan expects of one, at three bytes a token. */
const MAX_RESULT_BYTES = 60_000;

const Content = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  name: z.string().optional(),
  uri: z.string().optional(),
  resource: z
    .looseObject({
      uri: z.string().optional(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    })
    .optional(),
});

const CallResult = z.looseObject({
  content: z.array(Content).default([]),
  structuredContent: Json.optional(),
  isError: z.boolean().optional(),
});

/**
 * A server's answer to a call as a tool's outcome: its texts in `text`, its data in `structured`, and a note in place of each
 * picture, sound or file. `clean` removes what must not be shown. @throws ZodError for what is no answer
 */
export function readResult(answer: unknown, clean: (text: string) => string): ToolOutcome {
  const { content, structuredContent: structured, isError } = CallResult.parse(answer);
  const text = content.map(contentText).join("\n");
  if (isError) return refuse(clean(text) || "the tool failed and said nothing");
  const isText = structured === undefined || isOnly(structured, text);
  const isData = structured !== undefined && (text === "" || isSame(text, structured));
  const whole = { ...(isData ? {} : { text }), ...(isText ? {} : { structured }) };
  const json = clean(JSON.stringify(whole));
  if (Buffer.byteLength(json) <= MAX_RESULT_BYTES) return { ok: true, result: Json.parse(JSON.parse(json)) };
  const shown = Buffer.from(isText ? clean(text) : json);
  const cut = shown
    .subarray(0, MAX_RESULT_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  const note = `it is cut: the first ${Buffer.byteLength(cut)} of ${shown.length} bytes are shown`;
  return { ok: true, result: { text: cut.toWellFormed(), note } };
}

function contentText({ type, text, data, mimeType, name, uri, resource }: z.infer<typeof Content>): string {
  if (type === "text") return text ?? "";
  if (resource?.text !== undefined) return resource.text;
  const bytes = Math.floor(((data ?? resource?.blob ?? "").length * 3) / 4);
  const what = [mimeType ?? resource?.mimeType, name, uri ?? resource?.uri].filter(
    (one) => one !== undefined,
  );
  const size = bytes > 0 ? [`${bytes} bytes, not shown`] : [];
  return `[${oneLine([type, ...what, ...size].join(", "), 300)}]`;
}

/** Whether data is a text with a name: servers that declare an output have to give some. */
function isOnly(structured: Json, text: string): boolean {
  const values = typeof structured === "object" && structured !== null ? Object.values(structured) : [];
  return values.length === 1 && values[0] === text;
}

const isSame = (text: string, structured: Json): boolean =>
  JSON.stringify(parseJson(text)) === JSON.stringify(structured);
