/** The whole style of a run's page: light and dark, wide and narrow, on a screen and on paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --faint: #59616d; --line: #d9dde3; --sunk: #f5f6f8; --mark: #0b62a8; --warn: #fff4d6; --edge: #b07a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e8ebef; --faint: #a5adb8; --line: #333a44; --sunk: #1c2127; --mark: #6cb8f5; --warn: #33290f; --edge: #d9a400; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .4rem; }
p { margin: .5rem 0; }
a { color: var(--mark); }
header p, main .words { color: var(--faint); }
.warning, main .warning { color: var(--ink); background: var(--warn); border-left: .3rem solid var(--edge); padding: .6rem .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
summary { cursor: pointer; }
summary h2, summary h3, summary h4, summary h5, summary h6 { display: inline-block; margin: .5rem 0; border: 0; padding: 0; }
summary::marker { color: var(--faint); }
details { margin: .4rem 0; }
details details { margin-left: 1rem; }
main > details { border-top: 1px solid var(--line); }
pre { margin: .5rem 0 1rem; padding: .8rem 1rem; background: var(--sunk); border: 1px solid var(--line); border-radius: .4rem; font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; tab-size: 4; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--sunk); border-radius: .2rem; padding: .1em .25em; }
.text { margin: .5rem 0 1rem; }
.text li > p { margin: .2rem 0; }
.answer { font-size: 1.05rem; }
.final { padding: .6rem .9rem; background: var(--sunk); border-left: .3rem solid var(--mark); font-weight: 600; }
.plain { white-space: pre-wrap; }
blockquote { margin: .5rem 0; padding-left: .9rem; border-left: .2rem solid var(--line); }
hr { border: 0; border-top: 1px solid var(--line); }
ul, ol { padding-left: 1.5rem; }
.points li > p:first-child { margin-top: 0; }
.hint { display: none; color: var(--faint); font-size: .85rem; }
.end { text-align: right; }
.middle { text-align: center; }
.table { overflow-x: auto; margin: .75rem 0; background: linear-gradient(to right, var(--paper) 30%, transparent), linear-gradient(to left, var(--paper) 30%, transparent) 100% 0, linear-gradient(to right, var(--line), transparent), linear-gradient(to left, var(--line), transparent) 100% 0; background-repeat: no-repeat; background-size: 2rem 100%, 2rem 100%, .6rem 100%, .6rem 100%; background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-size: .92rem; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 600; min-width: 5.5rem; }
thead th { color: var(--faint); font-weight: 600; }
.chart { display: block; width: 100%; max-width: 32rem; height: auto; margin: 1rem 0; }
.chart text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
.chart .grid { stroke: var(--line); }
.chart .trend { stroke: var(--mark); stroke-width: 2; }
.chart .dot, .chart .bar { fill: var(--mark); }
.chart .failed { fill: var(--edge); }
.chart .faint { fill: var(--faint); }
:target { scroll-margin-top: 1rem; }
@media (max-width: 36rem) {
  body { padding: 1rem .8rem 3rem; }
  h1 { font-size: 1.35rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  pre { padding: .6rem .7rem; font-size: .8rem; }
  details details { margin-left: .4rem; }
  .hint { display: block; }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb; --sunk: #ffffff; --mark: #000000; --warn: #ffffff; --edge: #000000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { margin: 1rem 0 .4rem; font-size: 13pt; }
  h2, h3, h4 { break-after: avoid; }
  details:not([open]) { display: none; }
  .table { background: none; overflow: visible; }
  .hint { display: none; }
  .chart, tr { break-inside: avoid; }
}
`;
