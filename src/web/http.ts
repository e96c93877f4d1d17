import { computed, signal } from "@preact/signals";

/** What the server said instead of a result: RFC 9457, with what to do about it. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly next: string | undefined;

  constructor(
    status: number,
    said: { readonly detail?: string; readonly code?: string; readonly next?: string },
  ) {
    super(said.detail ?? `the server answered ${status}`);
    this.status = status;
    this.code = said.code ?? "unknown";
    this.next = said.next;
  }
}

/** Whether the server answered last time: false while it cannot be reached. */
export const online = signal(true);
/** Whether the session has ended: the page then says how to begin another. */
export const signedOut = signal(false);

/** The build of the page that the server has now; null while no reply has named it. */
export const serverBuild = signal<string | null>(null);
const ownBuild = document.querySelector<HTMLMetaElement>("meta[name=parley-build]")?.content ?? "";
/** Whether the server has become another version, which has another page than this one. */
export const isOutdated = computed(
  () => ownBuild !== "" && serverBuild.value !== null && serverBuild.value !== ownBuild,
);

/** Notes the build that a reply names. */
export function noteBuild({ headers }: Response): void {
  serverBuild.value = headers.get("parley-build") ?? serverBuild.value;
}

/** The address of an operation of the API. */
export const apiUrl = (path: string): string => new URL(`api/v1/${path}`, document.baseURI).href;

type SentRequest = {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

/** Calls the API. @throws Problem for a refusal, and with the code `offline` where no server answers */
export async function callApi(
  path: string,
  { method = "GET", body, headers = {}, signal: end }: SentRequest = {},
): Promise<Response> {
  const response = await fetch(apiUrl(path), {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(end ? { signal: end } : {}),
  }).catch((error: unknown) => {
    if (end?.aborted === true) throw error;
    online.value = false;
    throw new ApiProblem(0, { code: "offline", detail: "the server does not answer" });
  });
  online.value = true;
  noteBuild(response);
  if (response.ok || response.status === 304) return response;
  const said = (await response.json().catch(() => ({}))) as { detail?: string; code?: string; next?: string };
  if (response.status === 401) signedOut.value = true;
  throw new ApiProblem(response.status, said);
}

/** Calls the API for JSON of a form that the server's document gives. */
export async function fetchJson<T>(path: string, sent: SentRequest = {}): Promise<T> {
  const response = await callApi(path, sent);
  return (response.status === 204 ? undefined : await response.json()) as T; // the server checks what it gives
}

/** A path with a query; `undefined` is left out, and a list is repeated. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [value].flat().map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}
