/** A line that begins with the marker `FINAL RANKING:`, its decoration included; a list may follow on the line. */
export const marker =
  /^[\s#*_`-]{0,40}(?:\d{1,2}[.)]\s*)?[*_`]{0,6}(?:(?:my|the|overall)\s)?final\s{1,4}ranking[*_`]{0,6}\s{0,4}(?:\([^)]{0,80}\)[*_`]{0,6})?\s{0,4}(?:[:：][*_`]{0,6}|[-–—]\s|$)/i;

/** The heading of an answer's strengths or weaknesses, at the start of a line or behind a label. */
export const reviewing =
  /^[\s#*_`•+:–—(.\d)-]*(?:(?:key|main)\s+)?(?:(strengths?|pros)|weakness(?:es)?|cons)\b[\s*_`]*(?::|\(|$)/i;

const leadWords = new Set(
  "a answer answers are as based best final following from full here i in is my of on order our overall preference rank ranked ranking response responses resulting so the therefore this to worst would".split(
    " ",
  ),
);

/** How many characters of the line introduce a ranking (`My order:`), 0 where it begins with anything else. */
export const leadInLength = (line: string): number => {
  const colon = line.slice(0, 100).search(/[:：]/);
  if (colon === -1) return 0;
  const words =
    line
      .slice(0, colon)
      .toLowerCase()
      .match(/[^\s*_#()-]+/g) ?? [];
  const leads = words.some((word) => word.startsWith("rank") || word === "order");
  return leads && words.every((word) => leadWords.has(word)) ? colon + 1 : 0;
};
