/**
 * The Markdown of any report, within the limit of a comment: what needs attention comes first, then as much of the groups as fits, the
 * gravest first, then what was left out.
 */

import type { JsonObject } from '../../../base/json.ts';
import { defined, ifGiven } from '../../../base/optional.ts';
import { cellText, columnValue } from '../../columns.ts';
import { placeText, disarmLines, escapeLine, quoteShort } from '../../escape.ts';
import {
  type ChangeMark,
  gravityOf,
  type GroupSort,
  type Prominence,
  type ReportEntry,
  type ReportGroup,
  type ReportModel,
  type ReportPage,
  type ReportTable,
  shownLines,
  type Statement,
  verdictOf,
  wholeFact,
} from '../../model/report-model.ts';
import type { ProjectIdentity } from '../../../core/engine/project.ts';
import { type ModeledKind, modelOf } from '../../model/model-of.ts';
import { type Phrase, plainText, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import { GITHUB_COMMENT, type View } from '../../view.ts';
import { count } from '../../words/amounts.ts';
import { recordsTitle, sourcePhrase, tableOf } from '../../words/records.ts';
import { withoutFullStop } from '../../../base/text.ts';

export async function reportMarkdown(report: ReportOf<ModeledKind>, view: View): Promise<string> {
  return modelMarkdown(await modelOf(report, view), view);
}

/** `part`: the name of the project that it is of, in a report about several. */
export function modelMarkdown(model: ReportModel, view: View, part?: string): string {
  const page = model.page();
  const limit = view.documentLimit ?? GITHUB_COMMENT;
  const { parts = [] } = model;
  const table = page.table === undefined ? [] : [tableText(page.table, limit)];
  const own = assemble(
    [headingText(model, part), ...partsOf(model, page), ...table, ...noticeParts(page, limit)],
    (page.groups ?? []).flatMap((group) => blocksOf(group, view)),
    limit,
  );
  if (parts.length === 0) return own;
  const texts = [own];
  let left = limit - Buffer.byteLength(own);
  for (const [index, part] of parts.entries()) {
    // What one report leaves is room for the next ones.
    const share = Math.max(LEAST_PART, Math.floor(left / (parts.length - index)));
    const text = `#${modelMarkdown(part.model, { ...view, documentLimit: share }, part.name)}`;
    texts.push(text);
    left -= Buffer.byteLength(text) + 1;
  }
  return texts.join('\n');
}

/** The head of a report, in bytes. */
const LEAST_PART = 2_000;

/** As many rows as fit beside the rest. */
function tableText({ columns, rows }: ReportTable, limit: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cells = (row: readonly Phrase[]): string =>
    line(row.map((phrase) => sentence(phrase).replaceAll('|', String.raw`\|`)));
  const lines = rows.map(cells);
  const entries = lines.map((brief) => ({ brief, full: [brief] }));
  const hidden = countOf(fitEntries(entries, limit * SHARE_OF_TABLE), 'hidden');
  const table = [cells(columns), line(columns.map(() => '---')), ...lines.slice(0, lines.length - hidden)].join('\n');
  return hidden === 0 ? table : `${table}\n\n… and ${count(hidden, 'more row')}`;
}

function headingText({ title, failure }: ReportModel, part?: string): string {
  const of = part === undefined ? '' : `: ${codeSpan(part)}`;
  if (failure !== undefined) return `### Failed${of} (${codeSpan(failure.code)})`;
  if (title === undefined) return '';
  const { words, project } = title;
  if (project === undefined) return `### ${sentence(words)}`;
  return `### ${sentence(words)} ${codeSpan(project.name)}`;
}

/** Answers of commands on resources, whole: a table. */
export async function recordsMarkdown(report: ReportOf<'records' | 'record' | 'done'>): Promise<string> {
  const { columns, records } = await tableOf(report);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cell = (text: string): string => (text === '' ? '' : codeSpan(text).replaceAll('|', String.raw`\|`));
  const rowOf = (record: JsonObject): string =>
    line(columns.map((column) => cell(cellText(columnValue(record, column)))));
  const { about } = report;
  const table = [
    line(columns.map((column) => (/^[a-z ]+$/.test(column) ? column : cell(column)))),
    line(columns.map(() => '---')),
    ...records.map(rowOf),
  ].join('\n');
  const parts = [
    ...(about === undefined ? [] : [`### ${sentence(recordsTitle(about))}`]),
    ...ifGiven(about && sourcePhrase(about), (source) => [sentence(source)]),
    ...(report.kind === 'records' ? [count(records.length, 'entry', 'entries')] : []),
    table,
  ];
  return `${parts.join('\n\n')}\n`;
}

function whereText({ host, project_id: id }: ProjectIdentity): string {
  return host === 'embedded' ? 'On the embedded service' : `On ${codeSpan(host)}, project ${codeSpan(id)}`;
}

function partsOf(model: ReportModel, page: ReportPage): string[] {
  const { summary, failure, title } = model;
  const { facts = [], groups = [] } = page;
  if (failure !== undefined) {
    const message = failure.isRepeated ? [] : [codeSpan(failure.message)];
    return [...message, ...(failure.remedy === undefined ? [] : [codeSpan(failure.remedy)])];
  }
  const textsOf = (areFirst: boolean): string[] =>
    facts
      .filter(({ label, of, place }) => label !== undefined && of === undefined && (place === 'title') === areFirst)
      .map((fact) => sentence(wholeFact(fact)));
  const verdict = verdictOf(model);
  // One paragraph: the first change is on the first screen of a phone.
  const head = [...(title?.project === undefined ? [] : [whereText(title.project)]), ...textsOf(false)];
  const intros = groups.flatMap(({ sorts = [] }) => sorts.flatMap(({ intro }) => (intro === undefined ? [] : [intro])));
  return [
    ...textsOf(true),
    // The verdict, where the run does something else than its summary says.
    ...(verdict === undefined || verdict.phrase === summary ? [] : [`**${verdict.sign} ${sentence(verdict.phrase)}**`]),
    ...(summary === undefined ? [] : [`**${summary}**`]),
    ...(head.length === 0 ? [] : [head.map(withoutFullStop).join(' · ')]),
    ...(intros.length === 0 ? [] : [intros.map((intro, index) => `${index + 1}. ${sentence(intro)}`).join('\n')]),
  ];
}

function noticeParts({ notices = [] }: ReportPage, limit: number): string[] {
  const listed = notices
    .map(({ title, listTitle = title, commentTitle = listTitle, statements }) => ({
      heading: commentTitle,
      statements,
    }))
    .filter(({ statements }) => statements.length > 0);
  const space = (limit * SHARE_OF_NOTICES) / Math.max(1, listed.length) - MARKUP;
  return listed.flatMap(({ heading, statements }) => {
    const lines = statements.flatMap((one) => statementLines(one));
    const items = bullets(lines);
    const fits = fitEntries(
      items.map((item) => ({ brief: item, full: [item] })),
      space,
    );
    const hidden = lines.filter(({ isHead }, index) => !isHead && fits[index] === 'hidden').length;
    const more = hidden === 0 ? [] : bullets([{ depth: 0, text: `… and ${hidden} more` }]);
    const shown = items.filter((_, index) => fits[index] !== 'hidden');
    return [`**${sentence(heading)}**`, [...shown, ...more].join('\n')];
  });
}

/** Parts are bullets below that of the statement. `isHead`: it sums up the lines below it, which are counted where they are left out. */
function statementLines(
  statement: Statement,
  depth = 0,
): { readonly text: string; readonly depth: number; readonly isHead: boolean }[] {
  const { parts = [] } = statement;
  return [
    { depth, text: statementText(statement), isHead: parts.length > 0 },
    ...parts.flatMap((part) => statementLines(part, depth + 1)),
  ];
}

function statementText({ phrase, place, lifted, ways = [], source }: Statement): string {
  const where = place === undefined ? '' : ` ${codeSpan(placeText(place))}`;
  return [
    `${sentence(phrase)}${where}`,
    ...(lifted === undefined ? [] : [sentence(lifted)]),
    ...ways.map(({ words, text }) => (text === undefined ? sentence(words) : `${sentence(words)} ${codeSpan(text)}.`)),
    ...(source === undefined ? [] : [sentence(source)]),
  ].join(' ');
}

/** Strings of others are in spans of code; a mark of a tone would be one of them. */
function sentence(phrase: Phrase): string {
  return writePhrase(phrase, {
    words: (text) => text,
    value: (text, limit) => codeSpan(quoteShort(text, limit)),
    code: codeSpan,
    link: ({ link, url }) => `[${codeSpan(link)}](${url})`,
    tone: (_, text) => text,
  });
}

interface MarkdownBlock {
  /** `3 to delete`; contains no string of others. */
  readonly title: string;
  readonly language: 'diff' | 'text';
  readonly entries: readonly FittedEntry[];
  /** Shown even if the document has many entries. */
  readonly isOpen: boolean;
}

export interface FittedEntry {
  readonly full: readonly string[];
  readonly brief: string;
}

function blocksOf(group: ReportGroup, view: View): MarkdownBlock[] {
  const { sorts, counted, title, prominence, entries, form, limit, more, hints = [] } = group;
  const toBlock = (shown: readonly ReportEntry[], sort: GroupSort): MarkdownBlock => {
    const isLimited = limit?.inComments === true && shown.length > limit.entries;
    const rest = isLimited ? limit.more : more;
    return {
      title: sort.counted ?? '',
      language: form === 'changes' ? 'diff' : 'text',
      entries: [
        ...(shown.length === 0 ? [] : hints.map((hint) => entryOf([hint]))),
        ...(isLimited ? shown.slice(0, limit.entries) : shown).flatMap((entry) =>
          entriesOf({ ...entry, lines: shownLines(entry, 'below', view) }, group, sort),
        ),
        ...(shown.length === 0 || rest === undefined ? [] : [entryOf([rest])]),
      ],
      isOpen: sort.prominence !== undefined && OPEN.has(sort.prominence),
    };
  };
  if (sorts === undefined) {
    return [toBlock(entries, { name: '', counted: counted ?? plainText(title), ...defined({ prominence }) })];
  }
  return sorts
    .filter((sort) => sort.counted !== undefined)
    .map((sort) => {
      const alike = entries.filter((entry) => entry.sort === sort.name);
      return toBlock(form === 'changes' ? alike.toSorted((a, b) => gravityOf(a) - gravityOf(b)) : alike, sort);
    });
}

const OPEN: ReadonlySet<Prominence> = new Set(['grave', 'open', 'warning', 'notice']);

function entryOf(lines: readonly string[]): FittedEntry {
  const full = lines.map(codeLine);
  return { brief: full[0] ?? '', full };
}

/** One for each change, so that what is left out is counted in changes. The reason of several is told with the first. */
function entriesOf(entry: ReportEntry, group: ReportGroup, sort: GroupSort): FittedEntry[] {
  const { named: [first, ...others] = [] } = entry;
  const lines = linesOf(entry, group, sort);
  if (first === undefined) return [entryOf(lines)];
  const name = (phrase: Phrase): string => codeLine(`${' '.repeat(group.indent.lines + 2)}${plainText(phrase)}`);
  return [
    // A title of several changes stands before the first.
    { brief: name(first), full: [...lines.map(codeLine), name(first)] },
    ...others.map((phrase) => ({ brief: name(phrase), full: [name(phrase)] })),
  ];
}

/** The first character of a line decides its color in a diff. */
const DIFF_MARKS: Readonly<Record<ChangeMark['tone'], string>> = { add: '+', change: '!', remove: '-' };
const DIFF_INDENT = { head: 0, lines: 4 };
/** A block of code needs no indentation of a list. */
const NO_INDENT = { head: 0, lines: 0 };

function linesOf(entry: ReportEntry, { form, indent, prominence }: ReportGroup, sort: GroupSort): string[] {
  const { mark, subject } = entry;
  const isList = form === 'list' || prominence === 'aside';
  const { head, lines } = form === 'changes' ? DIFF_INDENT : isList ? NO_INDENT : indent;
  const verb = mark === undefined || sort.isVerb === true ? '' : `${mark.verb} `;
  const sign = mark === undefined ? '' : `${DIFF_MARKS[mark.tone]} ${verb}`;
  const above = subject === undefined ? '' : `${plainText(subject)}  `;
  return [
    `${' '.repeat(head)}${above}${sign}${plainText(entry.head)}`,
    ...(entry.lines ?? []).map((line) => `${' '.repeat(lines + (line.indent ?? 0))}${plainText(line.phrase)}`),
  ];
}

/** A document with more entries folds its groups. */
const MOST_OPEN = 12;
const SHARE_OF_NOTICES = 0.4;
const SHARE_OF_TABLE = 0.5;
/** The most bytes of the markup of a list, and of the note about what is left out. */
const MARKUP = 200;

/** `top`: always shown. */
function assemble(top: readonly string[], groups: readonly MarkdownBlock[], limit: number): string {
  const shown = groups.filter(({ entries }) => entries.length > 0);
  const entries = shown.flatMap((group) => group.entries);
  const fits = fitEntries(entries, limit - Buffer.byteLength(top.join('\n\n')) - MARKUP * (shown.length + 1));
  let before = 0;
  const blocks = shown.map((group) => {
    const own = fits.slice(before, (before += group.entries.length));
    return groupBlock(group, own, entries.length > MOST_OPEN);
  });
  const words = { brief: 'without details', hidden: 'not listed' };
  const facts = (['brief', 'hidden'] as const)
    .filter((fit) => fits.includes(fit))
    .map((fit) => `${count(countOf(fits, fit), 'entry is', 'entries are')} ${words[fit]}`);
  const note = `_Shortened to fit a comment: ${facts.join(', ')}. \`--format text\` and \`--format json\` leave nothing out._`;
  return `${[...top, ...blocks, ...(facts.length === 0 ? [] : [note])].join('\n\n')}\n`;
}

function groupBlock(
  { title, language, entries, isOpen }: MarkdownBlock,
  fits: readonly Fit[],
  isLong: boolean,
): string {
  const lines = entries.flatMap(({ brief, full }, index) =>
    fits[index] === 'full' ? full : fits[index] === 'brief' ? [brief] : [],
  );
  if (lines.length === 0) return `**${title}** (not listed)`;
  const hidden = countOf(fits, 'hidden');
  const block = codeBlock([...lines, ...(hidden === 0 ? [] : [`  … and ${hidden} more`])], language);
  return isLong && !isOpen
    ? `<details><summary>${title}</summary>\n\n${block}\n\n</details>`
    : `**${title}**\n\n${block}`;
}

function countOf(fits: readonly Fit[], wanted: Fit): number {
  return fits.filter((fit) => fit === wanted).length;
}

type Fit = 'full' | 'brief' | 'hidden';

/** As many entries as possible are named, then the first ones get their details. `space`: in bytes, with line breaks. */
export function fitEntries(entries: readonly FittedEntry[], space: number): readonly Fit[] {
  let used = 0;
  const beyond = entries.findIndex(({ brief }) => {
    used += lengthOf([brief]);
    return used > space;
  });
  const named = beyond === -1 ? entries.length : beyond;
  let left = space - lengthOf(entries.slice(0, named).map(({ brief }) => brief));
  return entries.map(({ full, brief }, index): Fit => {
    if (index >= named) return 'hidden';
    const extra = lengthOf(full) - lengthOf([brief]);
    if (extra > left) return 'brief';
    left -= extra;
    return 'full';
  });
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** A CI system resolves no mention, reference, link, HTML or quick action in code. */
export function codeSpan(text: string): string {
  const shown = escapeLine(text);
  const ticks = '`'.repeat(longestRun(shown) + 1);
  // A span that begins or ends with a backtick, or consists of spaces, needs a space on each side.
  return /^[^ `].*[^ `]$|^[^ `]$/s.test(shown) ? `${ticks}${shown}${ticks}` : `${ticks} ${shown || ' '} ${ticks}`;
}

/** GitLab obeys a line that begins with a slash, in some versions also in a block of code; a build log one with two colons. */
function codeLine(line: string): string {
  return /^(?:\/|::)/.test(line) ? ` ${disarmLines(line)}` : line;
}

export function codeBlock(lines: readonly string[], language: 'diff' | 'text' | 'json'): string {
  const text = lines.join('\n');
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language}\n${text}\n${ticks}`;
}

function bullets(lines: readonly { readonly text: string; readonly depth: number }[]): string[] {
  return lines.map(({ text, depth }) => `${'  '.repeat(depth)}- ${text}`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
