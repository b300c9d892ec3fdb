/** The Markdown of any report, within the limit of a comment: what needs attention comes first, then as much of the groups as fits, the gravest first. */

import { defined } from '../../../base/optional.ts';
import { placeText } from '../../escape.ts';
import {
  type ChangeMark,
  type FactKind,
  gravityOf,
  type GroupSort,
  type Notice,
  type NoticeKind,
  type ReportEntry,
  type ReportFact,
  type ReportGroup,
  type ReportModel,
  type ReportPage,
  shownLines,
  type Statement,
  verdictOf,
} from '../../model/report-model.ts';
import { type ModelledKind, modelOf } from '../../model/model-of.ts';
import { type Phrase, plainText, wholeFact, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import { GITHUB_COMMENT, type View } from '../../view.ts';
import { count } from '../../words/amounts.ts';
import { bullets, codeBlock, codeLine, codeSpan, folded, shortSpan, whereText } from './markup.ts';

export async function reportMarkdown(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  return modelMarkdown(await modelOf(report, view), view);
}

export function modelMarkdown(model: ReportModel, view: View): string {
  const page = model.page();
  const parts = [headingText(model), ...partsOf(model, page)];
  return assemble(
    { parts, notices: noticesOf(page) },
    page.groups.filter(({ about }) => about !== 'files').flatMap((group) => blocksOf(group, view)),
    view,
  );
}

function headingText({ title, failure }: ReportModel): string {
  if (failure !== undefined) return `### Failed (${codeSpan(failure.code)})`;
  if (title === undefined) return '';
  const { words, project } = title;
  if (project === undefined) return `### ${sentence(words)}`;
  return `### ${sentence(words)} ${codeSpan(project.name)}\n\nOn ${whereText(project)}.`;
}

/** Facts of the same rank are in the order of the model. */
const RANKS: Partial<Record<FactKind, number>> = {
  effects: 1,
  named: 2,
  impact: 3,
  policies: 4,
  approvals: 5,
  base: 5,
  recorded: 5,
  unverified: 5,
  cost: 6,
  legend: 7,
  observed: 8,
  unattributed: 9,
};

function partsOf(model: ReportModel, page: ReportPage): string[] {
  const { summary, failure } = model;
  const { facts, groups } = page;
  if (failure !== undefined) {
    const message = failure.isRepeated ? [] : [codeSpan(failure.message)];
    return [...message, ...(failure.remedy === undefined ? [] : [codeSpan(failure.remedy)])];
  }
  const textsOf = (wanted: readonly FactKind[]): string[] =>
    wanted.flatMap((kind) => facts.filter(({ about, of }) => about === kind && of === undefined).map(factOf));
  const listed = facts
    .filter(({ about, of }) => RANKS[about] !== undefined && of === undefined)
    .toSorted((a, b) => (RANKS[a.about] ?? 0) - (RANKS[b.about] ?? 0));
  const intros = groups.flatMap(({ sorts = [] }) => sorts.flatMap(({ intro }) => (intro === undefined ? [] : [intro])));
  return [
    ...textsOf(['against']),
    ...verdictText(model),
    ...(summary === undefined ? [] : [`**${summary}**`]),
    ...listed.map(factOf),
    ...(intros.length === 0 ? [] : [intros.map((intro, index) => `${index + 1}. ${sentence(intro)}`).join('\n')]),
  ];
}

function factOf(fact: ReportFact): string {
  return sentence(wholeFact(fact));
}

/** The verdict, where the run does something else than its summary says. */
function verdictText(model: ReportModel): string[] {
  const verdict = verdictOf(model);
  return verdict === undefined || verdict.phrase === model.summary
    ? []
    : [`**${verdict.sign} ${sentence(verdict.phrase)}**`];
}

const ORDER: readonly NoticeKind[] = [
  'refusals',
  'policies',
  'overridden',
  'unwritten',
  'not_accepted',
  'warnings',
  'approvals',
  'authors',
];

/** Notices of several projects keep the order of the model. */
function noticesOf({ notices }: ReportPage): DocumentHead['notices'] {
  return notices
    .toSorted((a, b) => (a.of === undefined ? ORDER.indexOf(a.about) - ORDER.indexOf(b.about) : 0))
    .flatMap((notice) => (notice.about === 'policies' ? policyNotices(notice) : [toNotice(notice, notice.statements)]));
}

function toNotice(
  { title, listTitle = title, commentTitle = listTitle }: Notice,
  statements: readonly Statement[],
): DocumentHead['notices'][number] {
  return { title: sentence(commentTitle), sentences: statements.flatMap((one) => statementLines(one)) };
}

/** The warnings, and the lifted findings. */
function policyNotices(notice: Notice): DocumentHead['notices'] {
  const { statements, of } = notice;
  const lifted = { ...notice, title: LIFTED, commentTitle: of === undefined ? LIFTED : [`${LIFTED}, `, { code: of }] };
  return [
    toNotice(notice, statements.filter(({ level }) => level !== 'lifted').map(withoutLift)),
    toNotice(
      lifted,
      statements.filter((one) => one.lifted !== undefined),
    ),
  ];
}

/** Drops the lift, which is shown elsewhere. */
function withoutLift({ phrase, place, source, parts }: Statement): Statement {
  return { phrase, ...defined({ place, source, parts }) };
}

const LIFTED = 'Approved or waived';

/** Parts are bullets of a list below that of the statement. */
function statementLines(statement: Statement, depth = 0): NoticeLine[] {
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
    ...ways.map((way) => ('text' in way ? `${way.words} ${codeSpan(way.text)}.` : sentence(way.words))),
    ...(source === undefined ? [] : [sentence(source)]),
  ].join(' ');
}

