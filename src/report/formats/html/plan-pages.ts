/** The pages of plans: what an apply or an undo would change, and what drifted. */

import { defined } from '../../../base/optional.ts';
import type { Change } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { againstText } from '../../words/against.ts';
import { approvalsSummary } from '../../words/approvals.ts';
import { changedAnswersSummary, NAMED_TITLE } from '../../words/changed-answers.ts';
import { forecastText } from '../../words/forecast.ts';
import { impactReadTexts } from '../../words/impact.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { approvalLines } from '../text/approvals.ts';
import { authorLines, refusalLines } from '../text/authors.ts';
import { changedAnswerLines } from '../text/changed-answers.ts';
import { changeLines, INDENT } from '../text/change.ts';
import {
  dividedDrift,
  driftLines,
  driftSummary,
  IGNORED_HEADING,
  ignoredIn,
  legend,
  NO_EFFECTS,
  PENDING_TITLE,
  warnedByDrift,
} from '../text/drift.ts';
import {
  classesByRef,
  DRIFT_EFFECTS,
  effectLines,
  effectsByRef,
  effectsSummary,
  riskRank,
  type EffectsByRef,
} from '../text/effects.ts';
import { summaryOf } from '../text/findings.ts';
import { ALSO_AFFECTED, alsoAffected, impactLines } from '../text/impact.ts';
import { planSummary, unmanagedLines } from '../text/plan.ts';
import { baseLines, LEFT_HEADING } from '../text/three-way.ts';
import { undoneLines, undoSummary } from '../text/undo.ts';
import { MARKING } from './markup.ts';
import { pageText, type Card, type Group } from './page.ts';
import {
  findingNotice,
  leftGroup,
  observedGroup,
  ofPage,
  refusalNotices,
  refusedGroup,
  releasedGroup,
  toCard,
  toList,
  warningNotice,
  withoutColon,
} from './parts.ts';

export function planPage(report: ReportOf<'plan'>, view: View): string {
  const { plan, judgement, attributions, impact, named, requests, against } = report;
  const effects = effectsByRef(plan);
  const authors = { plan, attributions };
  const linesOf = (change: Change): string[] => [
    ...changeLines(change, { ...ofPage(view), places: true, notes: PLAN_NOTES }),
    ...[
      ...effectLines(change, effects, MARKING),
      ...impactLines(change, effects, impact),
      ...authorLines(change, authors, MARKING),
      ...approvalLines(change, requests, MARKING),
    ].map((line) => INDENT + line),
  ];
  return pageText({
    words: 'Plan for',
    project: plan.project,
    summary: planSummary(plan),
    facts: [
      ...(against === undefined ? [] : [againstText(against)]),
      ...effectsSummary(effects),
      ...summaryOf(judgement),
      ...(named === undefined ? [] : [changedAnswersSummary(named)]),
      ...impactReadTexts(impact),
      ...approvalsSummary(requests),
      ...baseLines(plan, 'left'),
      ...costOf(report),
      ...refusalLines(authors, MARKING),
    ],
    notices: [
      ...refusalNotices(plan, judgement?.findings),
      ...(judgement === undefined ? [] : [findingNotice(judgement)]),
      warningNotice(plan, view),
    ],
    groups: [
      { title: 'Changes', cards: cardsOf(plan.changes, effects, linesOf) },
      { title: withoutColon(ALSO_AFFECTED), cards: alsoAffected(effects, impact).map((lines) => toCard(lines)) },
      namedGroup(named, view),
      leftGroup(plan, withoutColon(LEFT_HEADING), { ...view, authors }),
      releasedGroup(plan, view),
      observedGroup(plan, view),
      view.verbose ? unmanagedGroup(plan, view) : NOTHING,
    ],
  });
}

export function undoPage(report: ReportOf<'undo'>, view: View): string {
  const { run, plan, refused } = report;
  const effects = effectsByRef(plan);
  return pageText({
    words: `Undo of run ${escapeLine(run)} in`,
    project: plan.project,
    summary: undoSummary(plan, refused),
    facts: [...effectsSummary(effects), ...costOf(report)],
    notices: [...refusalNotices(plan), warningNotice(plan, view)],
    groups: [
      refusedGroup(refused, view),
      {
        title: 'Changes',
        cards: cardsOf(plan.changes, effects, (change) => undoneLines(change, effects, ofPage(view))),
      },
    ],
  });
}

export function driftPage(report: ReportOf<'drift'>, view: View): string {
  const { plan, counting, attributions, requests } = report;
  const { drifted, pending, effects } = dividedDrift(report);
  const authors = defined({ plan, attributions });
  const cardsWith = (changes: readonly Change[], shown: EffectsByRef): Card[] =>
    cardsOf(changes, shown, (change) => driftLines(change, ofPage(view), { authors, effects: shown, requests }));
  return pageText({
    words: 'Drift of',
    project: plan.project,
    summary: driftSummary(plan, counting),
    facts: [
      ...effectsSummary(effects, DRIFT_EFFECTS),
      ...baseLines(plan, 'ignored'),
      ...approvalsSummary(requests),
      ...legend(plan, MARKING),
      ...refusalLines(authors, MARKING),
    ],
    notices: [warningNotice(warnedByDrift(plan), view)],
    groups: [
      { title: 'Differences', cards: cardsWith(drifted, effects) },
      { title: PENDING_TITLE, cards: cardsWith(pending, NO_EFFECTS) },
      leftGroup(ignoredIn(plan), withoutColon(IGNORED_HEADING), view),
      releasedGroup(plan, view),
      observedGroup(plan, view),
      unmanagedGroup(plan, view),
    ],
  });
}

const NOTHING: Group = { title: '', items: [] };

function costOf({ plan, forecast }: ReportOf<'plan' | 'undo'>): string[] {
  return forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
}

/** The riskiest first. */
function cardsOf(
  changes: readonly Change[],
  effects: EffectsByRef,
  linesOf: (change: Change) => readonly string[],
): Card[] {
  const classes = classesByRef(effects);
  return changes
    .map((change) => toCard(linesOf(change), classes.get(change.ref)))
    .toSorted((a, b) => riskRank(a.kinds) - riskRank(b.kinds));
}

function namedGroup(named: ReportOf<'plan'>['named'], view: View): Group {
  const [, ...lines] = changedAnswerLines(named, { ...ofPage(view), verbose: true });
  return { ...toList([NAMED_TITLE, ...lines]), ...defined({ amount: named?.total }) };
}

function unmanagedGroup(plan: ReportOf<'plan'>['plan'], view: View): Group {
  return toList(unmanagedLines(plan, { ...ofPage(view), verbose: true }));
}
