/** The Markdown of any report: what needs attention comes first, then the groups, the gravest first. */

import { placeText } from '../../escape.ts';
import { modelOf, type ModelledKind } from '../../model/model-of.ts';
import { wholeFact, writePhrase, type Phrase } from '../../model/phrase.ts';
import {
  type FactKind,
  type ReportFact,
  type Notice,
  type NoticeKind,
  type ReportPage,
  type ReportModel,
  type Statement,
} from '../../model/report-model.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { blocksOf } from './blocks.ts';
import { assemble, type DocumentHead, type NoticeLine } from './document.ts';
import { codeSpan, shortSpan, whereText } from './markup.ts';
import { verdictOf } from '../../model/verdict.ts';
import { defined } from '../../../base/optional.ts';

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

/** Where the run does something else than what its summary says. */
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