/** Strings of others are in spans of code; a mark of a tone would be one of them. */
function sentence(phrase: Phrase): string {
  return writePhrase(phrase, {
    words: (text) => text,
    value: shortSpan,
    code: codeSpan,
    link: ({ link, url }) => `[${codeSpan(link)}](${url})`,
    tone: (_, text) => text,
  });
}

/** A block of code for each sort of the entries. */
function blocksOf(group: ReportGroup, view: View): MarkdownBlock[] {
  const { sorts, counted, title, isGrave, entries, form } = group;
  if (sorts === undefined) {
    const sort = { name: '', counted: counted ?? plainText(title), ...defined({ isGrave }) };
    return [toBlock(entries, { group, sort, view })];
  }
  return sorts
    .filter((sort) => sort.counted !== undefined)
    .map((sort) => {
      const alike = entries.filter((entry) => entry.sort === sort.name);
      const sorted = form === 'changes' ? alike.toSorted((a, b) => gravityOf(a) - gravityOf(b)) : alike;
      return toBlock(sorted, { group, sort, view });
    });
}

function toBlock(entries: readonly ReportEntry[], parts: BlockParts): MarkdownBlock {
  const { form, limit, more, hints = [] } = parts.group;
  const isLimited = limit?.inComments === true && entries.length > limit.entries;
  const shown = isLimited ? entries.slice(0, limit.entries) : entries;
  const rest = isLimited ? limit.more : more;
  return {
    title: parts.sort.counted ?? '',
    language: form === 'changes' ? 'diff' : 'text',
    entries: [
      // A long list may be cut.
      ...(entries.length === 0 ? [] : hints.map((hint) => [hint])),
      ...shown.flatMap((entry) => entriesOf(entry, parts)),
      ...(shown.length === 0 || rest === undefined ? [] : [[rest]]),
    ],
    ...defined({ isOpen: parts.sort.isGrave }),
  };
}

interface BlockParts {
  readonly group: ReportGroup;
  readonly sort: GroupSort;
  readonly view: View;
}

