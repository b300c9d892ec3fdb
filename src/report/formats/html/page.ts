/** The page of any report: a head, notices, and groups of cards that can be filtered. */

import { createHash } from 'node:crypto';
import type { ProjectIdentity } from '../../../engine/project.ts';
import { escapeLine, placeText } from '../../escape.ts';
import { modelOf, type ModelledKind } from '../../model/model-of.ts';
import { plainText, spansOf, type Phrase } from '../../phrase.ts';
import type {
  ReportFact,
  FactKind,
  RunFailure,
  ReportGroup,
  Notice,
  NoticeKind,
  ReportPage,
  ReportModel,
  Statement,
  Way,
} from '../../model/report-model.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { verdictOf } from '../../model/verdict.ts';
import { code, filterLines, groupLines, unpainted, element, escapeHtml, span } from './cards.ts';
import { STYLE } from './style.ts';

export async function reportPage(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  const model = await modelOf(report, view);
  const page = model.page();
  const title = titleOf(model);
  const groups = page.groups.filter(({ isNotice }) => isNotice !== true).flatMap(dividedGroups);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(STYLE)}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    element('title', '', escapeHtml(plainText(title))),
    element('style', '', STYLE),
    '</head>',
    '<body>',
    '<main>',
    '<header>',
    ...verdictLines(model),
    element('h1', '', unpainted(title)),
    ...whereOf(model.title?.project),
    ...summaryOf(model),
    ...factLines(page, model.failure),
    '</header>',
    ...noticesOf(page).flatMap(noticeLines),
    ...filterLines(groups),
    ...groups.flatMap((group) => groupLines(group, view)),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function titleOf({ title }: ReportModel): Phrase {
  if (title === undefined) return '';
  const { words, project } = title;
  return project === undefined ? words : [...spansOf(words), ' ', { code: project.name }];
}

/** Forbids loading and scripts: only this style is used. */
function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function whereOf(project: ProjectIdentity | undefined): string[] {
  if (project === undefined) return [];
  const { host, project_id: id } = project;
  const where = host === 'embedded' ? 'On the embedded service' : `On ${escapeLine(host)}, project ${escapeLine(id)}`;
  return [element('p', 'class="where"', escapeHtml(where))];
}

function verdictLines(model: ReportModel): string[] {
  const verdict = verdictOf(model);
  if (verdict === undefined) return [];
  const sign = verdict.sign === '' ? '' : `${element('span', 'class="sign"', escapeHtml(verdict.sign))} `;
  const standing = verdict.standing === undefined ? '' : ` ${verdict.standing}`;
  return [element('p', `class="verdict${standing}"`, `${sign}${unpainted(verdict.phrase)}`)];
}

/** The summary, unless it is the verdict. */
function summaryOf(model: ReportModel): string[] {
  const { summary, failure } = model;
  if (summary === undefined || failure !== undefined || verdictOf(model)?.phrase === summary) return [];
  return [element('p', 'class="summary"', escapeHtml(summary))];
}

/** Facts of the same rank are in the order of the model. */
const RANKS: Partial<Record<FactKind, number>> = {
  against: 0,
  effects: 1,
  policies: 2,
  named: 3,
  impact: 4,
  approvals: 5,
  base: 5,
  recorded: 5,
  unverified: 5,
  cost: 6,
  legend: 7,
  unattributed: 8,
};

function factLines({ facts }: ReportPage, failure: RunFailure | undefined): string[] {
  const remedy = failure?.isRepeated === false ? failure.remedy : undefined;
  const listed = facts
    .filter(({ about }) => RANKS[about] !== undefined)
    .toSorted((a, b) => (RANKS[a.about] ?? 0) - (RANKS[b.about] ?? 0));
  const rows = [
    ...(remedy === undefined ? [] : [factRow('Remedy', escapeHtml(escapeLine(remedy)))]),
    ...listed.map((fact) => factRow(labelOf(fact), unpainted(fact.phrase))),
  ];
  return rows.length === 0 ? [] : ['<table class="facts">', '<tbody>', ...rows, '</tbody>', '</table>'];
}

function factRow(label: string, html: string): string {
  return `<tr><th scope="row">${escapeHtml(label)}</th><td>${html}</td></tr>`;
}

/** What a fact without a label of its own is about. */
const LABELS: Partial<Record<FactKind, string>> = {
  against: 'Snapshot',
  named: 'Named people',
  impact: 'Impact',
  approvals: 'Approvals',
  base: 'Base',
  recorded: 'Journal',
  unverified: 'Verification',
  cost: 'Cost',
  legend: 'Reading',
  unattributed: 'Authors',
};

function labelOf({ about, label = LABELS[about] ?? about, of }: ReportFact): string {
  return of === undefined ? label : `${label}, ${escapeLine(of)}`;
}

interface PageNotice {
  readonly title: Phrase;
  readonly tone: 'bad' | 'warn';
  readonly statements: readonly Statement[];
}

/** The notices above the groups; authors and approvals are below the changes. */
const ORDER: readonly NoticeKind[] = ['refusals', 'overridden', 'policies', 'unwritten', 'not_accepted', 'warnings'];

/** Notices of several projects keep the order of the model. */
function noticesOf({ notices, groups }: ReportPage): PageNotice[] {
  const shown = notices.filter(({ about }) => ORDER.includes(about));
  const listed = shown.toSorted((a, b) => (a.of === undefined ? ORDER.indexOf(a.about) - ORDER.indexOf(b.about) : 0));
  return [...listed.map(toNotice), ...groups.filter(({ isNotice }) => isNotice === true).map(noticeOfGroup)];
}

function toNotice({ about, title, listTitle = title, statements }: Notice): PageNotice {
  return { title: listTitle, tone: about === 'refusals' ? 'bad' : 'warn', statements };
}

function noticeOfGroup({ title, entries }: ReportGroup): PageNotice {
  return { title, tone: 'warn', statements: entries.map(({ head }) => ({ phrase: head })) };
}

function noticeLines({ title, tone, statements }: PageNotice): string[] {
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
  return [`<ul${isOfNames ? ' class="names"' : ''}>`, ...statements.flatMap(statementItem), '</ul>'];
}

function statementItem(statement: Statement): string[] {
  const { parts = [] } = statement;
  if (parts.length === 0) return [element('li', '', statementText(statement))];
  return [`<li>${statementText(statement)}`, ...statementList(parts), '</li>'];
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

function wayHtml(way: Way): string {
  return 'text' in way
    ? `${escapeHtml(way.words)} ${element('code', 'class="command"', escapeHtml(escapeLine(way.text)))}.`
    : unpainted(way.words);
}

/** A group for each of its sorts that have a title on pages. */
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
