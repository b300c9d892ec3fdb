/** The text of any report: sections with an empty line between them, the summary last, where a reader of a long log looks. */

import { STEPS } from '../../../references/staleness.ts';
import { CHECK_SECTIONS } from '../../check-result.ts';
import { cut } from '../../columns.ts';
import { escapeLine, escapeWholeLine, placeText } from '../../escape.ts';
import { type ModelledKind, modelOf } from '../../model/model-of.ts';
import {
  type FactKind,
  type GroupKind,
  type Notice,
  type NoticeKind,
  type ReportEntry,
  type ReportFact,
  type ReportGroup,
  type ReportModel,
  type ReportPage,
  type RunFailure,
  shownLines,
  type Statement,
  type Way,
} from '../../model/report-model.ts';
import { type Phrase, type PhraseWriter, PLAIN_WRITER, plainText, wholeFact, writePhrase } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import type { Palette, View } from '../../view.ts';

export async function reportText(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  return modelText(await modelOf(report, view), view);
}

/** Facts below the title. */
const TOP: readonly FactKind[] = ['against', 'origin', 'legend'];
/** Facts above the summary, in the order of the model. */
const LAST: readonly FactKind[] = ['effects', 'impact', 'policies', 'approvals', 'readers', 'cost', 'base'];

/** Facts with a section of their own. */
const APART: ReadonlySet<string> = new Set<FactKind>(['same', 'unattributed', 'unverified', 'waiting', 'note']);

/** The sections between them. What stands below the changes is not among them. */
const SECTIONS: readonly (GroupKind | NoticeKind | FactKind)[] = [
  'runs',
  'unreadable',
  'apart',
  'read',
  'indirect_reads',
  'unclear',
  'not_found',
  'unknown_reads',
  'still_read',
  ...STEPS.map((step) => `stale_${step}` as const),
  'values',
  'diagnostics',
  'cases',
  'changes',
  'due',
  'rollouts',
  'steps',
  'later',
  'pending',
  'kept',
  'same',
  'refused',
  'affected',
  'named',
  'unattributed',
  'remainder',
  'unverified',
  'left',
  'warnings',
  'overridden',
  'refusals',
  'policies',
  'unwritten',
  'waiting',
  'files',
  'released',
  'unmanaged',
  'observed',
  'note',
  ...CHECK_SECTIONS.map((section) => `doctor_${section}` as const),
  'doctor_values',
];

/** Renders any report; `reportText` makes the model too. */
export function modelText(model: ReportModel, view: View): string {
  const page = model.page();
  if (model.failure !== undefined) return failureText(page, model.failure, view);
  const factsOf = (kinds: readonly FactKind[]): string[] =>
    page.facts.filter(({ about, of }) => of === undefined && kinds.includes(about)).map((fact) => factText(fact, view));
  return joinSections([
    [...titleLines(model, view), ...factsOf(TOP)],
    ...SECTIONS.flatMap((about) => [
      page.facts.filter((fact) => fact.about === about && APART.has(about)).map((fact) => factText(fact, view)),
      ...page.notices
        .filter((notice) => notice.about === about && notice.of === undefined)
        .map((one) => noticeLines(one, view)),
      ...joinedGroup(page.groups.filter((group) => group.about === about)).flatMap((group) =>
        groupSections(group, page.facts, view),
      ),
    ]),
    ...sectionsOfProjects(page, view),
    [...factsOf(LAST), ...(model.summary === undefined ? [] : [model.summary])],
  ]);
}

/** Groups about the same are one, whose gravest part is last: a reader of a long log looks at its end. */
function joinedGroup(groups: readonly ReportGroup[]): ReportGroup[] {
  const [first] = groups;
  if (first === undefined) return [];
  const gravity = ({ prominence }: ReportGroup): number => Number(prominence === 'grave');
  const sorted = groups.toSorted((a, b) => gravity(a) - gravity(b));
  return [{ ...first, entries: sorted.flatMap(({ entries }) => entries) }];
}

function titleLines({ title }: ReportModel, { palette }: View): string[] {
  if (title === undefined || title.isCheck === true) return [];
  const words = phraseText(title.words, { palette });
  if (title.project === undefined) return [words];
  const { name, host, project_id: id } = title.project;
  const where = host === 'embedded' ? 'embedded service' : `${host}, project ${id}`;
  return [`${words} ${palette.strong(escapeLine(name))} ${palette.dim(`(${escapeLine(where)})`)}`];
}

/** Joins the sections that have lines with one empty line between them. */
export function joinSections(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return texts.length === 0 ? '' : `${texts.join('\n\n')}\n`;
}