/** One for each change, so that what is left out is counted in changes. The reason of several is told with the first. */
function entriesOf(entry: ReportEntry, parts: BlockParts): MarkdownBlock['entries'] {
  const { named: [first, ...others] = [] } = entry;
  const lines = linesOf(entry, parts);
  if (first === undefined) return [lines];
  const name = (phrase: Phrase): string => `${' '.repeat(parts.group.indent.lines + 2)}${plainText(phrase)}`;
  return [{ name: name(first), lines: [...lines, name(first)] }, ...others.map((phrase) => [name(phrase)])];
}

/** The first character of a line decides its colour in a diff. */
const DIFF_MARKS: Readonly<Record<ChangeMark['tone'], string>> = { add: '+', change: '!', remove: '-' };
const DIFF_INDENT = 4;

function linesOf(entry: ReportEntry, { group, sort, view }: BlockParts): string[] {
  const { mark, subject } = entry;
  const isDiff = group.form === 'changes';
  const indent = isDiff ? { head: 0, lines: DIFF_INDENT } : indentOf(group);
  const verb = mark === undefined || sort.isVerb === true ? '' : `${mark.verb} `;
  const sign = mark === undefined ? '' : `${DIFF_MARKS[mark.tone]} ${verb}`;
  const above = subject === undefined ? '' : `${plainText(subject)}  `;
  return [
    `${' '.repeat(indent.head)}${above}${sign}${plainText(entry.head)}`,
    ...shownLines(entry, 'below', view).map(
      (line) => `${' '.repeat(indent.lines + (line.indent ?? 0))}${plainText(line.phrase)}`,
    ),
  ];
}

/** A block of code needs no indentation of a list. */
function indentOf({ form, indent, isAside }: ReportGroup): ReportGroup['indent'] {
  return form === 'list' || isAside === true ? { head: 0, lines: 0 } : indent;
}

/** A group, or a part of one. */
interface MarkdownBlock {
  /** `3 to delete`; contains no string of others. */
  readonly title: string;
  readonly language: 'diff' | 'text';
  readonly entries: readonly (readonly string[] | Headed)[];
  /** Shown even if the document has many entries. */
  readonly isOpen?: boolean;
}

/** An entry that its first line does not name: a title of several entries stands before it. */
interface Headed {
  readonly name: string;
  /** Ends with the name. */
  readonly lines: readonly string[];
}

interface DocumentHead {
  /** Parts that are always shown. */
  readonly parts: readonly string[];
  /** Sentences that need attention, each list below its title. */
  readonly notices: readonly { readonly title: string; readonly sentences: readonly NoticeLine[] }[];
}

interface NoticeLine {
  readonly text: string;
  /** The depth of its list, which is below that of the line above it. */
  readonly depth: number;
  /** It sums up the lines below it, which are counted where they are left out. */
  readonly isHead: boolean;
}

/** A document with more entries folds its groups. */
const MOST_OPEN = 12;
/** The largest share of the limit for all notices. */
const SHARE_OF_NOTICES = 0.4;
/** The most bytes of the markup of a list, and of the note about what is left out. */
const MARKUP = 200;

function assemble({ parts, notices }: DocumentHead, groups: readonly MarkdownBlock[], view: View): string {
  const limit = view.documentLimit ?? GITHUB_COMMENT;
  const listed = notices.filter(({ sentences }) => sentences.length > 0);
  const spaceOfNotice = (limit * SHARE_OF_NOTICES) / Math.max(1, listed.length) - MARKUP;
  const top = [...parts, ...listed.flatMap((notice) => noticeParts(notice, spaceOfNotice))];
  const shown = groups.filter(({ entries }) => entries.length > 0);
  const entries = shown.flatMap((group) => group.entries.map(toEntry));
  const space = limit - Buffer.byteLength(top.join('\n\n')) - MARKUP * (shown.length + 1);
  const fits = fitEntries(entries, space);
  const blocks = shown.map((group, index) => {
    const before = shown.slice(0, index).reduce((sum, earlier) => sum + earlier.entries.length, 0);
    const own = entries.slice(before, before + group.entries.length);
    return groupBlock(group, { entries: own, fits: fits.slice(before) }, entries.length > MOST_OPEN);
  });
  return `${[...top, ...blocks, ...leftOutNote(fits)].join('\n\n')}\n`;
}

