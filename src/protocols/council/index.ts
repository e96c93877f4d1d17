import { defineProtocol, type Floor } from "../../engine/index.ts";
import type { Closing } from "../../kernel/index.ts";
import { COUNCIL_TEMPLATES } from "../../prompts/index.ts";
import { draft, type Drafts } from "../phases/draft.ts";
import { bestDraft, controlOf } from "./control.ts";
import { review, type Reviews } from "./review.ts";
import { CouncilSettings } from "./settings.ts";
import { standing } from "./standing.ts";
import { holdForChair, synthesise } from "./synthesis.ts";
import { seatDrafts } from "./table.ts";

export { CouncilSettings, Strategy } from "./settings.ts";

const NO_REVIEWS: Reviews = { reviews: [], absent: [] };

/**
 * Members draft blind and in parallel, review each other's drafts under labels, and a chair writes one
 * answer from drafts and reviews (seed 4). Seats: `member`, `chair` (the first, then who steps in for it),
 * `judge` (reviews, but drafts nothing).
 */
export const council = defineProtocol({
  name: "council",
  version: 1,
  settings: CouncilSettings,
  templates: [...COUNCIL_TEMPLATES, "strategy"],
  async deliberate(floor) {
    const members = floor.seats("member");
    const {
      quorum = Math.floor(members.length / 2) + 1,
      maxOutputTokens,
      callTimeoutMs,
      patienceMs,
    } = floor.settings;
    holdForChair(floor);
    const drafted = await draft(floor, members, {
      quorum,
      maxOutputTokens: maxOutputTokens.draft,
      timeoutMs: callTimeoutMs,
      patienceMs,
    });
    if (drafted.drafts.length < quorum) return tooFew(drafted, quorum);
    return reviewAndAnswer(floor, drafted);
  },
});

async function reviewAndAnswer(floor: Floor<CouncilSettings>, { drafts, absent }: Drafts): Promise<Closing> {
  const table = seatDrafts(floor, drafts);
  const judges = floor.seats("judge");
  const reviewed =
    drafts.length > 1 || judges.length > 0 ? await review(floor, { table, judges }) : NO_REVIEWS;
  const standings = reviewed.reviews.length > 0 ? (await standing(floor, table, reviewed)).data : undefined;
  const best = bestDraft(drafts, standings) ?? leading(drafts);
  const fallback = { answer: best.step, control: controlOf(drafts, standings, best.final) };
  const lost = absent.length + reviewed.absent.length > 0;
  const outcome = lost ? "answered-degraded" : "answered";

  if (floor.settings.mode === "vote") {
    // Without a single readable ranking there was no vote to win.
    return { outcome: standings || drafts.length === 1 ? outcome : "answered-degraded", ...fallback };
  }
  const written = await synthesise(floor, { table, reviews: reviewed.reviews, absent, standing: standings });
  if (!written.ok) {
    if (written.overBudget) return { outcome: "stopped-by-budget", why: written.why, best: fallback };
    return { outcome: "answered-degraded", ...fallback };
  }
  return {
    outcome: written.failed > 0 ? "answered-degraded" : outcome,
    answer: written.step,
    control: controlOf(drafts, standings, written.final),
  };
}

/** The draft to fall back on when nothing ranks them: one of the drafts' majority, else the first. */
function leading(drafts: Drafts["drafts"]): Drafts["drafts"][number] {
  const step = controlOf(drafts, undefined, null)?.step;
  const draft = drafts.find((one) => one.step === step) ?? drafts[0];
  if (!draft) throw new RangeError("a council without drafts has no leading one");
  return draft;
}

function tooFew({ drafts, absent }: Drafts, quorum: number): Closing {
  const why = `${drafts.length} of ${drafts.length + absent.length} members answered, ${quorum} are needed (${absent
    .map(({ by, why: reason }) => `${by.persona.name}: ${reason}`)
    .join("; ")})`;
  if (!absent.some(({ code }) => code === "over-budget")) return { outcome: "failed", why };
  const best = drafts.length > 0 ? leading(drafts) : undefined;
  return {
    outcome: "stopped-by-budget",
    why,
    best: best ? { answer: best.step, control: controlOf(drafts, undefined, best.final) } : null,
  };
}
