/** The page of any report: a head, notices, and groups, of cards that can be filtered or of names; and its style. */

import type { JsonObject } from '../../../base/json.ts';
import { ifGiven } from '../../../base/optional.ts';
import { cellText, columnValue } from '../../columns.ts';
import { escapeLine, placeText, quoteShort } from '../../escape.ts';
import { type ModeledKind, modelOf } from '../../model/model-of.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  gravityOf,
  type Plot,
  type ReportEntry,
  type ReportFact,
  type ReportGroup,
  type ReportModel,
  type ReportTable,
  type RunFailure,
  shownLines,
  type Statement,
  verdictOf,
  type Way,
} from '../../model/report-model.ts';
import { type Phrase, type PhraseWriter, plainText, spansOf, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { count, timeText } from '../../words/amounts.ts';
import { recordsTitle, sourcePhrase, tableOf } from '../../words/records.ts';
import { code, element, escapeHtml, hideBackticks, linked, pageText, span, valueHtml } from './elements.ts';
import { RECORDS_STYLE, STYLE } from './style.ts';

export async function reportPage(report: ReportOf<ModeledKind>, view: View): Promise<string> {
  const model = await modelOf(report, view);
  const { parts = [] } = model;
  return pageText({
    title: escapeHtml(plainText(wholeTitle(model))),
    style: STYLE,
    lines: [
      ...headLines(model, 'h1'),
      ...noticesOf(model),
      // One choice for the cards of all projects.
      ...filterLines([model, ...parts.map((part) => part.model)].flatMap(groupsOf)),
      ...groupsOf(model).flatMap((group) => groupLines(group, view)),
      ...parts.flatMap((part) => [
        '<section class="project">',
        ...headLines(part.model, 'h2'),
        ...noticesOf(part.model),
        ...groupsOf(part.model).flatMap((group) => groupLines(group, view)),
        '</section>',
      ]),
    ],
  });
}

/** Answers of commands on resources: a table, whose rows are cards on a phone. */
export async function recordsPage(report: ReportOf<'records' | 'record' | 'done'>): Promise<string> {
  const { columns, records } = await tableOf(report);
  const { about = { name: 'answer' } } = report;
  const title = escapeHtml(plainText(recordsTitle(about)));
  const heading = (column: string): string => element('th', 'scope="col"', valueHtml(escapeLine(column)));
  const rowOf = (record: JsonObject): string =>
    `<tr>${columns.map((column, index) => cellOf(record, column, index)).join('')}</tr>`;
  const body = records.map(rowOf);
  return pageText({
    title,
    style: RECORDS_STYLE,
    lines: [
      '<header>',
      element('h1', '', title),
      ...ifGiven(sourcePhrase(about), (source) => [element('p', 'class="where"', escapeHtml(plainText(source)))]),
      ...(report.kind === 'records'
        ? [element('p', 'class="summary"', escapeHtml(count(records.length, 'entry', 'entries')))]
        : []),
      '</header>',
      '<div class="wide"><table class="records">',
      `<thead><tr>${columns.map(heading).join('')}</tr></thead>`,
      '<tbody>',
      ...body,
      '</tbody>',
      '</table></div>',
    ],
  });
}

/** The first column names the row. On a phone each cell has the name of its column beside it. */
function cellOf(record: JsonObject, column: string, index: number): string {
  const html = valueHtml(escapeLine(cellText(columnValue(record, column))));
  return index === 0
    ? element('th', 'scope="row"', html)
    : element('td', `data-column="${valueHtml(escapeLine(column))}"`, html);
}

function wholeTitle({ title }: ReportModel): Phrase {
  const { words = '', project } = title ?? {};
  return project === undefined ? words : [...spansOf(words), ' ', { code: project.name }];
}

function headLines(model: ReportModel, heading: 'h1' | 'h2'): string[] {
  const { facts = [], table } = model.page();
  const { summary, failure, title } = model;
  const project = title?.project;
  const where =
    project?.host === 'embedded'
      ? 'On the embedded service'
      : `On ${escapeLine(project?.host ?? '')}, project ${escapeLine(project?.project_id ?? '')}`;
  const verdict = verdictOf(model);
  const head = ifGiven(verdict, ({ phrase, sign, standing }) => {
    const before = sign === '' ? '' : `${element('span', 'class="sign"', escapeHtml(sign))} `;
    return element(
      'p',
      `class="verdict${standing === undefined ? '' : ` ${standing}`}"`,
      `${before}${unpainted(phrase)}`,
    );
  });
  return [
    '<header>',
    // In a page of several projects, a section begins with the name of its project.
    ...(heading === 'h1' ? head : []),
    element(heading, '', unpainted(wholeTitle(model))),
    ...(heading === 'h1' ? [] : head),
    ...(project === undefined ? [] : [element('p', 'class="where"', escapeHtml(where))]),
    ...ifGiven(title?.origin, (origin) => element('p', 'class="where"', unpainted(origin))),
    // The summary, unless it is the verdict.
    ...(summary === undefined || failure !== undefined || verdict?.phrase === summary
      ? []
      : [element('p', 'class="summary"', unpainted(summary))]),
    ...factLines(facts, failure),
    ...ifGiven(table, tableLines),
    '</header>',
  ];
}

function tableLines({ columns, rows }: ReportTable): string[] {
  const line = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`;
  const cell = (phrase: Phrase, index: number): string =>
    index === 0 ? element('th', 'scope="row"', painted(phrase)) : element('td', '', painted(phrase));
  return [
    '<div class="wide"><table class="matrix">',
    '<thead>',
    line(columns.map((column) => element('th', 'scope="col"', painted(column)))),
    '</thead>',
    '<tbody>',
    ...rows.map((row) => line(row.map(cell))),
    '</tbody>',
    '</table></div>',
  ];
}

function noticesOf(model: ReportModel): string[] {
  const { notices = [], groups = [] } = model.page();
  return [
    ...notices.flatMap(({ about, title, listTitle = title, statements }) =>
      about === 'comment' ? [] : noticeLines(listTitle, about === 'refusals' ? 'bad' : 'warn', statements),
    ),
    ...groups.filter(isNotice).flatMap(({ title, entries }) =>
      noticeLines(
        title,
        'warn',
        // `ways`: sentences, not names.
        entries.map(({ head: phrase, lines = [] }) => ({
          phrase,
          parts: lines.filter(({ only }) => only === undefined).map((line) => ({ phrase: line.phrase, ways: [] })),
        })),
      ),
    ),
  ];
}

/** Those that are no notices, each divided by its sorts. */
function groupsOf(model: ReportModel): ReportGroup[] {
  return (model.page().groups ?? []).filter((group) => !isNotice(group)).flatMap(dividedGroups);
}

function isNotice({ prominence }: ReportGroup): boolean {
  return prominence === 'notice';
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
    // What is only affected by a change is of no kind.
    choice('all', `all ${sum(cards.filter(({ kinds = [] }) => kinds.length > 0))}`, ' checked="checked"'),
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
  const isWide = entries.some(({ head }) => plainText(head).length > COLUMN);
  const isLong = isWide || plots !== undefined || shown.some((lines) => lines.length > 0);
  return [
    `<ul class="list${isLong ? ' rows' : ''}">`,
    ...[...items, ...last].map((item) => element('li', '', item)),
    '</ul>',
  ];
}

/** The characters that a column of a list holds: a sentence across several lines of it is hard to read. */
const COLUMN = 38;

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
