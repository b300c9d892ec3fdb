/** The Markdown of any report: what needs attention comes first, then the groups, the gravest first. */

import { defined } from '../../../base/optional.ts';
import { placeText } from '../../escape.ts';
import { shownLines } from '../../model/excerpt.ts';
import { type ModelledKind, modelOf } from '../../model/model-of.ts';
import { type Phrase, plainText, wholeFact, writePhrase } from '../../phrase.ts';
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
  type Statement,
} from '../../model/report-model.ts';
import { verdictOf } from '../../model/verdict.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { assemble, type DocumentHead, type MarkdownBlock, type NoticeLine } from './document.ts';
import { codeSpan, shortSpan, whereText } from './markup.ts';

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
