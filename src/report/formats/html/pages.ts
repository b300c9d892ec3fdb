/** Each report as a page, from the same lines as its text. */

import { defined } from '../../../base/optional.ts';
import type { Diagnostic } from '../../../base/diagnostic.ts';
import type { ChangedAnswers } from '../../../expectations/changed-answers.ts';
import { isRefusal, type Judgement } from '../../../policy/finding.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { againstText } from '../../words/against.ts';
import { changedAnswersSummary, NAMED_TITLE } from '../../words/changed-answers.ts';
import { findingText, liftedText, remedyText } from '../../words/findings.ts';
import { forecastText } from '../../words/forecast.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { tell } from '../remarks/remarks-of.ts';
import { wholeText, type Remark } from '../remarks/remark.ts';
import { authorLines } from '../text/authors.ts';
import { changedAnswerLines } from '../text/changed-answers.ts';
import { changeLines, INDENT } from '../text/change.ts';
import { diagnosticBlock } from '../text/diagnostics.ts';
import { driftLines, isOfState, legend } from '../text/drift.ts';
import { classesByRef, effectLines, effectsByRef, effectsSummary, riskRank } from '../text/effects.ts';
import { resultBlocks } from '../text/outcomes.ts';
import { warningSentences } from '../text/plan.ts';
import { remainderLines } from '../text/result.ts';
import { alsoAffected, impactLines } from '../text/impact.ts';
import { impactReadTexts } from '../../words/impact.ts';
import { baseLines, leftLines } from '../text/three-way.ts';
import { MARKING } from './markup.ts';
import { pageText, type Card, type Group, type Notice } from './page.ts';

export function planPage(report: ReportOf<'plan'>, view: View): string {
  const { plan, forecast, judgement, attributions, impact, named, against } = report;
  const effects = effectsByRef(plan);
  const cost = forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
  const classes = classesByRef(effects);
  const cards = plan.changes.map((change): Card => {
    const lines = changeLines(change, { ...view, palette: MARKING, places: true, notes: PLAN_NOTES });
    const told = [
      ...effectLines(change, effects, MARKING),
      ...impactLines(change, effects, impact),
      ...authorLines(change, { plan, attributions }, MARKING),
    ];
    return toCard([...lines, ...told.map((line) => INDENT + line)], classes.get(change.ref) ?? []);
  });
  return pageText({
    words: 'Plan for',
    project: plan.project,
    summary: summaryOf(report),
    facts: [
      ...(against === undefined ? [] : [againstText(against)]),
      ...effectsSummary(effects),
      ...(named === undefined ? [] : [changedAnswersSummary(named)]),
      ...impactReadTexts(impact),
      ...baseLines(plan, 'left'),
      ...cost,
    ],
    notices: [refusals(report), ...findingNotices(judgement), warnings(plan, view)],
    groups: [
      { title: 'Changes', cards: cards.toSorted(byRisk) },
      { title: 'Also affected', cards: alsoAffected(effects, impact).map((lines) => toCard(lines, [])) },
      namedGroup(named, view),
      leftGroup(plan, 'Left as in the service', view),
    ],
  });
}

function namedGroup(named: ChangedAnswers | undefined, view: View): Group {
  const [, ...lines] = changedAnswerLines(named, { ...view, palette: MARKING });
  return { title: NAMED_TITLE, cards: lines.map((head) => ({ head, kinds: [], lines: [] })) };
}

export function driftPage(report: ReportOf<'drift'>, view: View): string {
  const { plan, attributions } = report;
  const cards = plan.changes.map((change) =>
    toCard(driftLines(change, { ...view, palette: MARKING }, defined({ plan, attributions })), []),
  );
  const unmanaged = plan.unmanaged.map((key): Card => ({ head: escapeLine(key), kinds: [], lines: [] }));
  return pageText({
    words: 'Drift of',
    project: plan.project,
    summary: summaryOf(report),
    facts: legend(plan, MARKING),
    notices: [warnings({ ...plan, warnings: plan.warnings.filter(isOfState) }, view)],
    groups: [
      { title: 'Differences', cards },
      leftGroup(plan, 'Ignored', view),
      { title: 'Unmanaged (in no manifest)', cards: unmanaged },
    ],
  });
}

