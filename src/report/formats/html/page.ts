/** The page of any report: a head, notices, and groups, of cards that can be filtered or of names; and its style. */

import { createHash } from 'node:crypto';
import { memberOf } from '../../../base/json.ts';
import { ifGiven } from '../../../base/optional.ts';
import { escapeLine, placeText, quoteShort } from '../../escape.ts';
import { type ModelledKind, modelOf } from '../../model/model-of.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  gravityOf,
  type Plot,
  type ReportEntry,
  type ReportFact,
  type ReportGroup,
  type RunFailure,
  shownLines,
  type Statement,
  verdictOf,
  type Way,
} from '../../model/report-model.ts';
import { type Phrase, type PhraseWriter, plainText, spansOf, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { timeText } from '../../words/amounts.ts';

export async function reportPage(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  const model = await modelOf(report, view);
  const { facts = [], notices = [], groups = [] } = model.page();
  const { summary, failure } = model;
  const { words = '', project } = model.title ?? {};
  const where =
    project?.host === 'embedded'
      ? 'On the embedded service'
      : `On ${escapeLine(project?.host ?? '')}, project ${escapeLine(project?.project_id ?? '')}`;
  // Forbids loading and scripts: only this style is used.
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const verdict = verdictOf(model);
  const head = ifGiven(verdict, ({ phrase, sign, standing }) => {
    const before = sign === '' ? '' : `${element('span', 'class="sign"', escapeHtml(sign))} `;
    return element(
      'p',
      `class="verdict${standing === undefined ? '' : ` ${standing}`}"`,
      `${before}${unpainted(phrase)}`,
    );
  });
  const title: Phrase = project === undefined ? words : [...spansOf(words), ' ', { code: project.name }];
  const isNotice = ({ prominence }: ReportGroup): boolean => prominence === 'notice';
  const shown = groups.filter((group) => !isNotice(group)).flatMap(dividedGroups);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    // So that a search for readers of flags knows the page.
    '<meta name="generator" content="flagwright"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policy}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    element('title', '', escapeHtml(plainText(title))),
    element('style', '', STYLE),
    '</head>',
    '<body>',
    '<main>',
    '<header>',
    ...head,
    element('h1', '', unpainted(title)),
    ...(project === undefined ? [] : [element('p', 'class="where"', escapeHtml(where))]),
    ...ifGiven(model.title?.origin, (origin) => element('p', 'class="where"', unpainted(origin))),
    // The summary, unless it is the verdict.
    ...(summary === undefined || failure !== undefined || verdict?.phrase === summary
      ? []
      : [element('p', 'class="summary"', unpainted(summary))]),
    ...factLines(facts, failure),
    '</header>',
    ...notices.flatMap(({ about, title: own, listTitle = own, statements }) =>
      about === 'comment' ? [] : noticeLines(listTitle, about === 'refusals' ? 'bad' : 'warn', statements),
    ),
    ...groups.filter(isNotice).flatMap(({ title: own, entries }) =>
      noticeLines(
        own,
        'warn',
        entries.map(({ head: phrase }) => ({ phrase })),
      ),
    ),
    ...filterLines(shown),
    ...shown.flatMap((group) => groupLines(group, view)),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function factLines(facts: readonly ReportFact[], failure: RunFailure | undefined): string[] {
  const remedy = failure?.isRepeated === false ? failure.remedy : undefined;
  const row = (label: string, html: string): string =>
    `<tr><th scope="row">${escapeHtml(label)}</th><td>${html}</td></tr>`;
  const rows = [
    ...(remedy === undefined ? [] : [row('Remedy', unpainted(escapeLine(remedy)))]),
    ...facts.flatMap(({ label, of, phrase }) =>
      label === undefined ? [] : [row(of === undefined ? label : `${label}, ${escapeLine(of)}`, unpainted(phrase))],
    ),
  ];
  return rows.length === 0 ? [] : ['<table class="facts">', '<tbody>', ...rows, '</tbody>', '</table>'];
}

function noticeLines(title: Phrase, tone: 'bad' | 'warn', statements: readonly Statement[]): string[] {
  if (statements.length === 0) return [];
  return [
    `<section class="notice ${tone}">`,
    element('h2', '', unpainted(title)),
    ...statementList(statements),
    '</section>',
  ];
}

/** Names alone stand in columns. */
function statementList(statements: readonly Statement[]): string[] {
  const isOfNames = statements.every(
    ({ phrase, ways, parts }) =>
      typeof phrase !== 'string' && phrase.length === 1 && ways === undefined && parts === undefined,
  );
  const items = statements.flatMap((statement) => {
    const { parts = [] } = statement;
    if (parts.length === 0) return [element('li', '', statementText(statement))];
    return [`<li>${statementText(statement)}`, ...statementList(parts), '</li>'];
  });
  return [`<ul${isOfNames ? ' class="names"' : ''}>`, ...items, '</ul>'];
}

function statementText({ phrase, place, lifted, ways = [], source }: Statement): string {
  const where = place === undefined ? '' : ` ${span('dim', code(placeText(place)))}`;
  return [
    `${unpainted(phrase)}${where}`,
    ...(lifted === undefined ? [] : [unpainted(lifted)]),
    ...ways.map(ways.length === 1 ? wayHtml : (way) => element('span', 'class="way"', wayHtml(way))),
    ...(source === undefined ? [] : [span('dim', unpainted(source))]),
  ].join(' ');
}

function wayHtml({ words, text }: Way): string {
  const command = text === undefined ? '' : ` ${element('code', 'class="command"', escapeHtml(escapeLine(text)))}`;
  return `${unpainted(words)}${command}`;
}

function dividedGroups(group: ReportGroup): ReportGroup[] {
  const { sorts = [], entries } = group;
  const titled = sorts.filter(({ title }) => title !== undefined);
  if (titled.length === 0) return [group];
  return titled.map(({ name, title = '' }) => ({
    ...group,
    title,
    entries: entries.filter(({ sort }) => sort === name),
  }));
}

/** One choice for each kind of card that the page has, where there is something to choose. */
export function filterLines(groups: readonly ReportGroup[]): string[] {
  const cards = groups.filter(isOfCards).flatMap(({ entries }) => entries);
  // Several changes with the same outcome are one card.
  const sum = (some: readonly ReportEntry[]): number =>
    some.reduce((total, { named = [] }) => total + Math.max(1, named.length), 0);
  const amount = (name: EntryKind): number => sum(cards.filter(({ kinds }) => kinds?.includes(name) === true));
  const names = ENTRY_KINDS.filter((name) => amount(name) > 0);
  if (cards.length < 2 || names.length < 2) return [];
  const choice = (name: string, words: string, rest = ''): string =>
    `<input type="radio" name="show" id="show-${name}"${rest}/><label for="show-${name}">${words}</label>`;
  return [
    '<fieldset>',
    '<legend>Show</legend>',
    choice('all', `all ${sum(cards)}`, ' checked="checked"'),
    ...names.map((name) => choice(name, `${span('sign', escapeHtml(BADGES[name][1]))} ${name} ${amount(name)}`)),
    '</fieldset>',
  ];
}

function isOfCards({ form }: ReportGroup): boolean {
  return form !== 'list';
}

export function groupLines(group: ReportGroup, view: View): string[] {
  const { title, entries, amount = entries.length } = group;
  if (entries.length === 0) return [];
  const isFolded = group.prominence === 'rest' && entries.length > MOST_OPEN;
  const words = isOfCards(group) && !isFolded ? plainText(title) : `${plainText(title)}: ${amount}`;
  const shown = isOfCards(group)
    ? entries.toSorted((a, b) => gravityOf(a) - gravityOf(b)).map((entry) => cardText(entry, view))
    : listLines(group, view);
  const lines = [...shown, ...(group.plots ?? []).flatMap(plotLines)];
  const heading = element('h2', '', unpainted(words));
  if (isFolded) return ['<details class="group">', element('summary', '', heading), ...lines, '</details>'];
  return ['<section class="group">', heading, ...lines, '</section>'];
}

/** The limit is that of a comment. */
const MOST_OPEN = 12;

function cardText(entry: ReportEntry, view: View): string {
  const { mark, kinds = [], named = [] } = entry;
  const badges = kinds.map((name) => {
    const [rank, sign] = BADGES[name];
    return element('span', `class="badge ${rank}"`, `${element('span', 'class="sign"', escapeHtml(sign))} ${name}`);
  });
  // A badge may say the same.
  const verb = mark?.verb.trim() ?? '';
  const isSaid = kinds.some((name) => name === verb);
  const sign = mark === undefined || isSaid ? '' : `${span(mark.tone, escapeHtml(`${mark.sign} ${verb}`))} `;
  const rows = [
    ...shownLines(entry, 'comment', view).map(({ phrase, indent = 0 }) => rowText(phrase, indent)),
    ...named.map((name) => rowText(name, 2)),
  ];
  const body = rows.length === 0 ? '' : element('pre', '', rows.join(''));
  const classes = ['card', ...kinds.map((name) => `is-${name}`)].join(' ');
  return element(
    'article',
    `class="${classes}"`,
    `${badges.join('')}${element('h3', '', `${sign}${painted(entry.head)}`)}${body}`,
  );
}

/** A change is grave if it takes something from people, or failed. */
export const BADGES: Readonly<Record<EntryKind, readonly [rank: 'grave' | 'plain' | 'mild', sign: string]>> = {
  opaque: ['grave', '?'],
  kill: ['grave', '✗'],
  delete: ['grave', '-'],
  're-bucket': ['grave', '↻'],
  enable: ['plain', '▶'],
  restore: ['plain', '↺'],
  widen: ['plain', '▲'],
  narrow: ['plain', '▼'],
  're-split': ['plain', '⇄'],
  create: ['plain', '+'],
  dependency: ['plain', '→'],
  access: ['mild', '»'],
  payload: ['mild', '≡'],
  metadata: ['mild', '·'],
  error: ['grave', '✗'],
  warning: ['plain', '!'],
  failed: ['grave', '✗'],
  unknown: ['grave', '?'],
  undecided: ['grave', '?'],
  skipped: ['plain', '○'],
  pending: ['plain', '…'],
  applied: ['mild', '✓'],
  passed: ['mild', '✓'],
};

/** Writes a separate box with indented continuation lines, so that no part of a long value looks like the next line. */
function rowText(phrase: Phrase, indent: number): string {
  return element('span', '', `${' '.repeat(indent)}${painted(phrase)}\n`);
}

function listLines({ entries, hints = [], more, plots }: ReportGroup, view: View): string[] {
  const shown = entries.map((entry) => shownLines(entry, 'comment', view));
  const items = entries.flatMap(({ subject, head }, index) => {
    const before = entries[index - 1]?.subject;
    const isNew = subject !== undefined && (before === undefined || plainText(before) !== plainText(subject));
    const lines = (shown[index] ?? []).map(({ phrase }) => element('li', '', painted(phrase))).join('');
    return [...(isNew ? [painted(subject)] : []), painted(head) + (lines === '' ? '' : element('ul', '', lines))];
  });
  const last = [...hints, ...(more === undefined ? [] : [more])].map((text) => span('dim', unpainted(`  ${text}`)));
  const isLong = plots !== undefined || shown.some((lines) => lines.length > 0);
  return [
    `<ul class="list${isLong ? ' rows' : ''}">`,
    ...[...items, ...last].map((item) => element('li', '', item)),
    '</ul>',
  ];
}

/** A phrase with its tones. Strings of others are escaped, so that none can make an element. */
export function painted(phrase: Phrase): string {
  return withCode(writePhrase(phrase, PAINTED));
}

/** A sentence of a notice, which has one tone; names and commands are code. */
export function unpainted(phrase: Phrase): string {
  return withCode(writePhrase(phrase, UNPAINTED));
}

/** What stands between backticks is code. Values have no backtick left, and a pair with an element of a tone between its two is none. */
function withCode(html: string): string {
  if (!html.includes('`')) return html;
  return html.replaceAll(/`((?:[^`<]|<code>[^<]*<\/code>)+)`/g, (_, inner: string) =>
    element('code', '', inner.replaceAll(/<\/?code>/g, '')),
  );
}

/** Ours, with strings of others in quotes. */
function wordsHtml(text: string): string {
  const html = escapeHtml(text);
  return !html.includes('`') ? html : html.replaceAll(/&quot;(?:\\.|(?!&quot;)[^\\])*&quot;/g, hideBackticks);
}

