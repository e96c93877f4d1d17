const looksUp =
  /^(?:(?:and|so|then|but|please|now)[, ]+)*(?:(?:(?:do|can) you (?:remember|know|recall|tell me|say)|tell me|remind me)[, ]+)?(?:(?:in|on|at|from|to|for|with|since) )?(?:who|whom|whose|what|which|when|where|how (?:many|much|old|long|often|far))\b/i;
const yesOrNo = /^(?:(?:and|so|then|but)[, ]+)*(?:is|are|am|was|were|do|does|did|have|has|will)\b/i;
const advice =
  /\b(?:should|could|would|might|must|ought|better|ways?|reasons?|think|recommend|advice|why)\b|\bthe best\b|\b(?:can|may) (?:i|we)\b/i;
const mostWords = 16;

const isShort = (text: string): boolean => text.length <= 400 && text.trim().split(/\s+/).length <= mostWords;

/** Whether a text asks for one plain thing, which somebody either knows or does not: no advice, no reasons, no essay. */
export const isLookup = (text: string): boolean =>
  isShort(text) && looksUp.test(text.trim()) && !advice.test(text);

/** Whether a text asks if something is so. */
export const isYesOrNo = (text: string): boolean =>
  isShort(text) && yesOrNo.test(text.trim()) && !advice.test(text);
