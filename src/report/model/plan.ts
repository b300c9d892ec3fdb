/** The models of a plan, and of the plan of an undo. */

import type { Readers } from '../../references/losses.ts';
import { readLossText, unsearchedText } from '../words/readers.ts';
import { undoSummary, planSummary } from '../words/summaries.ts';
import {
  affectedGroup,
  changeEntry,
  effectFacts,
  effectLines,
  effectsByRef,
  type EffectsByRef,
  impactLines,
  impactReadFacts,
  LIST,
} from './change.ts';
import type {
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportModel,
  ReportPage,
  RunStanding,
} from './report-model.ts';
import { warningNotice, againstFact, timeFact, policyFacts, policyNotice, refusalNotices } from './rules.ts';
import { undoRemarks, planRemarks } from './remarks/plan.ts';
import type { ChangedAnswers } from '../../expectations/changed-answers.ts';
import type { Forecast } from '../../engine/forecast.ts';
import { findLeftOut } from '../../posthog/planning/unplanned.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { dueByPlan, isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import { isDecision } from '../../posthog/rollouts/rollouts.ts';
import type { ReportOf } from '../report.ts';
import { DUE_BY_ROLLOUT, DUE_TITLE } from '../words/rollouts.ts';
import { changedAnswersSummary, changedAnswerText } from '../words/answers.ts';
import { forecastText } from '../words/times.ts';
import { PLAN_NOTES } from '../words/three-way.ts';
import {
  approvalNotice,
  authorNotice,
  authorLines,
  type Authors,
  approvalLines,
  approvalFacts,
  unattributedFacts,
  authoredLeft,
} from './authors.ts';
import { defined, ifGiven } from '../../base/optional.ts';
import { toned } from '../phrase.ts';
import { laterGroup, rolloutsGroup, stepsGroup } from './rollouts.ts';
import { LEFT, leftGroup, observedGroup, releasedGroup, unmanagedGroup, baseFacts, observedFact } from './three-way.ts';
import { withLines, changesGroup, toAction, refusedGroup } from './change-groups.ts';

export function planModel(report: ReportOf<'plan'>, verbose: boolean): ReportModel {
  const { plan } = report;
  return {
    command: 'plan',
    title: { words: 'Plan for', project: plan.project },
    summary: planSummary(plan),
    standing: standingOf(plan),
    page: () => planPage(report, verbose),
    remarks: () => planRemarks(report),
  };
}

/** A plan that is refused says so itself. */
function standingOf(plan: Plan): RunStanding {
  if (isDecision(plan) || plan.left !== undefined) return 'open';
  return findLeftOut(plan.warnings).length > 0 ? 'warning' : 'good';
}

function planPage(report: ReportOf<'plan'>, verbose: boolean): ReportPage {
  const { plan, forecast, attributions, judgement, impact, named, requests, readers, steps, soon } = report;
  const effects = effectsByRef(plan);
  const authors = attributions && { plan, attributions };
  const toEntry = entryMaker(report, { effects, authors, verbose });
  return {
    facts: [
      ...ifGiven(report.at, timeFact),
      ...ifGiven(report.against, againstFact),
      ...effectFacts(effects),
      ...ifGiven(impact, impactReadFacts),
      ...ifGiven(judgement, policyFacts),
      ...ifGiven(requests, approvalFacts),
      ...ifGiven(readers, readerFacts),
      ...ifGiven(forecast, (cost) => costFacts(plan, cost)),
      ...baseFacts(plan, 'left'),
      ...ifGiven(named, namedFact),
      ...ifGiven(plan.observed, observedFact),
      ...ifGiven(authors, unattributedFacts),
    ],
    notices: [
      ...refusalNotices(plan, judgement?.findings),
      ...ifGiven(judgement, (found) => policyNotice(found)),
      warningNotice(plan, verbose, report.scheduled),
      ...ifGiven(requests, approvalNotice),
      ...ifGiven(authors, (known) => authorNotice([...plan.changes, ...authoredLeft(plan)], known)),
    ],
    groups: [
      ...changeGroups({ plan, effects, toEntry, word: toAction }),
      ...ifGiven(plan.rollouts ?? soon, () => rolloutsGroup(plan, requests, { soon, isMade: true })),
      ...ifGiven(steps, (ahead) => stepsGroup(ahead, report)),
      ...ifGiven(plan.rollout_changes, (later) => laterGroup(later, steps !== undefined)),
      ...ifGiven(impact, (found) => affectedGroup(effects, found)),
      ...ifGiven(named, (answers) => namedGroup(answers, verbose)),
      ...ifGiven(report.leftFollows === true ? undefined : plan.left, (left) =>
        leftGroup(left, LEFT, { verbose, authors }),
      ),
      ...ifGiven(plan.released, releasedGroup),
      ...ifGiven(plan.observed, (observed) => observedGroup(observed, verbose)),
      ...(verbose ? [unmanagedGroup(plan, verbose)] : []),
    ],
  };
}

