export type Leaning = "balanced" | "risk-averse" | "goal-seeking" | "novelty";

const words: readonly (readonly [Leaning, RegExp])[] = [
  [
    "risk-averse",
    /\b(?:risk|caution|cautious|safe|conservativ|harm|avoid|veto|downside|sturd)\w*|\b(?:worst|cannot be (?:undone|made good))\b/gi,
  ],
  ["goal-seeking", /\b(?:goal|objective|aim|target)s?\b|\bachiev\w*/gi],
  [
    "novelty",
    /\b(?:novel|unique|original|unconventional|unusual|creativ|surpris|unexpected|strange)\w*|\b(?:usual|new|different|another|only one)\b/gi,
  ],
  [
    "balanced",
    /\b(?:balanc|weigh|fair|even-?hand)\w*|\b(?:alike|neither|both|several|majority|common ground|consensus|all sides|support)\b/gi,
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
