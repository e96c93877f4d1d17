import { createHmac, hash } from "node:crypto";
import { canonical, DeliberationId, Digest, type OrganizationId, type SeriesId } from "../kernel/index.ts";

/** The digest of a JSON value's canonical form (RFC 8785). @throws TypeError for a value that JSON cannot hold */
export const digestOf = (value: unknown): Digest => textDigest(canonical(value));

/** The digest of a text's UTF-8 bytes. */
export const textDigest = (text: string): Digest => Digest.parse(hash("sha256", text, "hex"));

/** 256 pseudorandom bits: the same on every run, and unpredictable without the seed. */
const chance = (seed: string, purpose: string): Buffer =>
  createHmac("sha256", seed).update(purpose, "utf8").digest();

/**
 * The mark of the fence around an untrusted text. The text cannot contain it, because its author does not know the seed.
 * A text has the same mark in every prompt, so that shared prefixes stay byte-identical.
 */
export const fenceMark = (seed: string, text: string): string =>
  chance(seed, `fence/${text}`).toString("hex").slice(0, 16);

/** Shuffles `items` in an order that depends only on the seed, the purpose and each item's name. */
export function shuffle<T extends string>(seed: string, purpose: string, items: readonly T[]): T[] {
  const weight = new Map(items.map((item) => [item, chance(seed, `${purpose}/${item}`).toString("hex")]));
  return [...items].sort((a, b) => ((weight.get(a) ?? "") < (weight.get(b) ?? "") ? -1 : 1));
}

/** The id of the deliberation that a client's request opens: twelve letters and digits, the same for the same request. */
export const idOfRequest = (organization: OrganizationId, request: string): DeliberationId =>
  DeliberationId.parse(shortName(`request/${organization}/${request}`));

export type SeriesPlace = {
  readonly organization: OrganizationId;
  readonly series: SeriesId;
  readonly index: number;
};

/** The id of the deliberation at a position of a series. Concurrent openings of one position collide; organizations never do. */
export const idInSeries = ({ organization, series, index }: SeriesPlace): DeliberationId =>
  DeliberationId.parse(shortName(`series/${organization}/${series}/${index}`));

/** 60 bits in base 32, without look-alike characters. */
function shortName(text: string): string {
  const bytes = hash("sha256", text, "buffer");
  return Array.from({ length: 12 }, (_, index) => ALPHABET[(bytes[index] ?? 0) & 31]).join("");
}

const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
