/** The text of any report: sections with an empty line between them, the summary last, where a reader of a long log looks. */

import type { ProjectIdentity } from '../../../engine/project.ts';
import { STEPS } from '../../../references/staleness.ts';
import { CHECK_SECTIONS } from '../../check-result.ts';
import { escapeLine, placeText } from '../../escape.ts';
import { modelOf, type ModelledKind } from '../../model/model-of.ts';
import { wholeFact } from '../../phrase.ts';
import type {
  ReportFact,
  FactKind,
  RunFailure,
  GroupKind,
  Notice,
  NoticeKind,
  ReportPage,
  ReportModel,
  Statement,
  Way,
  ReportGroup,
} from '../../model/report-model.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { groupSections, headingOf } from './group.ts';
import { phraseText } from './phrase-text.ts';
import { unwrittenLines } from './unwritten.ts';

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
  const sorted = groups.toSorted((a, b) => Number(a.isGrave === true) - Number(b.isGrave === true));
  return [{ ...first, entries: sorted.flatMap(({ entries }) => entries) }];
}

function titleLines({ title }: ReportModel, { palette }: View): string[] {
  if (title === undefined || title.isCheck === true) return [];
  const words = phraseText(title.words, { palette });
  return title.project === undefined ? [words] : [`${words} ${projectText(title.project, { palette })}`];
}

function projectText({ name, host, project_id: id }: ProjectIdentity, { palette }: Pick<View, 'palette'>): string {
  const where = host === 'embedded' ? 'embedded service' : `${host}, project ${id}`;
  return `${palette.strong(escapeLine(name))} ${palette.dim(`(${escapeLine(where)})`)}`;
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
