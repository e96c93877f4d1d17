import type { Io, Values } from "../command.ts";
import type { ATTACHMENTS, SHOWING } from "../options.ts";
import type { Declared } from "../protocol-command.ts";
import { readQuestion } from "../input.ts";
import { runDeliberation } from "../run-deliberation.ts";
import { showingIn, withParley } from "../session.ts";

type AskOptions = Values<typeof ATTACHMENTS & typeof SHOWING>;

export const ask = (
  io: Io,
  options: AskOptions,
  { protocol, settings: flags, own, args }: Declared,
): Promise<number> =>
  withParley(io, flags, async ({ settings }, { parley, principal, requested }) => {
    const { question, texts } = await readQuestion(io, args, { ...options, settings });
    const request = { ...own, ...requested, protocol, question, context: texts };
    return runDeliberation(
      io,
      { begin: (signal) => parley.start(request, { principal, signal }) },
      showingIn(options, settings),
    );
  });
