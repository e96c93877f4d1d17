import { usualProtocol } from "../../app/registry.ts";
import type { Declared, Io, Values } from "../command.ts";
import { estimateNote, printEstimate } from "../estimate-text.ts";
import type { ATTACHMENTS, CONTINUE, DRY_RUN, PACK, SEATS, SHOWING } from "../options.ts";
import { refuseWithoutModels } from "../connect.ts";
import { readFollowUp } from "../question-words.ts";
import { readQuestion } from "../input.ts";
import { runWithQuestions } from "../clarification.ts";
import { readSeats } from "../seats.ts";
import { showingIn, withParley } from "../session.ts";

export const askQuestion = (
  io: Io,
  options: Partial<Values<typeof PACK>> &
    Values<typeof ATTACHMENTS & typeof CONTINUE & typeof DRY_RUN & typeof SEATS & typeof SHOWING>,
  { protocol, settings: flags, own, args }: Declared,
): Promise<number> =>
  withParley(io, flags, async (context, me) => {
    const { settings } = context;
    const { question, texts } = await readQuestion(io, args, { ...options, settings });
    const turn = readFollowUp(question, options.continue);
    const { pack } = options;
    // A pack, and an earlier turn, may name models of their own.
    if (pack === undefined && options.continue === undefined && turn.member === undefined)
      await refuseWithoutModels(context, question);
    // A pack may name the protocol, where the command line names none but the usual one.
    const isUsual = protocol === usualProtocol(context.protocols);
    const asked = pack !== undefined && isUsual ? { ...own, pack } : { ...own, pack, protocol };
    const how = turn.member === undefined ? asked : {};
    const request = { ...how, ...turn, ...readSeats(options.seat), context: texts };
    if (options.dryRun) return printEstimate(io, options, await me.estimate(request));
    const showing = await showingIn(io, options, { settings, me });
    const onMost = estimateNote(io, showing);
    const begin = (signal: AbortSignal) => me.start(request, { signal, onMost });
    return (await runWithQuestions(io, { context, me }, { begin, showing })).exit;
  });
