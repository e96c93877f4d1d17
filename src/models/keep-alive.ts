/** A duration as Go writes it: `5m`, `1h30m`, `-1s`. */
const duration = /^-?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;

/**
 * How long a model stays in memory after a reply, in the form that Ollama's `keep_alive` takes: a duration as text, or
 * seconds as a number; below 0 is for good. `written` is what `OLLAMA_KEEP_ALIVE` holds; null where that is neither, which
 * Ollama itself passes over as well.
 */
export const keepAliveOf = (written: string | undefined): string | number | null => {
  const text = written?.trim() ?? "";
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return text.length <= 100 && duration.test(text) ? text : null;
};
