/** The page of any report: a head, notices, and groups of cards that can be filtered. */

import { createHash } from 'node:crypto';
import type { ProjectIdentity } from '../../../engine/project.ts';
import { escapeLine, placeText } from '../../escape.ts';
import { modelOf, type ModelledKind } from '../../model/model-of.ts';
import { plainText, type Phrase, spansOf } from '../../model/phrase.ts';
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
} from '../../model/report-model.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { groupLines, filterLines } from './cards.ts';
import { element, escapeHtml, painted, span, unpainted } from './markup.ts';
import { STYLE } from './style.ts';

export async function reportPage(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  const model = await modelOf(report, view);
  const page = model.page();
  const title = titleText(model);
  const groups = page.groups.filter(({ isNotice }) => isNotice !== true).flatMap(dividedGroups);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(STYLE)}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    element('title', '', title),
    element('style', '', STYLE),
    '</head>',
    '<body>',
    '<main>',
    '<header>',
    element('h1', '', title),
    ...whereOf(model.title?.project),
    ...summaryOf(model),
    ...factsOf(page, model.failure).map((fact) => element('p', '', fact)),
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

function titleText({ title }: ReportModel): string {
  if (title === undefined) return '';
  const project = title.project === undefined ? '' : ` ${escapeHtml(escapeLine(title.project.name))}`;
  return `${unpainted(title.words)}${project}`;
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

function summaryOf({ summary, failure }: ReportModel): string[] {
  const text = failure === undefined ? summary : failureText(failure);
  return text === undefined ? [] : [element('p', 'class="summary"', escapeHtml(text))];
}

function failureText({ code, message, isRepeated }: RunFailure): string {
  return isRepeated ? code : `${escapeLine(message)} (${code})`;
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

function factsOf({ facts }: ReportPage, failure: RunFailure | undefined): string[] {
  const remedy = failure?.isRepeated === false ? failure.remedy : undefined;
  const listed = facts
    .filter(({ about }) => RANKS[about] !== undefined)
    .toSorted((a, b) => (RANKS[a.about] ?? 0) - (RANKS[b.about] ?? 0));
  return [...listed.map(factText), ...(remedy === undefined ? [] : [escapeHtml(escapeLine(remedy))])];
}

function factText({ phrase, of }: ReportFact): string {
  return painted(of === undefined ? phrase : [`${escapeLine(of)}: `, ...spansOf(phrase)]);
}

interface PageNotice {
  readonly title: Phrase;
  readonly tone: 'bad' | 'warn';
  readonly sentences: readonly string[];
}

/** The notices above the groups; authors and approvals are below the changes. */
const ORDER: readonly NoticeKind[] = ['refusals', 'overridden', 'policies', 'unwritten', 'not_accepted', 'warnings'];

/** Notices of several projects keep the order of the model. */
function noticesOf({ notices, groups }: ReportPage): PageNotice[] {
  const shown = notices.filter(({ about }) => ORDER.includes(about));
  const listed = shown.toSorted((a, b) => (a.of === undefined ? ORDER.indexOf(a.about) - ORDER.indexOf(b.about) : 0));
  return [...listed.map(toNotice), ...groups.filter(({ isNotice }) => isNotice === true).map(noticeOfGroup)];
}

function toNotice({ about, title, statements }: Notice): PageNotice {
  return { title, tone: about === 'refusals' ? 'bad' : 'warn', sentences: statements.map(statementText) };
}

function noticeOfGroup({ title, entries }: ReportGroup): PageNotice {
  return { title, tone: 'warn', sentences: entries.map(({ head }) => unpainted(head)) };
}

function statementText({ phrase, place, lifted, ways = [], source }: Statement): string {
  const where = place === undefined ? '' : ` ${span('dim', escapeHtml(placeText(place)))}`;
  return [
    `${unpainted(phrase)}${where}`,
    ...(lifted === undefined ? [] : [unpainted(lifted)]),
    ...ways.map((way) => ('text' in way ? escapeHtml(`${way.words} ${escapeLine(way.text)}.`) : unpainted(way.words))),
    ...(source === undefined ? [] : [unpainted(source)]),
  ].join(' ');
}

function noticeLines({ title, tone, sentences }: PageNotice): string[] {
  if (sentences.length === 0) return [];
  const items = sentences.map((sentence) => element('li', '', sentence));
  return [
    `<section class="notice ${tone}">`,
    element('h2', '', escapeHtml(plainText(title))),
    '<ul>',
    ...items,
    '</ul>',
    '</section>',
  ];
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
