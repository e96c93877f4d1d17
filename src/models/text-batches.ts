/** Google takes 100 texts a request, OpenAI 2,048. */
const mostTexts = 96;
/**
 * UTF-16 units of all texts of a request together. Mistral takes 16,384 tokens a request and OpenAI 300,000; a token
 * is 3 characters of Latin text or more.
 */
const mostTogether = 32_000;
/** Of one text: OpenAI's and Mistral's models take 8,192 tokens. */
const longestText = 24_000;

/** A text as an embedding model can take it: none is empty, and of one that is too long its beginning stands for it. */
const fit = (text: string): string => {
  if (text === "") return " ";
  return text.length <= longestText ? text : text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, "");
};

/** The texts in their order, in as many requests as the limits above want. */
export const textBatches = (texts: readonly string[]): readonly (readonly string[])[] => {
  const batches: string[][] = [];
  let batch: string[] = [];
  let together = 0;
  for (const text of texts.map(fit)) {
    if (batch.length === mostTexts || (batch.length > 0 && together + text.length > mostTogether)) {
      batches.push(batch);
      batch = [];
      together = 0;
    }
    batch.push(text);
    together += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
};
