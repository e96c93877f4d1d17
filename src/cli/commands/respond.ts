import { resolve } from "node:path";
import { printEstimate } from "../estimate-text.ts";
import type { EffectiveSettings } from "../../app/context.ts";
import { linkAbort } from "../../engine/index.ts";
import { refusal } from "../../kernel/index.ts";
import type { Declared, Io, Values } from "../command.ts";
import { showReactions } from "../ending.ts";
import { EXIT } from "../exits.ts";
import { readFollowUp } from "../question-words.ts";
import { refuseWithoutModels } from "../connect.ts";
import { readQuestion } from "../input.ts";
import type { ATTACHMENTS, CONVERSATION, DRY_RUN, SHOWING, WAIT } from "../options.ts";
import { askTurn } from "../respond-turn.ts";
import { noteInterrupted } from "../run-deliberation.ts";
import { interruptible, showingIn, withParley } from "../session.ts";

type RespondOptions = Values<
  typeof ATTACHMENTS & typeof CONVERSATION & typeof DRY_RUN & typeof SHOWING & typeof WAIT
>;

/** One model answers at once; grading and memory are waited for unless `--no-wait` is given. */
export const respond = (
  io: Io,
  options: RespondOptions,
  { settings: flags, args }: Declared,
): Promise<number> =>
  withParley(io, flags, (own, me) =>
    interruptible(async (interrupted) => {
      const { settings } = own;
      refuseUnusedSecond(flags, settings);
      const showing = showingIn(options, settings);
      const leave = linkAbort(interrupted);
      const { signal } = leave;
      const { wait, folder } = options;
      const { question, texts } = await readQuestion(io, args, { ...options, settings });
      if (options.continue === undefined) await refuseWithoutModels(own, question);
      const request = { ...readFollowUp(question, options.continue), context: texts };
      const readable = folder === undefined ? undefined : resolve(io.cwd, folder);
      if (options.dryRun) {
        const asked = { ...request, protocol: "respond" };
        return printEstimate(io, options, await me.estimate(asked, { folder: readable }));
      }
      const turn = await askTurn(
        io,
        { ...request, me, folder: readable, isAnnounced: true, signal, wait },
        showing,
      );
      if (!wait) leave.abort();
      else if (turn.closed) await showReactions(io, { ...turn, signal }, showing);
      else noteInterrupted(io, turn.id);
      await turn.done;
      return interrupted.aborted ? EXIT.interrupted : turn.exit;
    }),
  );

const SECOND = { modelB: "--model-b", temperatureB: "--temperature-b" } as const;

/** @throws Fault `configuration` for flags of a second model where none is asked */
export function refuseUnusedSecond(
  flags: Readonly<Record<string, unknown>>,
  { respondentB }: Pick<EffectiveSettings, "respondentB">,
): void {
  for (const [key, flag] of Object.entries(SECOND)) {
    if (respondentB || flags[key] === undefined) continue;
    const why = `${flag} needs a second model, and --respondent-b is not given`;
    throw refusal(why, `add --respondent-b, or leave ${flag} out`);
  }
}
