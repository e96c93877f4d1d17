import { render, type VNode } from "preact";
import type { Entry } from "../kernel/index.ts";
import { followAddress } from "./address.ts";
import { useShown } from "./folds.ts";
import { followKeys } from "./keys.ts";
import { closedRun, type RunStore } from "./run.ts";
import { RunArticle } from "./screens/run.tsx";
import "./file.css";

// FILE-1. The page of an exported run has the whole journal within it: the run's screen shows it without any server.

const ClosedRun = ({ run }: { readonly run: RunStore }): VNode => <RunArticle shown={useShown(run)} />;

const journal = document.getElementById("journal")?.textContent;
const [first, ...rest] = JSON.parse(journal ?? "[]") as Entry[]; // what the export wrote: a run's own entries
if (first) {
  const run = closedRun(first.deliberation, [first, ...rest]);
  const place = document.createElement("div");
  place.id = "page";
  // On paper the document stands, which the page's own style is for.
  place.hidden = true;
  document.body.append(place);
  followAddress();
  followKeys();
  render(
    <main id="main">
      <ClosedRun run={run} />
    </main>,
    place,
  );
  const [paper, screen] = document.querySelectorAll("style");
  if (paper) paper.media = "print";
  if (screen) screen.media = "screen";
}