export function resultPage(report: ReportOf<'result'>, view: View): string {
  const { result, run } = report;
  const blocks = (isApplied: boolean): Card[] =>
    resultBlocks(
      result.changes.filter((change) => (change.result.outcome === 'applied') === isApplied),
      { ...view, palette: MARKING },
    ).map((lines) => toCard(lines, []));
  const [title = '', ...sentences] = remainderLines(result, MARKING);
  const rest = sentences.length === 0 ? [] : sentences.map((line) => line.trim());
  return pageText({
    words: 'Applied to',
    project: result.project,
    summary: summaryOf(report),
    facts: [
      ...(run === undefined ? [] : [`Recorded as run ${escapeLine(run)}.`]),
      ...(rest.length === 0 ? [title] : []),
    ],
    notices: [{ title, tone: 'warn', sentences: rest }],
    groups: [
      { title: 'Not applied', cards: blocks(false) },
      { title: 'Applied', cards: blocks(true) },
      leftGroup(result, 'Left as in the service', view),
    ],
  });
}

export function nothingPage(report: ReportOf<'nothing'>): string {
  const { project } = report;
  return pageText({
    words: 'Nothing to do in',
    project,
    summary: summaryOf(report),
    facts: [],
    notices: [],
    groups: [],
  });
}

export function validationPage(report: ReportOf<'validation'>, view: View): string {
  const cards = (severity: Diagnostic['severity']): Card[] =>
    report.diagnostics
      .filter((diagnostic) => diagnostic.severity === severity)
      .map((diagnostic) => {
        const [head = '', ...lines] = diagnosticBlock(diagnostic, { ...view, palette: MARKING });
        return { head, kinds: [severity === 'error' ? 'error' : 'problem-warning'], lines };
      });
  return pageText({
    words: 'Validation',
    summary: summaryOf(report),
    facts: [],
    notices: (report.policies ?? []).flatMap(({ judgement }) => findingNotices(judgement)),
    groups: [
      { title: 'Errors', cards: cards('error') },
      { title: 'Warnings', cards: cards('warning') },
    ],
  });
}

export function failurePage(report: ReportOf<'failure'>): string {
  const { error, project } = report;
  const sentences = tell(report).remarks.map(wholeText);
  const remedy = error.remedy === undefined ? [] : [escapeLine(error.remedy)];
  return pageText({
    words: project === undefined ? 'The run failed' : 'The run failed for',
    ...defined({ project }),
    summary: `${escapeLine(error.message)} (${error.code})`,
    facts: remedy,
    notices: [{ title: 'Why', tone: 'bad', sentences }],
    groups: [],
  });
}

function summaryOf(report: ReportOf<'plan' | 'drift' | 'result' | 'nothing' | 'validation'>): string {
  return tell(report).summary ?? '';
}

function refusals(report: ReportOf<'plan'>): Notice {
  const isHazard = ({ family }: Remark): boolean => family === 'hazard';
  return {
    title: 'Apply would refuse this plan (exit code 4)',
    tone: 'bad',
    sentences: tell(report).remarks.filter(isHazard).map(wholeText),
  };
}

function findingNotices(judgement: Judgement | undefined): Notice[] {
  const { findings = [] } = judgement ?? {};
  const sentences = (refusing: boolean): string[] =>
    findings
      .filter((finding) => isRefusal(finding) === refusing)
      .map((finding) => [findingText(finding), liftedText(finding) ?? (refusing ? remedyText(finding) : '')].join(' '));
  return [
    { title: 'Policies refuse this (exit code 4)', tone: 'bad', sentences: sentences(true) },
    { title: 'Policies', tone: 'warn', sentences: sentences(false) },
  ];
}

function warnings(plan: Pick<Plan, 'warnings' | 'base' | 'changes'>, view: View): Notice {
  return { title: 'Warnings', tone: 'warn', sentences: warningSentences(plan, view) };
}

function leftGroup({ left = [] }: Pick<Plan, 'left'>, title: string, view: View): Group {
  const cards = left.map((one) => toCard(leftLines([one], '', { ...view, palette: MARKING }).slice(1), []));
  return { title, cards };
}

/** The head of a block is indented by two, its other lines by more. */
function toCard([head = '', ...lines]: readonly string[], kinds: readonly string[]): Card {
  const indent = Math.min(INDENT.length, ...lines.map((line) => line.length - line.trimStart().length));
  return { head: head.trimStart(), kinds, lines: lines.map((line) => line.slice(indent)) };
}

function byRisk(a: Card, b: Card): number {
  return riskRank(a.kinds) - riskRank(b.kinds);
}