/** The facts and notices of each project of a check. */
function sectionsOfProjects({ facts, notices }: ReportPage, view: View): string[][] {
  const projects = [...new Set([...notices, ...facts].flatMap(({ of }) => of ?? []))];
  return projects.map((project) => [
    ...notices.filter(({ of }) => of === project).flatMap((notice) => noticeLines(notice, view)),
    ...facts.filter(({ of }) => of === project).map((fact) => factText(fact, view)),
  ]);
}

/** The problem comes before its consequence for the run. */
function failureText(page: ReportPage, failure: RunFailure, view: View): string {
  const { palette } = view;
  const groups = page.groups.map((group) => ({ about: group.about, sections: groupSections(group, page.facts, view) }));
  const sectionsOf = (isWanted: boolean): string[][] =>
    groups.filter(({ about }) => (about === 'diagnostics') === isWanted).flatMap(({ sections }) => sections);
  const problems = joinSections(sectionsOf(true));
  const before = problems === '' ? '' : `${problems}\n`;
  if (failure.isRepeated) return before;
  const remedy = failure.remedy === undefined ? [] : [`  ${palette.dim('→')} ${escapeLine(failure.remedy)}`];
  const lines = [
    ...page.notices.flatMap((notice) => noticeLines(notice, view)),
    ...sectionsOf(false).flat(),
    `${palette.error('error')}  ${escapeLine(failure.message)}`,
    ...remedy,
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
    case 'overridden':
      return [palette.warning(headingOf(title, view)), ...statements.map((one) => `  ${phraseText(one.phrase, view)}`)];
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
    case 'not_accepted':
    case 'approvals':
    case 'authors':
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

function wayText(way: Way, view: View): string {
  return 'text' in way ? `${way.words} ${escapeLine(way.text)}` : phraseText(way.words, view);
}

function withPlace({ phrase, place }: Statement, view: View): string {
  return `${phraseText(phrase, view)}${place === undefined ? '' : ` ${placeText(place)}`}`;
}

/** One section, or one for each entry. */
export function groupSections(group: ReportGroup, facts: readonly ReportFact[], view: View): string[][] {
  const { entries, limit, brief, spacing, title, prominence } = group;
  const { palette } = view;
  // A sentence about all of them is their heading.
  const lead = facts
    .filter(({ about }) => about === group.about && about === 'named')
    .map(({ phrase }) => phraseText(phrase, view));
  if (entries.length === 0) return [lead];
  if (brief !== undefined) return [[palette.dim(brief)]];
  const isHeaded = prominence !== undefined && prominence !== 'grave';
  const isWarning = prominence === 'warning' || prominence === 'notice';
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
      ...lead,
      ...(isHeaded ? [isWarning ? palette.warning(heading) : heading] : []),
      ...lines,
      ...last.map((text) => palette.dim(`  ${text}`)),
    ],
  ];
}

/** A heading of text ends with a colon. */
function headingOf(title: Phrase, view: Pick<View, 'palette'>): string {
  return `${phraseText(title, view)}:`;
}

/** Puts an empty line around each block of several lines. */
function apart(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => {
    const previous = blocks[index - 1];
    const isApart = previous !== undefined && (previous.length > 1 || lines.length > 1);
    return isApart ? ['', ...lines] : [...lines];
  });
}

/** An entry alone, without colours. */
export function entryText(entry: ReportEntry, indent: ReportGroup['indent']): string {
  const lines = shownLines(entry, 'comment', {}).map(
    ({ phrase, indent: own = 0 }) => `${' '.repeat(indent.lines + own)}${plainText(phrase)}`,
  );
  return [plainText(entry.head), ...lines].join('\n');
}

function entryLines(entry: ReportEntry, { indent, prominence }: ReportGroup, view: View): string[] {
  const { palette, width, verbose } = view;
  const { mark } = entry;
  // The sign and the word after it have one colour.
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
export function unwrittenLines(
  text: string,
  suggestion: string | undefined,
  { palette }: Pick<View, 'palette'>,
): string[] {
  const lines = suggestion === undefined ? [] : suggestion.split('\n');
  return [`${palette.error('left')}  ${text}`, ...lines.map((line) => `${' '.repeat(12)}${escapeWholeLine(line)}`)];
}

export function phraseText(phrase: Phrase, { palette }: Pick<View, 'palette'>): string {
  return typeof phrase === 'string' ? phrase : writePhrase(phrase, writerOf(palette));
}

const writers = new WeakMap<Palette, PhraseWriter>();

function writerOf(palette: Palette): PhraseWriter {
  const known = writers.get(palette);
  if (known !== undefined) return known;
  const tone: PhraseWriter['tone'] = (name, text) =>
    palette[name === 'aside' ? 'dim' : name === 'caution' ? 'warning' : name](text);
  const writer = { ...PLAIN_WRITER, tone };
  writers.set(palette, writer);
  return writer;
}
