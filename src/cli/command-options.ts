import { InvalidArgumentError, Option } from "commander";

// What commands share, and the long lists of options; the commands themselves stand in command-rows.ts.

export const list = (value: string): string[] =>
  value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
export const collect = (value: string, before: string[] = []): string[] => [...before, value];
export const port = (value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError("a port is 0 to 65535");
  return number;
};

export const JSON_FLAG = new Option("--json", "print one JSON object");
export const HOW_TO_SHOW = [
  JSON_FLAG,
  new Option("--events", "print every event as a line of JSON, as it happens").conflicts("json"),
  new Option("-q, --quiet", "no progress on stderr"),
  new Option("--on-degraded <what>", "exit 6 when the answer is degraded: accept, refuse").choices([
    "accept",
    "refuse",
  ]),
];
export const LIMITS = [
  new Option("--max-cost-usd <usd>", "stop before this much money is spent"),
  new Option("--max-tokens <n>", "stop before this many tokens, in and out, are used"),
  new Option("--timeout <time>", "stop after this time: 90, 90s, 5m"),
];
export const ENV_FILE = new Option(
  "-e, --env-file <file>",
  "variables, such as keys; what is set already stands",
);
export const CHAIRING = [
  new Option("--chair <refs>", "who synthesises, and who steps in if it fails").argParser(list),
  new Option("--strategy <name>", "balanced, risk-averse, goal-seeking, novelty, or a file"),
  new Option("--goal <text>", "what goal-seeking seeks"),
  new Option("--mode <mode>", "consensus: the chair writes; vote: the winner's draft").choices([
    "consensus",
    "vote",
  ]),
];
export const MODELS = new Option(
  "-m, --models <refs>",
  "the members' models, provider/model, comma-separated",
).argParser(list);
export const ASKING = [
  MODELS,
  ...CHAIRING,
  new Option("--judge <refs>", "models that review, but draft nothing").argParser(list),
  new Option("--context <file>", "a file to work with; may be repeated (stdin is read too)").argParser(
    collect,
  ),
  new Option("--seed <text>", "decides labels and orders; the same seed asks in the same way"),
  ...LIMITS,
  ...HOW_TO_SHOW,
];

const JUDGE = new Option("--judge <ref>", "who grades the answer, 1 to 5, after it is shown");
const RESPONDING = [
  new Option("-m, --model <ref>", "who answers, provider/model"),
  new Option("--temperature <t>", "0 to 2; by default the provider's"),
  new Option("--respondent-b", "a second respondent answers too, for comparison; its answer is not shown"),
  new Option("--model-b <ref>", "the second one's model; by default the first one's"),
  new Option("--temperature-b <t>", "the second one's temperature (default 0.5)"),
  JUDGE,
  new Option("--critic", "grade with the judge of critic.yaml"),
  new Option("--no-critic", "grade nothing, whatever is configured"),
  // Without a default, commander would say yes for who says nothing.
  new Option("--no-memory", "neither recall nor remember").default(null),
  new Option("--user <name>", "whose memory"),
  new Option("--continue <id>", "go on in this conversation"),
  new Option("--folder <dir>", "let it read files there"),
  ...LIMITS,
];
export const RESPOND = [
  ...RESPONDING,
  new Option("--context <file>", "a file to work with; may be repeated (stdin is read too)").argParser(
    collect,
  ),
  new Option("--seed <text>", "decides the marks of fences; the same seed asks in the same way"),
  new Option("--no-wait", "end with the answer; what comes of it goes on with parley resume"),
  ...HOW_TO_SHOW,
];
export const CHAT = [
  ...RESPONDING,
  new Option("--all", "show the second respondent's answers too, when they come"),
  new Option("--events", "print every event as a line of JSON, as it happens"),
  new Option("-q, --quiet", "no progress on stderr"),
];

export const EFFORT = new Option(
  "--effort <n>",
  "how far to climb where drafts disagree: 1 drafts only, 2 to 5 more (default 4)",
);

export const DEBATE_FILES = [
  new Option("-o, --output <file>", "write the solution there, or the whole debate as .json"),
  new Option("--report <file>", "write a report there: .md or .html"),
];
export const DEBATING = [
  new Option("-p, --problem-description <file>", "the problem in a file, instead of in words"),
  new Option("--problemDescription <file>", "the same").hideHelp(),
  new Option(
    "-a, --agents <roles>",
    "architect, security, performance, testing, kiss, data-modeling, generalist, or your own",
  ).argParser(list),
  new Option("-r, --rounds <n>", "at most so many (default 3)"),
  new Option("-c, --config <file>", "agents, judge and rules; by default debate-config.json, if it is there"),
  new Option("--map-models <refs>", "other models: dealt out in turn, or FROM=TO pairs"),
  MODELS,
  new Option("--judge <refs>", "who writes the solution, where no file says"),
  new Option(
    "--until <when>",
    "end before the last round when answers converge or the judge is sure",
  ).choices(["fixed", "convergence", "quality"]),
  new Option("--topology <form>", "who criticises whom").choices(["full", "ring", "star"]),
  new Option("--proposals <kind>", "from round 2 on: refinements carried over, or fresh proposals").choices([
    "carried",
    "fresh",
  ]),
  new Option("--clarify", "let the agents ask what they have to know first"),
  new Option("--context <dir>", "the folder that agents with file tools see"),
  ...DEBATE_FILES,
  ENV_FILE,
  new Option("-v, --verbose", "say who takes part, and on whose instructions"),
  new Option("--seed <text>", "decides labels and orders; the same seed asks in the same way"),
  ...LIMITS,
  ...HOW_TO_SHOW,
];

export const JUDGING = [
  new Option("--model <ref>", "the judge, provider/model").makeOptionMandatory(),
  new Option("--rubric <name>", "by name or a file (default answer-quality)"),
  new Option("--form <form>", "how it is asked; by default as the model's name says").choices([
    "prometheus",
    "json",
  ]),
  new Option("--again", "judge anew what was judged before"),
  ...LIMITS,
  JSON_FLAG,
  new Option("-q, --quiet", "no progress on stderr"),
];
export const QUESTION = new Option(
  "--question <text>",
  "what the answers answer: a text, or a file with it",
).makeOptionMandatory();
