// Draws docs/screen.svg: the screen of `parley demo` as somebody sees it at 80 columns, animated.
//
//   npm run screen
//
// It needs a build, and the command `script` of Linux, which gives the program a terminal.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { root } from "./root.mjs";
import { runScript } from "./setup.mjs";

const COLUMNS = 80;
const ROWS = 24;
/** How often the screen is looked at, and how long the last picture stands, in milliseconds. */
const FRAME_MS = 200;
const REST_MS = 6_000;
const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;

/** Red, green and so on of a terminal, in tones that can be read on a dark ground. */
const COLORS = ["#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4"];

/** @typedef {{ text: string, color: string, isBold: boolean, isDim: boolean }} Run */
/** @typedef {{ atMs: number, lines: readonly (readonly Run[])[] }} Frame */

/** The screen as it changes, from a program that runs in a terminal. @returns {Promise<Frame[]>} */
async function record() {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const command = `stty cols ${COLUMNS} rows ${ROWS}; exec "${process.execPath}" "${join(root, "dist/cli.mjs")}" demo`;
  const env = { ...process.env, TERM: "xterm-256color", NO_COLOR: undefined, PARLEY_HOME: "/nonexistent" };
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.on("data", (bytes) => terminal.write(bytes));
  const startedMs = performance.now();
  /** @type {Frame[]} */
  const frames = [];
  let last = "";
  const look = () => {
    const lines = linesOf(terminal);
    const now = JSON.stringify(lines);
    if (now === last || lines.every((line) => line.length === 0)) return;
    last = now;
    frames.push({ atMs: Math.round(performance.now() - startedMs), lines });
  };
  const timer = setInterval(look, FRAME_MS);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(timer);
  await new Promise((resolve) => terminal.write("", () => resolve(undefined)));
  look();
  if (code !== 0) throw new Error(`parley demo ended with ${code}`);
  return frames;
}

/** @param {xterm.Terminal} terminal @returns {Frame["lines"]} */
function linesOf({ buffer: { active } }) {
  return Array.from({ length: ROWS }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    /** @type {Run[]} */
    const runs = [];
    for (let column = 0; line !== undefined && column < COLUMNS; column += 1) {
      const cell = line.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const style = {
        color: cell.isFgPalette() ? (COLORS[cell.getFgColor() % 8] ?? "") : "",
        isBold: cell.isBold() !== 0,
        isDim: cell.isDim() !== 0,
      };
      const run = runs.at(-1);
      const text = cell.getChars() || " ";
      if (run && run.color === style.color && run.isBold === style.isBold && run.isDim === style.isDim)
        run.text += text;
      else runs.push({ text, ...style });
    }
    const tail = runs.at(-1);
    if (tail) tail.text = tail.text.trimEnd();
    return runs.filter(({ text }) => text !== "");
  });
}

/** @param {readonly Frame[]} frames */
export function drawSvg(frames) {
  const [first] = frames;
  if (first === undefined) throw new RangeError("there is nothing to draw");
  const startMs = first.atMs;
  const wholeMs = (frames.at(-1)?.atMs ?? 0) - startMs + REST_MS;
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = ROWS * CELL.height + 2 * MARGIN;
  const share = (/** @type {number} */ ms) => `${((100 * ms) / wholeMs).toFixed(2)}%`;
  const rules = frames.map(({ atMs }, index) => {
    const [from, to] = [share(atMs - startMs), frames[index + 1]?.atMs];
    const before = index === 0 ? "" : "0%{opacity:0}";
    const after = to === undefined ? "" : `${share(to - startMs)}{opacity:0}`;
    return `@keyframes f${index}{${before}${from}{opacity:1}${after}}.f${index}{animation:f${index} ${wholeMs}ms step-end infinite}`;
  });
  const groups = frames.map(({ lines }, index) => {
    const isLast = index === frames.length - 1;
    const rows = lines.flatMap((runs, row) => (runs.length === 0 ? [] : [rowOf(runs, row)]));
    return `<g class="f${index}"${isLast ? "" : ' opacity="0"'}>${rows.join("")}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">`,
    `<title id="t">A council in the terminal: three members draft and review, and a chair writes the answer</title>`,
    `<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#dcdfe4;white-space:pre}${rules.join("")}@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1b1f27"/>`,
    ...groups,
    "</svg>\n",
  ].join("\n");
}

/** @param {readonly Run[]} runs @param {number} row */
function rowOf(runs, row) {
  let column = 0;
  const spans = runs.map(({ text, color, isBold, isDim }) => {
    const x = (MARGIN + column * CELL.width).toFixed(1);
    column += [...text].length;
    const style = [
      color === "" ? "" : ` fill="${color}"`,
      isBold ? ' font-weight="600"' : "",
      isDim ? ' opacity=".65"' : "",
    ].join("");
    const length = ([...text].length * CELL.width).toFixed(1);
    return `<tspan x="${x}" textLength="${length}"${style}>${escape(text)}</tspan>`;
  });
  return `<text y="${MARGIN + (row + 0.75) * CELL.height}">${spans.join("")}</text>`;
}

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

async function main() {
  const frames = await record();
  const file = join(root, "docs", "screen.svg");
  writeFileSync(file, drawSvg(frames));
  process.stdout.write(`${file}: ${frames.length} pictures of ${COLUMNS} columns\n`);
  return 0;
}

if (process.argv[1] === import.meta.filename) await runScript(main);