function valueHtml(text: string): string {
  return hideBackticks(escapeHtml(text));
}

function hideBackticks(html: string): string {
  return html.replaceAll('`', '&#96;');
}

const UNPAINTED: PhraseWriter = {
  gap: '',
  words: wordsHtml,
  value: (text, limit) => code(quoteShort(text, limit)),
  code: (text) => code(escapeLine(text)),
  link: ({ link, url }) => linked(code(escapeLine(link)), url),
  tone: (_, html) => html,
};

/** Values and code are in a font for code; terminal-only marks become plain text. */
const PAINTED: PhraseWriter = {
  ...UNPAINTED,
  value: (text, limit) => valueHtml(quoteShort(text, limit)),
  code: (text) => valueHtml(escapeLine(text)),
  link: ({ link, url }) => linked(valueHtml(escapeLine(link)), url),
  tone: (tone, html) => (tone === 'aside' || tone === 'caution' ? html : span(tone, html)),
};

/** `text` is escaped for its place already. */
export function code(text: string): string {
  return element('code', '', valueHtml(text));
}

/** The service names its pages, and a browser would obey other schemes. */
function linked(html: string, url: string): string {
  return /^https?:\/\//.test(url) ? `<a href="${escapeHtml(escapeLine(url))}">${html}</a>` : html;
}

