import { createHmac, hash } from "node:crypto";
import { canonical, DeliberationId, Digest, type OrganizationId, type SeriesId } from "../kernel/index.ts";

/** Of a JSON value's canonical form (RFC 8785). @throws TypeError for what JSON cannot say */
export const digestOf = (value: unknown): Digest => textDigest(canonical(value));

/** Of a text's UTF-8 bytes. */
export const textDigest = (text: string): Digest => Digest.parse(hash("sha256", text, "hex"));

/** Chance that a deliberation owns: unforgeable without the seed, the same on every run. 256 bits. */
const chance = (seed: string, purpose: string): Buffer =>
  createHmac("sha256", seed).update(purpose, "utf8").digest();

/**
 * The mark that fences a foreign text: the text cannot contain it, since it would have to know the seed,
 * and the same text has the same mark in every prompt, so shared prefixes stay byte-identical.
 */
export const fenceMark = (seed: string, text: string): string =>
  chance(seed, `fence/${text}`).toString("hex").slice(0, 16);

/** `items` in an order that depends on the seed, the purpose and each item's name alone. */
export function shuffle<T extends string>(seed: string, purpose: string, items: readonly T[]): T[] {
  const weight = new Map(items.map((item) => [item, chance(seed, `${purpose}/${item}`).toString("hex")]));
  return [...items].sort((a, b) => ((weight.get(a) ?? "") < (weight.get(b) ?? "") ? -1 : 1));
}

/** Twelve letters and digits: the id of the deliberation that a client's request opens. The same request names the same one. */
export const idOfRequest = (organization: OrganizationId, request: string): DeliberationId =>
  DeliberationId.parse(shortName(`request/${organization}/${request}`));

/** A place in an organization's series. */
export type SeriesPlace = {
  readonly organization: OrganizationId;
  readonly series: SeriesId;
  readonly index: number;
};

/** The id of the deliberation at a place of a series, so that rivals opening it collide, and no other organization's does. */
export const idInSeries = ({ organization, series, index }: SeriesPlace): DeliberationId =>
  DeliberationId.parse(shortName(`series/${organization}/${series}/${index}`));

/** 60 bits in base 32 without letters that look alike. */
function shortName(text: string): string {
  const bytes = hash("sha256", text, "buffer");
  return Array.from({ length: 12 }, (_, index) => ALPHABET[(bytes[index] ?? 0) & 31]).join("");
}

const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
