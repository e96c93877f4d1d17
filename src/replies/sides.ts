/** The answer shown first, the one shown second, or neither before the other. */
export type Winner = "A" | "B" | "tie";

const noun = String.raw`(?:the\s)?(?:output|response|answer|assistant|option|candidate|reply|model)\s?`;
export const mark = "[\"'“”’*_`]{0,4}";
const namedSide = String.raw`(?<![\p{L}\p{N}])${mark}(?:${noun}${mark}[([]?(?<noun>[ab])[)\]]?|[([](?<bracket>[ab])[)\]]|(?<letter>[ab]))`;
/**
 * `Output (a)`, `Response B`, `(b)`, `**A**`. A small letter needs a noun or brackets, since `a` is an article:
 * `readWinner` drops the others, as the patterns themselves do not look at the case.
 */
export const side = String.raw`${namedSide}(?![\p{L}\p{N}'’])${mark}`;
/** The same, or the whole of what it gave: `Assistant A's answer`. */
export const sideOrWork = String.raw`${namedSide}(?:['’]s\s(?:output|response|answer|reply)\b|(?![\p{L}\p{N}'’])${mark})`;
export const tie = String.raw`(?<tie>(?:a\s)?(?:tie[ds]?|draw|equal(?:ly\s(?:good|bad))?|neither|both)\b)`;

type Groups = { readonly [name: string]: string | undefined } | undefined;

export function readWinner(groups: Groups): Winner | null {
  if (groups?.["tie"] !== undefined) return "tie";
  const { noun: withNoun, bracket, letter } = groups ?? {};
  const small = letter !== undefined && letter !== letter.toUpperCase();
  const found = withNoun ?? bracket ?? (small ? undefined : letter);
  return found === undefined ? null : found.toUpperCase() === "A" ? "A" : "B";
}

const otherOf = (winner: Winner): Winner => (winner === "A" ? "B" : winner === "B" ? "A" : "tie");
const sideFirst = new RegExp(`^\\s?${sideOrWork}(?:['’]s)?`, "iu");

