/**
 * The text of any report: sections with an empty line between them. What the report is about comes first, then what needs attention, what is
 * left alone, and the summary, where a reader of a long log looks.
 */

import { cut, displayWidth, unbroken, wrapText } from '../../columns.ts';
import { escapeLine, escapeWholeLine, placeText } from '../../escape.ts';
import { type ModeledKind, modelOf } from '../../model/model-of.ts';
import {
  type FactPlace,
  type Notice,
  type Prominence,
  type ReportEntry,
  type ReportFact,
  type ReportGroup,
  type ReportModel,
  type ReportPage,
  type ReportTable,
  type RunFailure,
  shownLines,
  type Statement,
  type Way,
  wholeFact,
} from '../../model/report-model.ts';
import { type Phrase, type PhraseWriter, PLAIN_WRITER, plainText, spansOf, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import { type Palette, PLAIN, type View } from '../../view.ts';

export async function reportText(report: ReportOf<ModeledKind>, view: View): Promise<string> {
  return modelText(await modelOf(report, view), view);
}

/** Renders any report; `reportText` makes the model too. */
export function modelText(model: ReportModel, view: View): string {
  const text = unwrappedText(model, view);
  return view.width === undefined ? text : wrapText(text, view.width);
}

function unwrappedText(model: ReportModel, view: View): string {
  const page = model.page();
  if (model.failure !== undefined) return failureText(page, model.failure, view);
  const { facts = [], notices = [], groups = [], table } = page;
  const factsAt = (place: FactPlace): string[] =>
    facts.filter((fact) => fact.of === undefined && fact.place === place).map((fact) => factText(fact, view));
  const groupsAt = (place: ReportGroup['place']): string[][] =>
    gravestLast(groups.filter((group) => group.place === place)).flatMap((group) => groupSections(group, view));
  // The facts and notices of each project of a check.
  const projects = [...new Set([...notices, ...facts].flatMap(({ of }) => of ?? []))];
  return joinSections([
    [...titleLines(model, view), ...factsAt('title'), ...factsAt('head')],
    ...(table === undefined ? [] : tableSections(table, view)),
    ...groupsAt(undefined),
    factsAt('left'),
    ...groupsAt('left'),
    ...NOTICES.flatMap((kind) =>
      notices.filter(({ about, of }) => about === kind && of === undefined).map((notice) => noticeLines(notice, view)),
    ),
    factsAt('rest'),
    ...groupsAt('rest'),
    factsAt('note'),
    // A failure alone is told without a title.
    ...(model.parts ?? []).map((part) => [
      ...(part.model.failure === undefined ? [] : titleLines(part.model, view)),
      unwrappedText(part.model, view).trimEnd(),
    ]),
    ...projects.map((project) => [
      ...notices.filter(({ of }) => of === project).flatMap((notice) => noticeLines(notice, view)),
      ...facts.filter(({ of }) => of === project).map((fact) => factText(fact, view)),
    ]),
    [...factsAt('summary'), ...(model.summary === undefined ? [] : [model.summary])],
  ]);
}

const NOTICES = ['warnings', 'lifted', 'refusals', 'policies', 'unwritten'] as const;

/** The columns of a log, whose width is not known. */
const LOG_WIDTH = 120;

function tableSections({ columns, rows, narrow }: ReportTable, view: View): string[][] {
  const { palette, width = LOG_WIDTH } = view;
  const widthOf = (phrase: Phrase = ''): number => displayWidth(phraseText(phrase, { palette: PLAIN }));
  const widths = columns.map((column, index) => Math.max(widthOf(column), ...rows.map((row) => widthOf(row[index]))));
  const isWide = widths.reduce((sum, one) => sum + one + 2, 0) > width;
  if (narrow !== undefined && isWide) return narrow.flatMap((group) => groupSections(group, view));
  // Colors have no width.
  const cell = (phrase: Phrase, index: number): string =>
    `${phraseText(phrase, { palette })}${' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(phrase)))}`;
  const line = (cells: readonly Phrase[]): string => `  ${cells.map(cell).join('  ')}`.trimEnd();
  return [[palette.dim(line(columns)), ...rows.map(line)]];
}

/** A reader of a long log looks at its end: grave groups are the end of the first of the others, and warnings follow. */
function gravestLast(groups: readonly ReportGroup[]): ReportGroup[] {
  const grave = groups.flatMap(({ prominence, entries }) => (prominence === 'grave' ? entries : []));
  const others = groups.filter(({ prominence }) => prominence !== 'grave');
  return [...others.filter((group) => !isWarning(group)), ...others.filter(isWarning)].map((group, index) =>
    index === 0 ? { ...group, entries: [...group.entries, ...grave] } : group,
  );
}

function isWarning({ prominence }: { readonly prominence?: Prominence }): boolean {
  return prominence === 'warning' || prominence === 'notice';
}

function titleLines({ title }: ReportModel, view: View): string[] {
  if (title === undefined || title.isCheck === true) return [];
  const { palette } = view;
  const words = phraseText(title.words, view);
  if (title.project === undefined) return [words];
  const { name, host, project_id: id } = title.project;
  const where = host === 'embedded' ? 'embedded service' : `${host}, project ${id}`;
  return [`${words} ${palette.strong(escapeLine(name))} ${palette.dim(`(${escapeLine(where)})`)}`];
}

export function joinSections(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return texts.length === 0 ? '' : `${texts.join('\n\n')}\n`;
}

/** The problem comes before its consequence for the run. */
function failureText({ notices = [], groups = [] }: ReportPage, failure: RunFailure, view: View): string {
  const { palette } = view;
  const problems = joinSections(groups.filter((one) => !isWarning(one)).flatMap((one) => groupSections(one, view)));
  const before = problems === '' ? '' : `${problems}\n`;
  if (failure.isRepeated) return before;
  const lines = [
    ...notices.flatMap((notice) => noticeLines(notice, view)),
    ...groups.filter(isWarning).flatMap((group) => groupSections(group, view).flat()),
    `${palette.error('error')}  ${escapeLine(failure.message)}`,
    ...(failure.remedy === undefined ? [] : [`  ${palette.dim('→')} ${escapeLine(failure.remedy)}`]),
    ...(failure.stack === undefined ? [] : failure.stack.split('\n').map(escapeLine)),
  ];
  return `${before}${lines.join('\n')}\n`;
}

function factText(fact: ReportFact, view: View): string {
  return phraseText(wholeFact(fact), view);
}

function noticeLines(notice: Notice, view: View): string[] {
  const { about, title, statements } = notice;
  if (statements.length === 0) return [];
  const { palette } = view;
  switch (about) {
    case 'refusals':
      return [palette.error(headingOf(title, view)), ...statements.flatMap((one) => ruleLines(one, view))];
    case 'lifted':
    case 'policies':
      return statements.flatMap((one) => [statementLine(one, view), ...partLines(one, 4, view)]);
    case 'warnings':
      return statements.flatMap((one) => [
        statementLine(one, view),
        ...(one.ways ?? []).map((way) => palette.dim(`  → ${wayText(way, view)}`)),
        ...partLines(one, 4, view),
      ]);
    case 'unwritten':
      return statements.flatMap((one) => unwrittenLines(phraseText(one.phrase, view), one.suggestion, view));
    case 'comment':
      return [];
  }
}

function statementLine(statement: Statement, view: View): string {
  const { palette } = view;
  if (statement.level === 'note') return palette.dim(phraseText(statement.phrase, view));
  const { lifted, source } = statement;
  const mark = lifted === undefined ? palette.warning('warning') : palette.dim('lifted');
  const said = lifted === undefined ? '' : ` ${phraseText(lifted, view)}`;
  const rule = source === undefined ? '' : ` ${palette.dim(phraseText(source, view))}`;
  return `${mark}  ${withPlace(statement, view)}${said}${rule}`;
}

/** One way out stands on the line of the rule, several below it. */
function ruleLines(statement: Statement, view: View, indent = 2): string[] {
  const { palette } = view;
  const { ways = [], source } = statement;
  const listed = ways.map((way) => palette.dim(wayText(way, view)));
  const space = ' '.repeat(indent);
  const head = `${space}${withPlace(statement, view)}`;
  return [
    ...(listed.length === 1 ? [`${head} ${listed.join('')}`] : [head, ...listed.map((way) => `${space}  ${way}`)]),
    ...(source === undefined ? [] : [`${space}  ${palette.dim(phraseText(source, view))}`]),
    ...partLines(statement, indent + 4, view),
  ];
}

function partLines({ parts = [] }: Statement, indent: number, view: View): string[] {
  return parts.flatMap((part) => ruleLines(part, view, indent));
}

function wayText({ words, text }: Way, view: View): string {
  return phraseText(text === undefined ? words : [...spansOf(words), ' ', { code: text }], view);
}

function withPlace({ phrase, place }: Statement, view: View): string {
  return `${phraseText(phrase, view)}${place === undefined ? '' : ` ${placeText(place)}`}`;
}

/** One section, or one for each entry. */
export function groupSections(group: ReportGroup, view: View): string[][] {
  const { entries, limit, brief, spacing, title, prominence } = group;
  const { palette } = view;
  if (entries.length === 0) return [];
  if (brief !== undefined) return [[palette.dim(brief)]];
  const isHeaded = prominence !== undefined && prominence !== 'grave';
  const heading = headingOf(title, view);
  const shown = entries.slice(0, limit?.entries);
  const more = shown.length < entries.length ? limit?.more : group.more;
  const subjectOf = (entry: ReportEntry | undefined): string | undefined =>
    entry?.subject === undefined ? undefined : `  ${phraseText(entry.subject, view)}`;
  const blocks = shown.map((entry, index) => {
    const subject = subjectOf(entry);
    const isNew = subject !== undefined && subject !== subjectOf(shown[index - 1]);
    return [...(isNew ? [subject] : []), ...entryLines(entry, group, view)];
  });
  if (spacing === 'always') return [...blocks, ...(more === undefined ? [] : [[more]])];
  const lines = spacing === 'around' ? apart(blocks) : blocks.flat();
  const last = [...(group.hints ?? []), ...(more === undefined ? [] : [more])];
  return [
    [
      ...(isHeaded ? [isWarning(group) ? palette.warning(heading) : heading] : []),
      ...lines,
      ...last.map((text) => palette.dim(`  ${text}`)),
    ],
  ];
}

function headingOf(title: Phrase, view: TextView): string {
  return `${phraseText(title, view)}:`;
}

function apart(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => {
    const previous = blocks[index - 1];
    const isApart = previous !== undefined && (previous.length > 1 || lines.length > 1);
    return isApart ? ['', ...lines] : [...lines];
  });
}