const WIDTH = 640;
const HEIGHT = 100;

/** Text does not stand in the picture, which is as wide as the page. */
function plotLines({ title, points }: Plot): string[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return [];
  // The last step is as wide as a tenth of the others.
  const end = last.at + (last.at - first.at) / 9;
  const x = (at: number): string => (((at - first.at) / (end - first.at)) * WIDTH).toFixed(1);
  const steps = (value: (point: Plot['points'][number]) => number): string =>
    points
      .map((point, index) => {
        const y = HEIGHT - value(point);
        return `L${x(point.at)},${y} L${x(points[index + 1]?.at ?? end)},${y}`;
      })
      .join(' ');
  const sure = `M0,${HEIGHT} ${steps(({ least }) => least)} L${WIDTH},${HEIGHT} Z`;
  const possible = `M0,${HEIGHT} ${steps(({ most }) => most)}`;
  const words = `${title}: ${points.map(({ least, most }) => (least === most ? `${most}%` : `${least}% to ${most}%`)).join(' → ')}`;
  const [from, until] = [points[1] ?? first, last].map(({ at }) => timeText(new Date(at).toISOString()));
  return [
    '<figure>',
    element('figcaption', '', escapeHtml(words)),
    `<svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" width="100%" height="${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(words)}">`,
    `<path d="M0,0 H${WIDTH} M0,${HEIGHT / 2} H${WIDTH} M0,${HEIGHT} H${WIDTH}" stroke="currentColor" stroke-opacity="0.3" vector-effect="non-scaling-stroke"/>`,
    `<path d="${sure}" fill="currentColor" fill-opacity="0.3"/>`,
    `<path d="${possible}" fill="none" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke"/>`,
    '</svg>',
    element('p', 'class="dim"', escapeHtml(`0% to 100%; first step ${from}${from === until ? '' : `, last ${until}`}`)),
    '</figure>',
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const SPECIAL = /[&<>"]/;

function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll(/[&<>"]/g, (character) => memberOf(ENTITIES, character) ?? character);
}

function span(name: string, html: string): string {
  return `<span class="${name}">${html}</span>`;
}

/** `attributes` contains no string of others. */
function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes === '' ? '' : ` ${attributes}`}>${content}</${name}>`;
}

/** Each colour of text is read on both backgrounds of its scheme. */
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

export const STYLE: string = [
  `:root { color-scheme: light dark; ${variables(LIGHT)} }`,
  `@media (prefers-color-scheme: dark) { :root { ${variables(DARK)} } }`,
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
  `@media print { :root { color-scheme: light; ${variables(LIGHT)} } body { padding: 0; max-width: none; font-size: 11pt; } fieldset { display: none; } .card { content-visibility: visible; } .card, .notice li { break-inside: avoid; } h2 { break-after: avoid; } details::details-content { display: block; content-visibility: visible; block-size: auto; } }`,
].join('\n');

function filterRule(name: EntryKind): string {
  const chosen = `main:has(#show-${name}:checked)`;
  return `${chosen} .card:not(.is-${name}), ${chosen} .group:not(:has(.is-${name})) { display: none; }`;
}

function variables(colours: Readonly<Record<string, string>>): string {
  return Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}