interface Making {
  readonly effects: EffectsByRef;
  readonly authors: Authors | undefined;
  readonly verbose: boolean;
}

function entryMaker(
  { plan, impact, requests, readers }: ReportOf<'plan'>,
  { effects, authors, verbose }: Making,
): (change: Change) => ReportEntry {
  return (change) => {
    const due = duePaths(change, plan);
    return withLines(changeEntry(change, { verbose, places: true, notes: PLAN_NOTES, ...defined({ due }) }), [
      ...effectLines(change, effects),
      ...ifGiven(impact, (found) => impactLines(change, effects, found)),
      ...ifGiven(authors, (known) => authorLines(change, known)),
      ...ifGiven(requests, (known) => approvalLines(change, known)),
      ...ifGiven(readers, (found) => readerLines(change, found)),
    ]);
  };
}

/** The paths of a change that are due with or without the reviewed change. */
function duePaths(change: Change, plan: Plan): ReadonlySet<string> | undefined {
  return plan.rollouts === undefined || isDueByPlan(change, plan) ? undefined : dueByPlan(change.key, plan);
}

/** What the change brings, and apart from it the steps that are made without it too. */
function changeGroups(options: { readonly plan: Plan } & Parameters<typeof changesGroup>[1]): ReportGroup[] {
  const { plan } = options;
  if (plan.rollouts === undefined) return [changesGroup(plan.changes, options)];
  const due = plan.changes.filter((change) => isDueByPlan(change, plan));
  const brought = plan.changes.filter((change) => !due.includes(change));
  const { sorts = [], ...group } = changesGroup(due, options);
  const counted = sorts.map((sort) => ({ ...sort, counted: `${sort.counted}, ${DUE_BY_ROLLOUT}` }));
  return [changesGroup(brought, options), { ...group, about: 'due', title: DUE_TITLE, isHeaded: true, sorts: counted }];
}

function costFacts({ changes }: Plan, forecast: Forecast): ReportFact[] {
  if (changes.length === 0) return [];
  return [{ about: 'cost', phrase: [toned('aside', forecastText(forecast))] }];
}

function namedFact(named: ChangedAnswers): ReportFact {
  return { about: 'named', phrase: changedAnswersSummary(named) };
}

const MOST_NAMED = 20;

function namedGroup(named: ChangedAnswers, verbose: boolean): ReportGroup {
  const { total, answers } = named;
  const unkept = total - answers.length;
  return {
    about: 'named',
    title: 'Named people whose answers change',
    ...LIST,
    amount: total,
    entries: answers.map((one) => ({ head: changedAnswerText(one), lines: [] })),
    ...(unkept === 0 ? {} : { more: `… ${unkept} more` }),
    ...(verbose ? {} : { limit: { entries: MOST_NAMED, more: moreText(named), inComments: true } }),
  };
}

/** Only some of very many answers are kept. */
function moreText({ total, answers }: ChangedAnswers): string {
  const [hidden, further] = [total - MOST_NAMED, answers.length - MOST_NAMED];
  if (further <= 0) return `… ${total - answers.length} more`;
  return `… ${hidden} more; --verbose lists ${further === hidden ? 'them' : `${further} of them`}`;
}

export function undoModel(report: ReportOf<'undo'>, verbose: boolean): ReportModel {
  const { run, plan, refused } = report;
  return {
    command: 'undo',
    title: { words: ['Undo of run ', { code: run }, ' in'], project: plan.project },
    summary: undoSummary(plan, refused),
    standing: refused.length > 0 ? 'warning' : standingOf(plan),
    page: () => undoPage(report, verbose),
    remarks: () => undoRemarks(report),
  };
}

/** No manifest asks for the changes, so they have no places. */
function undoPage({ plan, refused, forecast }: ReportOf<'undo'>, verbose: boolean): ReportPage {
  const effects = effectsByRef(plan);
  const toEntry = (change: Change): ReportEntry =>
    withLines(changeEntry(change, { verbose, places: false }), effectLines(change, effects));
  return {
    facts: [...effectFacts(effects), ...ifGiven(forecast, (cost) => costFacts(plan, cost))],
    notices: [...refusalNotices(plan), warningNotice(plan, verbose)],
    groups: [refusedGroup(refused, verbose), changesGroup(plan.changes, { plan, effects, toEntry, word: toAction })],
  };
}

function readerLines({ ref }: { readonly ref: string }, { flags }: Readers): ReportLine[] {
  return flags
    .filter((flag) => flag.ref === ref)
    .flatMap((flag) => {
      const text = readLossText(flag);
      return text === undefined ? [] : [{ phrase: [toned(flag.verdict === 'read' ? 'warning' : 'dim', text)] }];
    });
}

function readerFacts(readers: Readers): ReportFact[] {
  const text = unsearchedText(readers);
  return text === undefined ? [] : [{ about: 'readers', phrase: [toned('caution', `${text}.`)] }];
}
