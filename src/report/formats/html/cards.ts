/** Elements of HTML, and groups of a page: cards that can be filtered, and lists of what has nothing below its name. */

import { memberOf } from '../../../base/json.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { shownLines } from '../../model/excerpt.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  gravityOf,
  type ReportEntry,
  type ReportGroup,
  type Plot,
} from '../../model/report-model.ts';
import { type Phrase, type PhraseWriter, plainText, writePhrase } from '../../phrase.ts';
import type { View } from '../../view.ts';
import { timeText } from '../../words/times.ts';

/** One choice for each kind of card that the page has, where there is something to choose. */
export function filterLines(groups: readonly ReportGroup[]): string[] {
  const cards = groups.filter(isOfCards).flatMap(({ entries }) => entries);
  const sum = (some: readonly ReportEntry[]): number => some.reduce((total, entry) => total + amountOf(entry), 0);
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

/** Several changes with the same outcome are one card. */
function amountOf({ named = [] }: ReportEntry): number {
  return Math.max(1, named.length);
}

function isOfCards({ form }: ReportGroup): boolean {
  return form !== 'list';
}

export function groupLines(group: ReportGroup, view: View): string[] {
  const { title, entries, amount = entries.length } = group;
  if (entries.length === 0) return [];
  const isFolded = group.isRest === true && entries.length > MOST_OPEN;
  const words = isOfCards(group) && !isFolded ? plainText(title) : `${plainText(title)}: ${amount}`;
  const shown = isOfCards(group) ? cardLines(entries, view) : listLines(group, view);
  const lines = [...shown, ...(group.plots ?? []).flatMap(plotLines)];
  const heading = element('h2', '', escapeHtml(words));
  if (isFolded) return ['<details class="group">', element('summary', '', heading), ...lines, '</details>'];
  return ['<section class="group">', heading, ...lines, '</section>'];
}

/** The limit is that of a comment. */
const MOST_OPEN = 12;

/** The gravest first. */
function cardLines(entries: readonly ReportEntry[], view: View): string[] {
  return entries.toSorted((a, b) => gravityOf(a) - gravityOf(b)).map((entry) => cardText(entry, view));
}

function cardText(entry: ReportEntry, view: View): string {
  const { mark, kinds = [], named = [] } = entry;
  const badges = kinds.map(badge).join('');
  const sign = mark === undefined ? '' : `${span(mark.tone, escapeHtml(`${mark.sign} ${mark.verb}`))} `;
  const rows = [
    ...shownLines(entry, 'comment', view).map(({ phrase, indent = 0 }) => rowText(phrase, indent)),
    ...named.map((name) => rowText(name, 2)),
  ];
  const body = rows.length === 0 ? '' : element('pre', '', rows.join(''));
  const classes = ['card', ...kinds.map((name) => `is-${name}`)].join(' ');
  return element(
    'article',
    `class="${classes}"`,
    `${badges}${element('h3', '', `${sign}${painted(entry.head)}`)}${body}`,
  );
}

/** A badge differs in its sign and its shape, too. */
function badge(name: EntryKind): string {
  const [rank, sign] = BADGES[name];
  return element('span', `class="badge ${rank}"`, `${element('span', 'class="sign"', escapeHtml(sign))} ${name}`);
}

type BadgeRank = 'grave' | 'plain' | 'mild';

/** A change is grave if it takes something from people, or failed. */
export const BADGES: Readonly<Record<EntryKind, readonly [rank: BadgeRank, sign: string]>> = {
  opaque: ['grave', '?'],
  kill: ['grave', '✗'],
  delete: ['grave', '−'],
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

/** Names stand in columns; entries that say more, one below the other. */
function listLines({ entries, hints = [], more, plots }: ReportGroup, view: View): string[] {
  const shown = entries.map((entry) => shownLines(entry, 'comment', view));
  const items = entries.flatMap(({ subject, head }, index) => {
    const before = entries[index - 1]?.subject;
    const isNew = subject !== undefined && (before === undefined || plainText(before) !== plainText(subject));
    const lines = (shown[index] ?? []).map(({ phrase }) => element('li', '', painted(phrase))).join('');
    return [...(isNew ? [painted(subject)] : []), painted(head) + (lines === '' ? '' : element('ul', '', lines))];
  });
  const last = [...hints, ...(more === undefined ? [] : [more])].map((text) => span('dim', escapeHtml(`  ${text}`)));
  const isLong = plots !== undefined || shown.some((lines) => lines.length > 0);
  return [
    `<ul class="list${isLong ? ' rows' : ''}">`,
    ...[...items, ...last].map((item) => element('li', '', item)),
    '</ul>',
  ];
}

/**
 * HTML around strings of others: each is escaped, so that no string can make an element.
 *
 * A phrase with its tones.
 */
export function painted(phrase: Phrase): string {
  return writePhrase(phrase, PAINTED);
}

/** A sentence of a notice, which has one tone; names and commands are code. */
export function unpainted(phrase: Phrase): string {
  return writePhrase(phrase, UNPAINTED);
}

const UNPAINTED: PhraseWriter = {
  words: escapeHtml,
  value: (text, limit) => code(quoteShort(text, limit)),
  code: (text) => code(escapeLine(text)),
  link: ({ link, url }) => linked(code(escapeLine(link)), url),
  tone: (_, html) => html,
};

/** Values and code are in a font for code; terminal-only marks become plain text. */
const PAINTED: PhraseWriter = {
  ...UNPAINTED,
  value: (text, limit) => escapeHtml(quoteShort(text, limit)),
  code: (text) => escapeHtml(escapeLine(text)),
  link: ({ link, url }) => linked(escapeHtml(escapeLine(link)), url),
  tone: (tone, html) => (tone === 'aside' || tone === 'caution' ? html : span(tone, html)),
};

/** `text` is escaped for its place already. */
export function code(text: string): string {
  return element('code', '', escapeHtml(text));
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

export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll(/[&<>"]/g, (character) => memberOf(ENTITIES, character) ?? character);
}

export function span(name: string, html: string): string {
  return `<span class="${name}">${html}</span>`;
}

/** `attributes` contains no string of others. */
export function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes === '' ? '' : ` ${attributes}`}>${content}</${name}>`;
}
