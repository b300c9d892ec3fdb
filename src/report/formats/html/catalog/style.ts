/** The style of the catalog's page: the only one that it may use. Its colors are those of every page. */

import { PAPER, SCHEMES } from '../style.ts';

const MONO = 'ui-monospace, Menlo, Consolas, monospace';
const FOCUS = 'outline: 3px solid var(--link); outline-offset: 2px;';

/** The table of projects is as wide as its columns: one for each project, and three more. */
export function catalogStyle(projects: number): string {
  return `${STYLE}\n@media screen { .scripted .matrix { width: calc(${FIRST} + ${projects + 3} * 8rem); } }`;
}

/** The width of the column of keys. */
const FIRST = 'clamp(9rem, 25vw, 20rem)';

const STYLE: string = [
  SCHEMES,
  '* { box-sizing: border-box; } [hidden] { display: none !important; }',
  'body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 80rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }',
  'h1 { font-size: 1.8rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.3rem; margin: 1.5rem 0 .3rem; } h3 { font-size: 1.1rem; margin: 1.5rem 0 .3rem; } h4 { font-size: 1rem; margin: .8rem 0 .2rem; }',
  'p { margin: .4rem 0; } ul { margin: .3rem 0; padding-left: 1.3rem; } li { margin: .2rem 0; } i { font-style: normal; }',
  `code { font: .875rem ${MONO}; } a { color: var(--link); } :focus-visible { ${FOCUS} } summary { cursor: pointer; }`,
  '.bad { color: var(--bad); } .warn { color: var(--warn); } .n { color: var(--dim); font-weight: 400; }',
  '.notice { border-left: .3rem solid var(--bad); background: var(--soft); padding: .5rem 1rem; margin: .8rem 0; } ul.notice { border-color: var(--warn); padding-left: 2rem; } .notice.bad, .notice.warn { color: var(--text); } .notice.bad b { color: var(--bad); }',
  'table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; } th { text-align: left; vertical-align: top; } td { vertical-align: top; } th, td { padding: .2rem 1rem .2rem 0; } tr + tr { border-top: 1px solid var(--line); } .facts th { min-width: min(7rem, 30vw); } .facts .notice { margin: 0; } caption { text-align: left; font-weight: 600; }',
  // The script sets this class: without it every view is shown, and nothing that only it can do.
  ':root:not(.scripted) .js { display: none; } @media screen { .scripted .v:not(.on) { display: none; } }',
  'nav { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .3rem; background: var(--back); border-bottom: 1px solid var(--line); margin: 1rem 0; padding: .4rem 0; } nav a { padding: .2rem .8rem; border-radius: 1rem; border: 1px solid var(--line); text-decoration: none; color: var(--text); } nav a[aria-current] { background: var(--text); color: var(--back); border-color: var(--text); font-weight: 700; }',
  'label, legend { font-weight: 600; } ::placeholder { color: var(--dim); opacity: 1; } input[type=search] { display: block; width: 100%; font: inherit; padding: .4rem .7rem; border: 1px solid var(--dim); border-radius: .4rem; background: var(--back); color: var(--text); }',
  '#filters { display: flex; flex-wrap: wrap; gap: .3rem; margin: .5rem 0; align-items: center; } button, select, fieldset label { font: inherit; font-size: .9rem; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .7rem; background: var(--back); color: var(--text); cursor: pointer; } button > span { color: var(--dim); } button[aria-pressed=true], input:checked + label { background: var(--text); color: var(--back); border-color: var(--text); } button[aria-pressed=true] > span { color: inherit; } select { max-width: 16rem; }',
  'fieldset { position: relative; border: 0; margin: .5rem 0; padding: 0; } legend { float: left; padding: 0; margin-right: .6rem; } fieldset label { display: inline-block; margin: 0 .3rem .3rem 0; font-weight: 400; } input[type=radio] { position: absolute; left: 0; opacity: 0; } input:focus-visible + label { outline: 3px solid var(--link); outline-offset: 2px; }',
  '#found { font-weight: 600; min-height: 1.5em; margin-top: .8rem; } #also { color: var(--dim); } #also:empty { display: none; }',
  // A flag.
  'details[id] { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 3.6rem; } details[open][id] { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 .9rem .7rem; }',
  `details[id] > summary { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .3rem 0 .3rem 1rem; position: relative; } details[id] > summary::before { content: '▸' / ''; position: absolute; left: 0; color: var(--dim); } details[id][open] > summary::before { content: '▾' / ''; } summary > b { font: 700 .9rem/1.6 ${MONO}; }`,
  'summary > .o { color: var(--dim); } summary > .o::before { content: "Owner: "; } details[id] > summary > span { flex: 1 0 100%; color: var(--dim); font-size: .95rem; } details[id]:not([open]) > summary > span { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }',
  '.w { white-space: nowrap; } .m { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; color: var(--warn); align-self: center; } .s .m { border: 0; padding: 0; font-size: inherit; }',
  'summary > em { flex: 1 0 100%; font-style: normal; } details[id] { scroll-margin-top: 4rem; } details[id] > p { border-left: .3rem solid var(--link); background: var(--soft); padding: .4rem .8rem; } .s { list-style: none; padding: 0; display: grid; grid-template-columns: fit-content(14rem) max-content minmax(0, 1fr); gap: 0 1rem; } .s > li { grid-column: 1 / -1; display: grid; grid-template-columns: subgrid; border-top: 1px solid var(--line); padding: .3rem 0; margin: 0; } .s > li > :first-child { font-weight: 700; } .s > li > .m { grid-column: 3; } .s > li > ul { grid-column: 1 / -1; }',
  'dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: .5rem 0 0; font-size: .95rem; } dt { font-weight: 600; } dd { margin: 0; } dd > ul { margin: 0; padding-left: 1rem; } .t > i { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; }',
  // The views.
  '.wide { overflow-x: auto; margin: .6rem 0; } .matrix { overflow-wrap: normal; margin: 0; } .matrix th:first-child { position: sticky; left: 0; background: var(--back); } .matrix tbody th { font-weight: 400; } .matrix th, .matrix td { overflow-wrap: anywhere; min-width: 6rem; }',
  // A browser lays out a table as a whole, and rows that are grids only where they are in sight.
  `@media screen { .scripted .matrix, .scripted .matrix > * { display: block; } .scripted .matrix tr { display: grid; grid-template-columns: ${FIRST}; grid-auto-flow: column; grid-auto-columns: 8rem; content-visibility: auto; contain-intrinsic-height: auto 2.2rem; } .matrix tr > :last-child { grid-column: span 2; } }`,
  '.r { list-style: none; padding: 0; } .r > li { border-top: 1px solid var(--line); padding: .3rem 0; } .r > li > i:first-child { display: inline-block; min-width: 5.5rem; color: var(--dim); } .r .w { font-weight: 600; }',
  'dialog { border: 1px solid var(--line); border-radius: .5rem; padding: 0; width: min(56rem, 100vw); max-width: 100vw; max-height: 92vh; background: var(--back); color: var(--text); } dialog::backdrop { background: #0009; } dialog details[open][id] { border: 0; margin: 0; padding: 0 1rem 1rem; content-visibility: visible; } dialog > button { position: sticky; top: .5rem; float: right; margin: .5rem .5rem 0 0; z-index: 1; }',
  '@media (max-width: 40rem) { dl { display: block; } dt { margin-top: .4rem; } .s { grid-template-columns: fit-content(60%) minmax(0, 1fr); } .s > li > span, .s > li > .m { grid-column: 1 / -1; } dialog { margin: 0; max-height: 100vh; height: 100vh; border-radius: 0; } }',
  `@media print { ${PAPER} html { font-size: 10pt; } body { padding: 0; max-width: none; font-size: 1rem; } nav, [role=search]:has(#q:placeholder-shown), fieldset, #filters, .js details { display: none; } nav { position: static; } .wide { overflow: visible; } .matrix td, .matrix tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 5rem; } details[id] { content-visibility: visible; break-inside: avoid; } h2, h3, h4 { break-after: avoid; } details::details-content { display: block; content-visibility: visible; block-size: auto; } details[id]:not([open]) > summary > span { display: block; } summary { list-style: none; } details[id] > summary { padding-left: 0; } details[id] > summary::before, details[id][open] > summary::before { content: none; } }`,
].join('\n');
