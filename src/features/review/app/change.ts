import picomatch from "picomatch";
import { diffOf, fileAt, fileBelow, topOf, withoutSecrets } from "../../../app/work-tree.ts";
import type { FileContext } from "../../../config/paths.ts";
import { digestOf, textDigest } from "../../../engine/index.ts";
import { isFault, refusal } from "../../../kernel/index.ts";
import { pluralize } from "../../../text/format.ts";
import { readUnifiedDiff, type ChangedFile } from "../../../text/unified-diff.ts";
import { quoteValue, toOneLine } from "../../../text/words.ts";
import { ReviewRules, type ReviewSettings } from "../protocol/work.ts";
import { readRules, readWorkTreeRules, RULES_FILE } from "./rules-file.ts";

/** What is to be reviewed. */
export type ChangeRequest = {
  /** The revision that the work tree is compared with; HEAD where none is named and no diff is handed over. */
  readonly diff?: string | undefined;
  /** The revision that the rules are from, where that is another one. */
  readonly base?: string | undefined;
  /** A diff that was handed over, and how it is called. */
  readonly handed?: { readonly name: string; readonly text: string } | undefined;
};

/** A change as it is reviewed. */
export type Change = {
  /** In words, for a title: `1 file changed since main`. */
  readonly title: string;
  readonly files: readonly ChangedFile[];
  /** The touched files as they stand after the change, as far as they are texts and at hand. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
} & Pick<ReviewSettings, "rules" | "rulesFrom" | "base" | "pins" | "ignored" | "unseen">;

/** A change, or why there can be no verdict on it. */
export type Gathered =
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly why: string; readonly next: string };

/**
 * Reads a change, and the rules of its base.
 * @throws Fault `configuration`, `untrusted` for what cannot be read, or is not valid
 */
export async function gatherChange(request: ChangeRequest, place: FileContext): Promise<Gathered> {
  const { handed } = request;
  const top = topOf(place.cwd);
  if (!top && !handed)
    throw refusal("there is no Git work tree here", "name a file with a diff, or - for standard input");
  const isCi = !["", "0", "false"].includes(place.env["CI"] ?? "");
  const named = request.base ?? request.diff;
  if (isCi && named === undefined)
    return {
      ok: false,
      why: "there is no base revision whose rules would decide",
      next: "name the revision that the change is compared with, or that the rules are from",
    };
  const tree = top && !handed ? await diffOf(top, { base: request.diff }) : undefined;
  const read = tree ? { files: tree.files, secret: tree.omitted } : readHanded(handed);
  const revision = named ?? (tree?.base === null || handed ? undefined : "HEAD");
  const { rules, rulesFrom } = await rulesOf(top, revision, place);
  const isIgnored = picomatch([...rules.ignore], { dot: true });
  const isOut = ({ path, oldPath = path }: { readonly path: string; readonly oldPath?: string }) =>
    isIgnored(path) && isIgnored(oldPath);
  const files = read.files.filter((file) => !isOut(file));
  const unseen = read.secret.filter((file) => !isOut(file)).map(({ path, why }) => ({ path, why }));
  const texts = top && tree ? await readAfter(top, files) : [];
  const base = tree ? { revision: request.diff ?? "HEAD", commit: tree.base } : null;
  const since = base ? `since ${toOneLine(base.revision, 100)}` : `in ${toOneLine(handed?.name ?? "", 100)}`;
  const digests = texts.map(({ path, text }) => [path, textDigest(text)]);
  return {
    ok: true,
    change: {
      ...{
        title: `${pluralize(files.length, "file")} changed ${since}`,
        files,
        texts,
        rules,
        rulesFrom,
        base,
        unseen,
      },
      ignored: [...read.files, ...read.secret].filter(isOut).map(({ path }) => path),
      pins: {
        diff: textDigest(files.map(({ text }) => text).join("")),
        files: digestOf(digests),
        rules: digestOf(rules),
      },
    },
  };
}

function readHanded(handed: ChangeRequest["handed"]): ReturnType<typeof withoutSecrets> {
  const { name = "", text = "" } = handed ?? {};
  const read = readUnifiedDiff(text);
  if (read.ok) return withoutSecrets(read.files);
  throw refusal(
    `${name} is no diff as git diff writes it, from ${quoteValue(read.reason)} on`,
    "write it with git diff, without colors and other programs",
  );
}

/** The rules of a revision; without one those of the work tree, where it is trusted; else the built-in ones. */
async function rulesOf(
  top: string | undefined,
  revision: string | undefined,
  place: FileContext,
): Promise<Pick<Change, "rules" | "rulesFrom">> {
  const builtIn = { rules: ReviewRules.parse({}), rulesFrom: "the built-in ones" };
  if (top && revision !== undefined) {
    const text = await fileAt(top, revision, RULES_FILE);
    const rulesFrom = `${RULES_FILE} of ${toOneLine(revision, 100)}`;
    return text === undefined ? builtIn : { rules: readRules(text, rulesFrom), rulesFrom };
  }
  const rules = readWorkTreeRules(place);
  return rules ? { rules, rulesFrom: `${RULES_FILE} of the work tree` } : builtIn;
}

/** A file that is too large, not a text or no regular file is left out: the diff shows what changed in it. */
async function readAfter(top: string, files: readonly ChangedFile[]): Promise<Change["texts"]> {
  const texts: { path: string; text: string }[] = [];
  for (const { path, change, isBinary } of files) {
    if (change === "deleted" || isBinary) continue;
    try {
      const { text } = await fileBelow([top], path);
      texts.push({ path, text });
    } catch (error) {
      if (!isFault(error, "configuration")) throw error;
    }
  }
  return texts;
}