export const adverbs = String.raw`(?:\s(?:the|clearly|slightly|much|far|overall|significantly|marginally|a|bit|also|still|indeed|definitely|somewhat|nearly|quite))*`;
const things = String.raw`(?:\s(?:output|response|answer|reply|one|choice|option|of\sthe\stwo))?`;
/** What puts the side before it below the other one: `is worse than`, `isn't as good as`, `loses to`, `<`. */
const lower = new RegExp(
  String.raw`^["'“”’*_)\]]{0,4}(?:\s(?:is|was|seems|appears)${adverbs}\s(?:worse|worst|inferior|weaker|weakest|poorer|outperformed|beaten|bested|surpassed|outdone)\b${things}|\s(?:is\snot|isn['’]t|is\snowhere\snear)${adverbs}\s(?:as|so)\sgood\b|\s(?:loses|lost)\b(?:\sout)?|\s?[<≺])(?:\s(?:than|to|by|as))?`,
  "iu",
);
/** What puts it above. */
const higher =
  /^["'“”’*_)\]]{0,4}(?:\s(?:beats|outperforms|surpasses|outdoes|outshines|bests|trumps|edges\sout|wins\s(?:over|against)|over|is\s(?:preferred|preferable)\s(?:to|over))\b|\s?[>≻]{1,2})/iu;
const evens = new RegExp(String.raw`^["'“”’*_)\]]{0,4}\s?={1,2}\s?${side}\s?[.!]?$`, "iu");
const closes =
  /^["'“”’*_)\]]{0,4}(?:\s?$|[.!,;:]|\s(?:because|since|as|for|due|here|overall|by\sfar|indeed)\b|\s[-–—(])/i;
/** What holds in one respect only. */
const narrows = /\s(?:in|at|on|with|when|regarding|only|for)\b(?!\s(?:every|all|most)\b)/i;

/** A verdict taken back in the same breath: `A? No, B`, `B, no wait, A`, `B, or rather A`. */
const takenBack =
  /^["'”’*_)\]]{0,4}\s?\?|(?:^|[,;:.!?(…–—-])\s*(?:no(?=[,:;.!?–—-]|\s(?:wait|it|its|the)\b|\s?$)|wait|actually|(?:or|but)?\s?rather|or\s(?:maybe|perhaps)|i\smean|scratch\sthat|correction|sorry|hmm|strike\sthat|make\sthat|on\s(?:second|further)\sthought|not\s(?:really|quite)|(?:and\s|but\s)?(?:only\s)?(?:if|unless|assuming|provided|supposing|as\slong\sas|in\scase|were|had)\b)/i;
const onlyIf =
  /^["'”’*_)\]]{0,4}\s(?:only\s)?(?:if|unless|assuming|provided|supposing|as\slong\sas|in\scase)\b/i;
const fault = String.raw`(?:wrong\w*|worse|worst|inferior|weak\w*|poor\w*|bad(?:ly)?|incomplete\w*|incorrect\w*|inaccura\w*|insufficient\w*|inconsisten\w*|inadequa\w*|inappropria\w*|invalid|irrelevan\w*|illogical\w*|imprecis\w*|un(?!der|i[qtvf]|til|like)\w+|mis\w+|fail\w*|los(?:es?|t|er)|lack\w*|omit\w*|ignor\w*|violat\w*|contradict\w*|flawed|false|vague|errors?|mistakes?|problems?|off-topic|flaw\w*|struggl\w*|needs?\swork|comes?\s(?:last|second)|ranks?\s(?:below|last|second)|beaten|outperformed|rambl\w*)`;
/** Words that find fault or deny. */
export const faulty = new RegExp(
  String.raw`\b(?:${fault}|not(?!\sonly)|no|never|less|too|hardly|barely|cannot)\b|n['’]t\b`,
  "iu",
);
const faultyReason = new RegExp(
  String.raw`^["'“”’*_)\]]{0,4}(?:\s?[:,;.–—(-]{1,3}|\s(?:because|since|as|and))\s?(?:it|this|that|which|the\s(?:answer|response|output))(?:['’]s|\s(?:is|was|has|contains|makes|does)|(?=\s(?:fails|lacks|loses|misses|omits|ignores)\b))(?:\s(?:a|an|the|some|many|much|clearly|simply|just|very|more|several|two|three|\w+ly)){0,3}\s${fault}\b`,
  "iu",
);
const faultyDespite =
  /^["'”’*_)\]]{0,4}\s(?:because\sof|due\sto|for|with|despite)\s[^,;.]*\b(?:worse|inferior|weaker|loses|fails|is\s(?:not|wrong|incorrect))\b|^["'”’*_)\]]{0,4}\sas\sthe\s(?:worse|worst|weaker|weakest|lesser|loser)\b/i;
const clauseEnd = /[.;,:–—]|\s(?:because|since|as|while|whereas|but|although|though)\b/i;
const otherSubject = new RegExp(String.raw`(?:[,;.–—]|\sand)\s?${side}(?<said>[^.;]{0,200})`, "iu");

/** What denies or doubts a verdict in the same breath, hands it to somebody else, or makes a joke of it. */
const disowning =
  /^["'”’*_)\]]{0,4}(?:\sis\swhat\s(?!i\b|we\b)|(?:\s?[,;:.…(–—-]{1,4}\s?|\s\()(?:(?:and|but|though|although|which|or|well)\s)?(?:(?:i|we)\s(?:\w+\s)?(?:(?:think|guess|believe|suppose|hope|say)\snot|doubt|disagree|reject|deny|refuse|disown)\b|(?:(?:i|we)\s)?(?:do|would|could|can)(?:\s?not|n['’]t)\s(?:really\s)?(?:think|believe|say|agree|mean|endorse)\b|(?:(?:certainly|of\scourse|definitely|probably|maybe|perhaps|surely|clearly|absolutely|most\s\w+)\s)?not(?=\s?[).!]*\s?$|\s(?:at\sall|so|true)\b)|(?:(?:it|this|that)\s?)?(?:is|['’]s)\s(?:not(?=\s?[).!]*\s?$)|false|wrong|untrue|a\s(?:lie|joke)|what\s(?:they|it|he|she)\b)|as\sif\b(?!\s\w)|if\sonly\b|hardly(?=\s?[).!]*\s?$)|never(?=\s?[).!]*\s?$)|far\sfrom\sit|far\sbe\sit|(?:quite\s)?(?:on\sthe\scontrary|the\sopposite)|in\syour\sdreams|(?:in\s)?no\sway\b|(?:yeah|sure)[,\s]{1,2}right|my\sfoot|sa(?:id|ys)\s(?:nobody|no\sone)|(?:just\s|only\s|i['’]m\s|i\sam\s){0,2}(?:kidding|joking|sarcas\w+)|(?:supposed|alleged|reported|purported|ironical)ly\b|(?:maybe|perhaps|possibly)(?=\s?[).!]*\s?$)|\/s\b|lol\b|haha|so\s(?:they|it|he|she|the\s\w+)\s(?:say|claim|think|believe)s?\b|to\sbe\signored|(?:they|it|he|she|the\s\w+|someone|somebody)\s(?:told|asked|ordered|instructed|wants?)\b))/i;

/** Whether what follows a verdict takes it back, makes it depend on something, or says that it is the worse. */
export function retracts(rest: string): boolean {
  const beforeReason = rest.replace(/\s(?:because|since|as)\b[^]*/i, "");
  return (
    takenBack.test(beforeReason) ||
    disowning.test(rest) ||
    onlyIf.test(rest) ||
    faultyReason.test(rest) ||
    faultyDespite.test(rest)
  );
}

/**
 * What the words right behind a side make of it: the side where they give reasons or praise it, the other one where they
 * say that it is the worse, null where they deny it, find fault with it, take it back or leave it open.
 */
export function readTail(rest: string, winner: Winner): Winner | null {
  if (winner === "tie") return winner;
  if (evens.test(rest)) return "tie";
  const rank = lower.exec(rest) ?? higher.exec(rest);
  if (rank !== null) {
    const behind = rest.slice(rank[0].length);
    const second = sideFirst.exec(behind);
    const after = behind.slice(second?.[0].length ?? 0);
    const isLower = lower.test(rest);
    if (readWinner(second?.groups) === winner || takenBack.test(after)) return null;
    if (second === null && !isLower) return faulty.test(behind) ? null : winner;
    return closes.test(after) && !/\b(?:but|however|while|whereas|except|although|though)\b/i.test(after)
      ? isLower
        ? otherOf(winner)
        : winner
      : null;
  }
  if (retracts(rest)) return null;
  if (!/^["'“”’*_)\]]{0,4}\s(?!because|since|as|for|due|than|over|and|or|[-–—(])/i.test(rest)) return winner;
  const cut = rest.search(clauseEnd);
  if (faulty.test(cut === -1 ? rest : rest.slice(0, cut))) return null;
  const subject = cut === -1 ? null : otherSubject.exec(rest.slice(cut, cut + 300));
  const isOther = subject !== null && readWinner(subject.groups) === otherOf(winner);
  return isOther &&
    !/^\s?,?\s(?:because|since)/.test(rest.slice(cut)) &&
    !faulty.test(subject.groups?.["said"] ?? "")
    ? null
    : winner;
}

const condition =
  /^\W{0,4}(?:(?:so|but|and|even|only|just|overall|therefore|thus),?\s){0,2}(?:if|unless|were|had|should|assuming|suppos(?:e|ing)|provided|only\swhen|in\scase|as\slong\sas|but\sfor)\b(?!\s(?:\w+\s){0,2}(?:forced|to\s(?:choose|pick|decide|select)|compare|look|consider)\b)|[,;]\s(?:but|and|so)\s(?:only\s)?(?:if|unless|were|had)\b/i;
/** A claim that is a question, a condition, denied, or somebody else's. */
const reportedClaim =
  /\b(?:if|whether|why|how|not|than|while|although|though|unless|argue[sd]?|claim(?:s|ed)?|says?|suggest(?:s|ed)?|would)\b[^,.]{0,60}$/i;
const denial =
  /(?:\b(?:no\s(?:reason|evidence|way|sense|basis|grounds?|indication|proof|argument|case)|nobody|no\sone|few|cannot|never|hardly|(?<!no\s|without\s|without\sa\s)doubt(?:s|ful|ed)?|neither|nothing|den(?:y|ies|ied)|disagree|reject\w*|refus\w*|wrong|false|untrue|mistaken?|myth|far\sfrom|hard\sto|difficult\sto|impossible|unclear|uncertain|unlikely|could|might|told\sto|asked\sto|instructed\sto|supposed\sto)\b|n['’]t\b)[^,.;]*$/i;
const believes = /\b(?:that|think|believe|say|claim|conclude|hold|agree)\s*$/i;
const negates = /\b(?:not|no(?!\s(?:doubt|question))|never|nobody|none)\b|n['’]t\b/i;

/** Whether the words that stand from `at` on in a sentence are quoted: `It had to write "Output (a) is better"`. */
function isQuoted(text: string, at: number, length: number): boolean {
  const found = text.slice(at, at + length);
  const opening = /^["'“‘*_`]*/.exec(found)?.[0] ?? "";
  if (/["'“‘`]/.test(opening) && !/["'”’`]/.test(found.slice(opening.length))) return true;
  const before = text.slice(0, at);
  const behind = text.slice(at + length);
  const count = (part: string): number => part.split(/["“”«»`]/).length - 1;
  if (count(before) % 2 === 1) return true;
  if (/(?:^|[\s(:])['‘](?![^]*['’](?:[\s.,;:!?)]|$))/.test(before.slice(-300))) return true;
  return count(found) % 2 === 0 && count(behind) % 2 === 1 && /^[^"“”`]*[^\s("“”`]["”`]/.test(behind);
}

/** Whether the words of a sentence from `at` on are a condition's, denied, quoted or somebody else's. */
export function isLeftOpen(text: string, at: number, length: number): boolean {
  const before = text.slice(0, at);
  return (
    condition.test(before) ||
    reportedClaim.test(before) ||
    denial.test(before) ||
    (believes.test(before) && negates.test(before.replace(/^[^]*\bbut\b/i, ""))) ||
    isQuoted(text, at, length)
  );
}

const anySide = new RegExp(sideOrWork, "giu");

/** The one that is above in the first comparison of a sentence: `A > B`, `Output (a) is worse than Output (b)`; or null. */
export function readRanked(text: string): Winner | null {
  for (const found of text.slice(0, 1_000).matchAll(anySide)) {
    const winner = readWinner(found.groups);
    const end = found.index + found[0].length;
    const rest = text.slice(end, end + 200);
    const sign = higher.exec(rest) ?? lower.exec(rest);
    if (winner === null || sign === null) continue;
    const isPraise = !lower.test(rest);
    if (isPraise && !sideFirst.test(rest.slice(sign[0].length))) continue;
    // Signs stand between letters in formulas, too.
    if (/[<>≻≺]|\sover/i.test(sign[0]) && /[\p{L}\p{N}[]/u.test(text.slice(0, found.index))) continue;
    const aside = narrows.test(rest.replace(/\b(?:because|since|as)\b[^]*/i, ""));
    return aside || isLeftOpen(text, found.index, found[0].length) ? null : readTail(rest, winner);
  }
  return null;
}

const correction = String.raw`(?:(?:no|actually|sorry|hmm),?\s(?:wait|no|sorry|actually|(?:it\sis|it['’]s|it\sshould\sbe|i\smean)\s|${namedSide}(?![\p{L}\p{N}'’]))|wait\b[,.!:—–-]|scratch\sthat|correction[:,]|strike\sthat|on\s(?:second|further)\sthoughts?|i\s(?:take\s(?:that|it)\sback|was\swrong|misread|misspoke|made\sa\smistake|mean\s)|let\sme\s(?:correct|reconsider|rethink|revise))`;
const corrects = new RegExp(String.raw`(?<=^|[\r\n]\s{0,9}|[.!?…]["'”’*_)]{0,3}\s{1,3})${correction}`, "giu");

/** What a reply says after it has last corrected itself (`Wait, …`, `No, it is …`), or all of it. */
export function readCorrected(text: string): string {
  const last = [...text.matchAll(corrects)].at(-1);
  if (last === undefined) return text;
  return text
    .slice(last.index)
    .replace(
      /^(?:\b(?:no|wait|actually|sorry|hmm|scratch that|strike that|correction|on (?:second|further) thoughts?|i mean)\b|[\s,.:!—–-]+)+/i,
      "",
    );
}
