export type Leaning = "balanced" | "risk-averse" | "goal-seeking" | "novelty";

const words: readonly (readonly [Leaning, RegExp])[] = [
  [
    "risk-averse",
    /\brisk\w*|\bcaution\w*|\bcautious\w*|\bsafe\w*|\bconservativ\w*|\bharm\w*|\bworst case\b|\bavoid\w*|\bveto\w*|\bdownside\w*/gi,
  ],
  ["goal-seeking", /\bgoals?\b|\bobjectives?\b|\baims?\b|\btargets?\b|\bachiev\w*/gi],
  [
    "novelty",
    /\bnovel\w*|\bunique\w*|\boriginal\w*|\bunconventional\w*|\bunusual\w*|\bcreativ\w*|\bnew idea\w*|\bsurpris\w*/gi,
  ],
  [
    "balanced",
    /\bbalanc\w*|\bweigh\w*|\bfair\w*|\beven-?handed\w*|\bmajority\b|\bcommon ground\b|\bconsensus\b|\ball sides\b/gi,
  ],
];

/** Which way a strategic directive leans, by the words that it uses most; balanced where that cannot be told. */
export function leaningOf(directive: string): Leaning {
  const counted = words.map(([leaning, pattern]) => ({
    leaning,
    count: directive.match(pattern)?.length ?? 0,
  }));
  const most = Math.max(...counted.map(({ count }) => count));
  const leading = counted.filter(({ count }) => count === most);
  return leading.length === 1 ? (leading[0]?.leaning ?? "balanced") : "balanced";
}

/** The goal that a directive names: what stands behind `goal:` or between quotation marks or fences, else its last line. */
export function goalIn(directive: string): string {
  const named = /\b(?:goal|objective|aim)\b[^:\n]{0,40}:\s*(\S[^\n]*)/i.exec(directive)?.[1];
  const quoted = /[“"]([^”"\n]{3,400})[”"]/.exec(directive)?.[1];
  const lines = directive.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("["));
  return (named ?? quoted ?? lines.at(-1) ?? "").trim();
}
