/** Four 32-bit words from a text: FNV-1a from four offsets, each word mixed to its end as MurmurHash3 does. */
const words = (text: string): [number, number, number, number] => {
  const word = (offset: number) => {
    let hash = 0x811c9dc5 ^ offset;
    for (let index = 0; index < text.length; index += 1)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  };
  return [word(0), word(0x9e3779b9), word(0x3c6ef372), word(0xdaa66d2b)];
};

/**
 * Repeatable chance for resampling, no secret: numbers in [0, 1) that depend on the seed alone and are the same on every
 * machine. The generator sfc32 of PractRand (Doty-Humphrey 2010), which passes its own and BigCrush's tests.
 */
export const random = (seed: string | number): (() => number) => {
  let [a, b, c, counter] = words(String(seed));
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warming = 0; warming < 16; warming += 1) next();
  return next;
};
