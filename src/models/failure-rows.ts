import type { FailureCode } from "../kernel/model.ts";

/** What a provider said instead of a reply. `status` is 0 where an error inside a 200 names none. */
export type FailureClue = { readonly status: number; readonly text: string };

/** One row of the table of failures. A row is meant where its status holds, `says` and `also` are in the text, and `unless` is not. */
export type FailureRow = {
  readonly status: (status: number) => boolean;
  readonly says?: RegExp;
  readonly also?: RegExp;
  readonly unless?: RegExp;
  readonly test?: (text: string) => boolean;
  readonly code: FailureCode;
  /** It may be sent again; a row without this is final. */
  readonly later?: true;
  /** Too much is in flight: always, or where the text says so. */
  readonly crowded?: true | RegExp;
  /** What can be done about it, where the provider's own words do not say. */
  readonly advice?: string;
  /** The documentation, or the recorded reply, that the row stands on. */
  readonly source: string;
};

function only(...wanted: readonly number[]): (status: number) => boolean {
  return (status) => wanted.includes(status);
}

function anyStatus(): boolean {
  return true;
}

/** The statuses with which a request is refused for its content; gateways turn them into 5xx, or into none at all. */
function refusals(status: number): boolean {
  return [0, 400, 413, 416, 422].includes(status) || status >= 500;
}

const RATE =
  /\b(?:tokens|requests|input|output)?[ _]?per[ _-](?:min|minute|hour|day)\b|\b[TR]P[MD]\b|rate[ _]limit/i;

/** What passes by itself, as a model that is being loaded. */
const TEMPORARY =
  /\b(?:loading|starting|warming|temporar\w*|try again|retry|later|busy|overload\w*|capacity|timed? ?out)\b/i;

/** A limit of 0, or a request that is larger than its limit: "Limit 6000, Requested 14368". */
function neverFits(text: string): boolean {
  const limited = /\blimit:? ?(\d[\d,]*)\b.{0,80}?\brequested:? ?(\d[\d,]*)/i.exec(text);
  const count = (digits: string | undefined): number => Number((digits ?? "").replaceAll(",", ""));
  if (limited !== null && count(limited[2]) > count(limited[1])) return true;
  return /\blimit: 0\b/i.test(text) || /\brequest (?:is )?too large\b/i.test(text);
}