function toEntry(entry: readonly string[] | Headed): FittedEntry {
  if ('name' in entry) return { brief: codeLine(entry.name), full: entry.lines.map(codeLine) };
  const full = entry.map(codeLine);
  return { brief: full[0] ?? '', full };
}

function noticeParts({ title, sentences }: DocumentHead['notices'][number], space: number): string[] {
  const items = bullets(sentences);
  const fits = fitEntries(
    items.map((item) => ({ brief: item, full: [item] })),
    space,
  );
  const hidden = sentences.filter(({ isHead }, index) => !isHead && fits[index] === 'hidden').length;
  const more = hidden === 0 ? [] : bullets([{ depth: 0, text: `… and ${hidden} more` }]);
  return [`**${title}**`, [...items.filter((_, index) => fits[index] !== 'hidden'), ...more].join('\n')];
}

/** `fits`: of the entries of the group and of those that follow. */
function groupBlock(
  { title, language, isOpen }: MarkdownBlock,
  { entries, fits }: { readonly entries: readonly FittedEntry[]; readonly fits: readonly Fit[] },
  isLong: boolean,
): string {
  const lines = entries.flatMap((entry, index) => fittedLines(entry, fits[index] ?? 'hidden'));
  if (lines.length === 0) return `**${title}** (not listed)`;
  const hidden = countOf(fits.slice(0, entries.length), 'hidden');
  const block = codeBlock([...lines, ...(hidden === 0 ? [] : [`  … and ${hidden} more`])], language);
  return isLong && isOpen !== true ? folded(title, block) : `**${title}**\n\n${block}`;
}

function fittedLines({ brief, full }: FittedEntry, fit: Fit): readonly string[] {
  if (fit === 'hidden') return [];
  return fit === 'full' ? full : [brief];
}

function leftOutNote(fits: readonly Fit[]): string[] {
  const words: Readonly<Record<Fit, string>> = { full: '', brief: 'without details', hidden: 'not listed' };
  const facts = (['brief', 'hidden'] as const)
    .filter((fit) => fits.includes(fit))
    .map((fit) => `${count(countOf(fits, fit), 'entry is', 'entries are')} ${words[fit]}`);
  if (facts.length === 0) return [];
  return [
    `_Shortened to fit a comment: ${facts.join(', ')}. \`--format text\` and \`--format json\` leave nothing out._`,
  ];
}

function countOf(fits: readonly Fit[], wanted: Fit): number {
  return fits.filter((fit) => fit === wanted).length;
}

export interface FittedEntry {
  readonly full: readonly string[];
  readonly brief: string;
}

type Fit = 'full' | 'brief' | 'hidden';

/**
 * Fits entries into a number of bytes: as many as possible are named, then the first ones get their details.
 *
 * Chooses how each entry is shown; `space` counts line breaks too.
 */
export function fitEntries(entries: readonly FittedEntry[], space: number): readonly Fit[] {
  const named = countFitting(entries, space);
  let left = space - lengthOf(entries.slice(0, named).map(({ brief }) => brief));
  return entries.map(({ full, brief }, index): Fit => {
    if (index >= named) return 'hidden';
    const extra = lengthOf(full) - lengthOf([brief]);
    if (extra > left) return 'brief';
    left -= extra;
    return 'full';
  });
}

function countFitting(entries: readonly FittedEntry[], space: number): number {
  let used = 0;
  const beyond = entries.findIndex(({ brief }) => {
    used += lengthOf([brief]);
    return used > space;
  });
  return beyond === -1 ? entries.length : beyond;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