export function entryText(entry: ReportEntry, indent: ReportGroup['indent']): string {
  const lines = shownLines(entry, 'comment', {}).map(
    ({ phrase, indent: own = 0 }) => `${' '.repeat(indent.lines + own)}${plainText(phrase)}`,
  );
  return [plainText(entry.head), ...lines].join('\n');
}

function entryLines(entry: ReportEntry, { indent, prominence }: ReportGroup, view: View): string[] {
  const { palette, width, verbose } = view;
  const { mark } = entry;
  // The sign and the word after it have one color.
  const sign = mark === undefined ? '' : `${palette[mark.tone](`${mark.sign} ${mark.verb}`)} `;
  const lines = [
    `${' '.repeat(indent.head)}${sign}${phraseText(entry.head, view)}`,
    ...shownLines(entry, 'comment', view).map(({ phrase, indent: own = 0, isCut }) => {
      const text = `${' '.repeat(indent.lines + own)}${phraseText(phrase, view)}`;
      return isCut !== true || width === undefined || verbose ? text : cut(text, width);
    }),
    ...(entry.named ?? []).map((name) => `${' '.repeat(indent.lines + 2)}${phraseText(name, view)}`),
  ];
  return prominence === 'aside' ? lines.map(palette.dim) : lines;
}

/** `text`: why. `suggestion`: YAML. */
export function unwrittenLines(text: string, suggestion: string | undefined, { palette, width }: TextView): string[] {
  const lines = suggestion === undefined ? [] : suggestion.split('\n').map(escapeWholeLine);
  const copied = width === undefined ? lines : lines.map(unbroken);
  return [`${palette.error('left')}  ${text}`, ...copied.map((line) => `${' '.repeat(12)}${line}`)];
}

export function phraseText(phrase: Phrase, view: TextView): string {
  return typeof phrase === 'string' ? phrase : writePhrase(phrase, writerOf(view));
}

/** With a width, text that a reader copies is marked for `wrapText`. */
type TextView = Pick<View, 'palette' | 'width'>;

const writers = new WeakMap<Palette, PhraseWriter>();

function writerOf({ palette, width }: TextView): PhraseWriter {
  const known = writers.get(palette) ?? {
    ...PLAIN_WRITER,
    tone: (name, text) => palette[name === 'aside' ? 'dim' : name === 'caution' ? 'warning' : name](text),
  };
  writers.set(palette, known);
  return width === undefined ? known : { ...known, code: (text) => unbroken(escapeLine(text)) };
}
