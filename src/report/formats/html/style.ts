/** The style of a page: the only one that it may use. */

import { ENTRY_KINDS, type EntryKind } from '../../model/report-model.ts';

/** Each color of text is read on both backgrounds of its scheme. */
const LIGHT = {
  back: '#ffffff',
  soft: '#f4f5f7',
  text: '#1b1f24',
  dim: '#454d57',
  line: '#c9ced6',
  good: '#0b5a2c',
  bad: '#a00d24',
  warn: '#744600',
  link: '#0a4fa3',
} as const;
const DARK = {
  back: '#14171c',
  soft: '#1d2128',
  text: '#e8ebf0',
  dim: '#a9b2be',
  line: '#3a414c',
  good: '#80dfa2',
  bad: '#ff9d95',
  warn: '#f0c15c',
  link: '#8fc0ff',
} as const;

/** The colours, as variables; on paper those of light. */
export const SCHEMES: string = [
  `:root { color-scheme: light dark; ${variables(LIGHT)} }`,
  `@media (prefers-color-scheme: dark) { :root { ${variables(DARK)} } }`,
].join('\n');
export const PAPER: string = `:root { color-scheme: light; ${variables(LIGHT)} }`;

export const STYLE: string = [
  SCHEMES,
  '* { box-sizing: border-box; }',
  'body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 64rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }',
  'h1 { font-size: 1.1rem; line-height: 1.3; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } h3 { display: inline; margin: 0; font-weight: 400; }',
  'p { margin: .4rem 0; } ul { margin: .4rem 0; padding-left: 1.3rem; } li { margin: .3rem 0; }',
  'code, pre, h3 { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875rem; }',
  'pre { margin: .5rem 0 0; white-space: pre-wrap; tab-size: 2; } pre > span { display: block; padding-left: 4ch; text-indent: -4ch; }',
  '.verdict { font-size: 1.8rem; font-weight: 700; line-height: 1.2; margin: 0 0 .8rem; } .verdict.bad { color: var(--bad); } .verdict.warning { color: var(--warn); } .verdict.good { color: var(--good); }',
  '.summary { font-size: 1.1rem; font-weight: 600; } .where, .dim { color: var(--dim); } a { color: var(--link); } a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }',
  'code { white-space: pre-wrap; } .card code { background: var(--soft); } .command { display: inline-block; max-width: 100%; } .way { display: block; margin-left: 1rem; } summary { cursor: pointer; margin: 2rem 0 .5rem; } summary h2 { display: inline; margin: 0; } summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }',
  '.facts { border-collapse: collapse; margin: .8rem 0 0; font-size: .9rem; } .facts th { text-align: left; font-weight: 600; overflow-wrap: normal; max-width: 12rem; vertical-align: top; padding: .2rem 1rem .2rem 0; } .facts td { padding: .2rem 0; } .facts tr + tr { border-top: 1px solid var(--line); }',
  '.project { border-top: .2rem solid var(--line); margin-top: 2.5rem; padding-top: 1rem; } .project .verdict { font-size: 1.3rem; } .project > header h2 { margin: 0; }',
  '.wide { overflow-x: auto; margin: 1rem 0; } .matrix { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; } .matrix th { text-align: left; } .matrix th, .matrix td { padding: .25rem 1rem .25rem 0; white-space: nowrap; } .matrix tbody tr { border-top: 1px solid var(--line); } .matrix th:first-child { position: sticky; left: 0; background: var(--back); } .matrix th, .matrix td { vertical-align: top; } .matrix tbody th > span { display: block; width: max-content; max-width: min(24rem, 38vw); white-space: normal; overflow-wrap: anywhere; } body:has(.matrix):not(:has(.card)) { max-width: 100rem; }',
  '.strong { font-weight: 700; } .add { color: var(--good); } .remove, .error { color: var(--bad); } .change, .warning { color: var(--warn); }',
  '.notice { border-left: .3rem solid var(--line); background: var(--soft); padding: .6rem 1rem; margin: 1rem 0; } .notice h2 { margin: 0; }',
  '.notice.bad { border-color: var(--bad); } .notice.warn { border-color: var(--warn); }',
  '.card { border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem; margin: .6rem 0; content-visibility: auto; contain-intrinsic-size: auto 6rem; }',
  '.names { columns: 18rem; list-style: none; padding: 0; margin: .3rem 0 .6rem; } .names li { margin: 0; break-inside: avoid; }',
  '.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .55rem; margin: 0 .4rem .2rem 0; font-size: .8rem; } .badge.grave { border-color: var(--bad); border-radius: .2rem; background: var(--bad); color: var(--back); font-weight: 700; } .badge.mild { border-style: dashed; color: var(--dim); }',
  '.list { columns: 20rem; list-style: none; padding: 0; font: .875rem/1.6 ui-monospace, Menlo, Consolas, monospace; } .list li { margin: 0; break-inside: avoid; }',
  '.rows { columns: auto; } .rows ul { list-style: none; margin: 0 0 .4rem; padding-left: 2ch; }',
  'figure { margin: 1.2rem 0; } figcaption { font-weight: 600; } figure p { margin: 0; font-size: .9rem; }',
  'fieldset { position: relative; border: 0; margin: 1rem 0 0; padding: 0; } legend { padding: 0; color: var(--dim); }',
  'label { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .7rem; margin: .3rem .3rem 0 0; cursor: pointer; }',
  'input { position: absolute; left: 0; opacity: 0; } input:checked + label { background: var(--text); color: var(--back); border-color: var(--text); } input:focus-visible + label { outline: 3px solid var(--link); outline-offset: 2px; }',
  // Paper shows no choice, so it shows everything.
  `@media screen { ${ENTRY_KINDS.map(filterRule).join(' ')} }`,
  // On a phone, a long name leaves room for what is beside it.
  '@media (max-width: 40rem) { .matrix tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 7.5rem; } }',
  `@media print { ${PAPER} body { padding: 0; max-width: none; font-size: 11pt; } fieldset { display: none; } .wide { overflow: visible; } .matrix td, .matrix th { white-space: normal; overflow-wrap: anywhere; } .card { content-visibility: visible; } .card, .notice li { break-inside: avoid; } h2 { break-after: avoid; } details::details-content { display: block; content-visibility: visible; block-size: auto; } }`,
].join('\n');

/** Of a page with one table. */
export const RECORDS_STYLE: string = [
  STYLE,
  'body { max-width: 100rem; }',
  '.records { border-collapse: collapse; width: 100%; margin: 1rem 0; }',
  '.records th, .records td { text-align: left; vertical-align: top; padding: .4rem 1.2rem .4rem 0; }',
  '.records tbody tr { border-top: 1px solid var(--line); } .records th[scope=row] { min-width: 10rem; max-width: 18rem; } .records td, .records thead th { overflow-wrap: break-word; }',
  '@media screen and (max-width: 56rem) { .records thead { display: none; } .records tr, .records th, .records td { display: block; max-width: none; padding: 0; } .records tr { padding: .7rem 0; } .records td { overflow-wrap: anywhere; } .records td:empty { display: none; } .records td::before { content: attr(data-column) ": "; color: var(--dim); } }',
].join('\n');

function filterRule(name: EntryKind): string {
  const chosen = `main:has(#show-${name}:checked)`;
  return `${chosen} .card:not(.is-${name}), ${chosen} .group:not(:has(.is-${name})) { display: none; }`;
}

function variables(colors: Readonly<Record<string, string>>): string {
  return Object.entries(colors)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}