/** The first row that is meant decides. */
export const failureRows: readonly FailureRow[] = [
  {
    status: only(402),
    code: "out-of-credit",
    source: "https://api-docs.deepseek.com/quick_start/error_codes",
  },
  // Also anthropics/claude-code/issues/2127, continuedev/continue/issues/10373, RooCodeInc/Roo-Code/issues/515.
  {
    status: anyStatus,
    says: /insufficient[_ ](?:\w+[_ ])?(?:quota|credits?|balance|funds)|exceeded_current_quota_error|billing_(?:error|hard_limit_reached|not_active)|credit balance is too low|reached your specified api usage limits|(?:extra usage is|usage credits are) required|\b(?:out of|used (?:up )?all|no(?: more)?|more|not enough) (?:\w+ ){0,2}(?:credits?|balance|funds)\b|monthly spending (?:limit|cap)|\b(?:credits?|balance|funds)\b.{0,30}\b(?:are|is|has been|have been)? ?(?:depleted|exhausted|insufficient|used up|not enough|too low|overdue)|\bkey limit exceeded|credit limit exceeded|(?:is not|not) active, please check your billing|spending limit|budget[ _](?:has been )?exceeded|exceededbudget|arrearage|overdue (?:balance|payment)|accountoverdue|余额不足/i,
    code: "out-of-credit",
    source: "https://platform.openai.com/docs/guides/error-codes",
  },
  {
    status: anyStatus,
    says: /\bprepaid (?:credits?|balance|funds)\b|\b(?:add|adding|top(?:ping)? up|recharge|deposit|purchase|buy) (?:\w+ ){0,2}(?:credits?|funds|balance)\b|\bpayment required\b|\b(?:wallet|account|balance)\b.{0,20}\b(?:is )?(?:empty|zero|negative)\b|\bfree (?:trial|tier|credits?) (?:has|have) (?:ended|expired|run out)/i,
    unless: RATE,
    code: "out-of-credit",
    source: "https://github.com/continuedev/continue/issues/10684",
  },
  {
    status: only(400, 402, 403, 429),
    says: /\b(?:monthly|billing cycle|plan'?s?) (?:\w+ ){0,2}(?:usage |quota |events? )?limit\b.{0,60}\b(?:reached|exceeded|exhausted|used up)|\breached (?:your|its|the) (?:monthly|plan'?s?) (?:\w+ )?limit/i,
    code: "out-of-credit",
    source: "https://github.com/langwatch/langwatch/pull/2065",
  },
  // Also continuedev/continue/issues/10778, RooCodeInc/Roo-Code/issues/2445.
  {
    status: anyStatus,
    says: /api_key_invalid|\binvalid_(?:api_)?key\b|api[ _-]?key (?:[a-z]+ ){0,4}(?:not (?:valid|found|correct|active|recognized)|invalid|incorrect|missing|expired|revoked|disabled|wrong)|(?:incorrect|invalid|wrong|missing|malformed|expired|unknown|bad|no) (?:or \w+ )?(?:x-)?(?:api|subscription)[ _-]?key|invalid (?:bearer |access |proxy server |auth\w* )token|authentication[ _](?:error|fails|failed)|invalid authentication|permission_error|\bno (?:\w+ )?(?:auth\w*|api) credentials\b|\b(?:auth\w*|api) credentials\b.{0,30}\b(?:invalid|missing|not (?:found|provided|valid)|expired|required)|\bcredentials (?:were |are )?(?:not (?:provided|found|valid)|missing|invalid)|(?:missing|invalid|no) (?:authentication|authorization) header|\bunauthenticated\b/i,
    code: "unauthorised",
    source: "https://github.com/google-gemini/gemini-cli/issues/25198",
  },
  {
    status: (status) => status !== 401 && status !== 429,
    says: /\bmoderation|flagged|content[_ ](?:policy|filter|management)|contentpolicy|contentfilter|responsible_?ai_?policy|was filtered due|prohibited_content|content exists risk|data_?inspection_?failed|inappropriate content|usage policy|safety (?:filter|system|polic|reasons)/i,
    code: "refused",
    source: "https://github.com/BerriAI/litellm/pull/16231",
  },
  {
    status: only(0, 413, 429),
    says: RATE,
    test: neverFits,
    code: "rate-limited",
    advice: "the request is larger than this limit allows at all; shorten it, or allow a shorter reply",
    source: "https://github.com/assafelovic/gpt-researcher/issues/985",
  },
  {
    status: only(429),
    test: neverFits,
    code: "rate-limited",
    advice: "this limit leaves no room for the request at all",
    source: "https://github.com/continuedev/continue/issues/9745",
  },
  {
    status: refusals,
    says: /\bmax_(?:completion_|output_|new_)?tokens\b|maxoutputtokens|max output tokens/i,
    also: /too (?:large|high|big)|at most|maximum (?:allowed|value)|less than or equal|(?:valid|supported) range|\brange of|<= ?\d|limited for this model|above_max/i,
    unless: /context (?:length|limit)|input length|input tokens|inputs`?|in the messages|\bprompt\b/i,
    code: "refused",
    advice: "this model takes no max_tokens as high as that; allow a shorter reply",
    source: "https://github.com/ChatGPTNextWeb/NextChat/issues/3195",
  },
  {
    status: refusals,
    says: /\b(?:unsupported|unknown|unrecognized|unexpected|not (?:supported|permitted|allowed))\b.{0,80}\bmax_(?:completion_|output_|new_)?tokens\b|\bmax_(?:completion_|output_|new_)?tokens\b.{0,80}\b(?:is not supported|unsupported|not (?:permitted|allowed)|unknown)/i,
    code: "refused",
    advice:
      "this model takes neither max_tokens nor max_completion_tokens; reach it through another provider or wire",
    source: "https://platform.openai.com/docs/guides/reasoning",
  },
  // Also https://platform.claude.com/docs/en/api/errors.
  {
    status: refusals,
    says: /context[_ -](?:length|window|size|limit)|maximum context|exceed_context|context overflow|exceeds? the context|(?:prompt|input)s? (?:is |are )?too long|request_too_large|request too large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
    code: "context-too-long",
    source: "https://github.com/Chanzhaoyu/chatgpt-web/issues/372",
  },
  {
    status: refusals,
    says: /\btoo many (?:total )?text bytes\b|\b(?:prompt|input|conversation|text) (?:is |was )?too (?:large|big|long) (?:to process|for (?:the|this) (?:model|context)|compared to kv size)|\bincrease the (?:physical batch|kv) size\b|\b(?:prompt|conversation) is too (?:large|big)\b/i,
    unless: RATE,
    code: "context-too-long",
    source: "https://github.com/ggml-org/llama.cpp/issues/11105",
  },
  {
    status: refusals,
    says: /token (?:count|limit).{0,80}exceed|exceed.{0,40}(?:token (?:count|limit)|tokens allowed)|maximum (?:prompt|input|allowed input) length|exceeded model token limit|input tokens exceed|reduce the length|too many (?:input )?tokens|\brange of input length/i,
    unless: RATE,
    code: "context-too-long",
    source: "https://github.com/badlogic/pi-mono/blob/a2dbd625/packages/ai/src/utils/overflow.ts",
  },
  {
    status: only(400, 413, 422),
    says: /\b(?:prompt|inputs?`?|messages?|request(?:ed)?|conversation|context|body)\b.{0,80}\b(?:too (?:long|large|many)|longer than|exceed(?:s|ed|ing)?|must (?:be|have) (?:<=?|less|at most|fewer)|overflows?|more than (?:the )?(?:max|allowed))/i,
    also: /\btokens?\b|\bcontext\b|\blength\b|\bmax_new_tokens\b/i,
    unless:
      /rate[ _]limit|per[ _-](?:min|minute|hour|day)\b|\bschema\b|\btools?\b|\bfunction\b|\bimages?\b|\.name\b|\bstop\b/i,
    code: "context-too-long",
    source: "https://huggingface.co/docs/text-generation-inference/reference/launcher",
  },
  { status: only(413), code: "context-too-long", source: "RFC 9110, 15.5.14" },
  {
    status: only(403),
    says: /invalid host header/i,
    code: "refused",
    advice: "name this host there (Jan: Trusted Hosts), or use another model or server",
    source: "https://github.com/janhq/jan/issues/7345",
  },
  {
    status: only(401, 403),
    code: "unauthorised",
    source: "https://platform.openai.com/docs/guides/error-codes",
  },
  { status: only(429), code: "rate-limited", later: true, crowded: true, source: "RFC 6585, 4" },
  { status: only(408), code: "timed-out", later: true, source: "RFC 9110, 15.5.9" },
  {
    status: only(0),
    says: /authentication|permission|unauthori[sz]ed/i,
    code: "unauthorised",
    source: "https://platform.claude.com/docs/en/api/errors",
  },
  {
    status: only(0),
    says: /rate_?limit|too_many_requests|too many requests|resource_exhausted/i,
    code: "rate-limited",
    later: true,
    crowded: true,
    source: "https://platform.claude.com/docs/en/api/errors",
  },
  {
    status: only(0),
    says: /invalid_request|bad_?request|not_found/i,
    code: "refused",
    source: "https://platform.claude.com/docs/en/api/errors",
  },
  {
    status: (status) => status === 0 || status >= 400,
    says: /\bmodel (?:\S+ )?(?:is|was|has been|got)? ?unloaded\b/i,
    code: "overloaded",
    later: true,
    advice: "if it stays so, load it again; LM Studio does with: lms load MODEL",
    source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1730",
  },
  {
    status: (status) => status === 0 || status >= 400,
    says: /\bmore (?:system )?memory\b|\binsufficient (?:system )?(?:resources|memory)\b|\bout of memory\b|\bfailed to allocate\b/i,
    code: "refused",
    advice:
      "the machine lacks memory: shorten the context, unload other models, or use another model or server",
    source: "https://github.com/continuedev/continue/issues/9649",
  },
  {
    status: (status) => status === 0 || status >= 500,
    says: /(?:\bnot|n't) (?:support(?:ed|s)?|implemented|compiled|built with)\b|\bno support for\b|\bunsupported\b|\bunimplemented\b|\b(?:requires?|needs?|without|with|missing)\b.{0,40}\s[`'"]?--\w/i,
    unless: TEMPORARY,
    code: "refused",
    advice:
      "the server cannot do this, or was not started for it: start it with what it names, or use another model or server",
    source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  },
  {
    status: (status) => status === 0 || status >= 500,
    says: /(?:\bnot|n't|\bnever|\bno \w+(?: \w+)?)(?: (?:been|is|are|was|were|currently)){0,2} (?:loaded|configured|enabled|installed|set up)\b(?! yet)|\bis disabled\b/i,
    unless: TEMPORARY,
    code: "refused",
    advice: "the server lacks it: load, configure or turn it on there, or use another model or server",
    source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  },
  {
    status: (status) => status === 0 || status >= 400,
    says: /\bno models? (?:is |are )?(?:currently )?loaded\b|\b(?:engine is|model has) not (?:been )?loaded\b|\bno running session\b|\bfailed to load\b|\bmodel has crashed\b/i,
    code: "refused",
    advice: "load it there (LM Studio: lms load MODEL), or use another model or server",
    source: "https://github.com/canopyai/Orpheus-TTS/issues/229",
  },
  {
    status: only(501),
    code: "refused",
    advice: "the server does not do this; use another model or server",
    source: "RFC 9110, 15.6.2",
  },
  {
    status: (status) => status === 0 || status === 498 || status >= 500,
    code: "overloaded",
    later: true,
    crowded: /concurren|too many (?:simultaneous|parallel)|maximum pending requests|server busy/i,
    source: "https://platform.claude.com/docs/en/api/errors",
  },
  { status: anyStatus, code: "refused", source: "RFC 9110, 15.5" },
];

function isMeant(row: FailureRow, { status, text }: FailureClue): boolean {
  return (
    row.status(status) &&
    (row.says?.test(text) ?? true) &&
    (row.also?.test(text) ?? true) &&
    !(row.unless?.test(text) ?? false) &&
    (row.test?.(text) ?? true)
  );
}

/** An error's beginning says what it is. */
const MAX_CLUE_LENGTH = 8_192;

export function findFailureRow({ status, text }: FailureClue): FailureRow {
  // Some gateways answer in URL encoding.
  const clue = { status, text: text.slice(0, MAX_CLUE_LENGTH).replaceAll("%20", " ") };
  const row = failureRows.find((each) => isMeant(each, clue));
  if (row === undefined) throw new Error("the table of failures has no last row");
  return row;
}
