import { namesOf } from "../../reports/names.ts";

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A name as it stands within a sentence: one that reads right to left leaves the order of the words around it. */
export const isolateName = (name: string): string =>
  RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;

/** The same for each of these names in a sentence that has them already. */
export const isolateNames = (text: string, names: Iterable<string>): string =>
  [...new Set(names)]
    .filter((name) => RIGHT_TO_LEFT.test(name))
    .reduce((isolated, name) => isolated.replaceAll(name, isolateName), text);

/** Gives the name of an id as people know it, as it stands within a sentence. */
export function isolatedNamesOf(people: Parameters<typeof namesOf>[0]): (id: string) => string {
  const nameOf = namesOf(people);
  return (id) => isolateName(nameOf(id));
}
