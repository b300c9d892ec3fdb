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
  Outlook,
} from './report-model.ts';
import { warningNotice, againstFacts, timeFacts, policyFacts, refusalNotices, policyNotices } from './rules.ts';
import { undoRemarks, planRemarks } from './remarks/plan.ts';
import type { ChangedAnswers } from '../../expectations/changed-answers.ts';
import type { Forecast } from '../../engine/forecast.ts';
import { findLeftOut } from '../../posthog/planning/unplanned.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { dueByPlan, isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import type { ReportOf } from '../report.ts';
import { DUE_BY_PLAN, DUE_TITLE } from '../words/rollouts.ts';
import { changedAnswersSummary, changedAnswerText } from '../words/answers.ts';
import { forecastText } from '../words/times.ts';
import { PLAN_NOTES } from '../words/three-way.ts';
import {
  approvalNotice,
  authorNotice,
  authorLines,
  approvalLines,
  approvalFacts,
  unattributedFacts,
  authoredLeft,
} from './authors.ts';
import { toned } from './phrase.ts';
import { rolloutsGroup, stepsGroup } from './rollouts.ts';
import {
  LEFT,
  leftGroup,
  observedGroup,
  releasedGroup,
  unmanagedGroup,
  baseFacts,
  observedFacts,
} from './three-way.ts';
import { withLines, changesGroup, toAction, refusedGroup } from './changes.ts';

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
function standingOf({ changes, left = [], warnings }: Plan): Outlook {
  if (changes.length + left.length > 0) return 'open';
  return findLeftOut(warnings).length > 0 ? 'warning' : 'good';
}

function planPage(report: ReportOf<'plan'>, verbose: boolean): ReportPage {
  const { plan, forecast, attributions, judgement, impact, named, requests, readers, against, scheduled } = report;
  const effects = effectsByRef(plan);
  const authors = { plan, attributions };
  const dueOf = (change: Change): ReadonlySet<string> =>
    isDueByPlan(change, plan) ? new Set() : dueByPlan(change.key, plan);
  const toEntry = (change: Change): ReportEntry =>
    withLines(changeEntry(change, { verbose, places: true, notes: PLAN_NOTES, due: dueOf(change) }), [
      ...effectLines(change, effects),
      ...impactLines(change, effects, impact),
      ...authorLines(change, authors),
      ...approvalLines(change, requests),
      ...readerLines(change, readers),
    ]);
  return {
    facts: [
      ...timeFacts(report.at),
      ...againstFacts(against),
      ...effectFacts(effects),
      ...impactReadFacts(impact),
      ...policyFacts(judgement),
      ...approvalFacts(requests),
      ...readerFacts(readers),
      ...costFacts(plan, forecast),
      ...baseFacts(plan, 'left'),
      ...namedFacts(named),
      ...observedFacts(plan),
      ...unattributedFacts(authors),
    ],
    notices: [
      ...refusalNotices(plan, judgement?.findings),
      ...policyNotices(judgement),
      warningNotice(plan, verbose, scheduled),
      approvalNotice(requests),
      authorNotice([...plan.changes, ...authoredLeft(plan)], authors),
    ],
    groups: [
      ...changeGroups({ plan, effects, toEntry, word: toAction }),
      rolloutsGroup(plan, requests, report.soon),
      stepsGroup(report.steps, report),
      affectedGroup(effects, impact),
      namedGroup(named, verbose),
      leftGroup(plan.left, LEFT, { verbose, authors }),
      releasedGroup(plan),
      observedGroup(plan, verbose),
      ...(verbose ? [unmanagedGroup(plan, verbose)] : []),
    ],
  };
}

/** What the change brings, and apart from it the steps that are made without it too. */
function changeGroups(options: { readonly plan: Plan } & Parameters<typeof changesGroup>[1]): ReportGroup[] {
  const { plan } = options;
  const due = plan.changes.filter((change) => isDueByPlan(change, plan));
  const brought = plan.changes.filter((change) => !due.includes(change));
  const { sorts = [], ...group } = changesGroup(due, options);
  const counted = sorts.map((sort) => ({ ...sort, counted: `${sort.counted}, ${DUE_BY_PLAN}` }));
  return [changesGroup(brought, options), { ...group, about: 'due', title: DUE_TITLE, isHeaded: true, sorts: counted }];
}

function costFacts({ changes }: Plan, forecast: Forecast | undefined): ReportFact[] {
  if (forecast === undefined || changes.length === 0) return [];
  return [{ about: 'cost', phrase: [toned('aside', forecastText(forecast))] }];
}

function namedFacts(named: ChangedAnswers | undefined): ReportFact[] {
  return named === undefined ? [] : [{ about: 'named', phrase: changedAnswersSummary(named) }];
}

const MOST_NAMED = 20;

function namedGroup(
  named: ChangedAnswers = { people: 0, changed: 0, total: 0, answers: [] },
  verbose: boolean,
): ReportGroup {
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
    facts: [...effectFacts(effects), ...costFacts(plan, forecast)],
    notices: [...refusalNotices(plan), warningNotice(plan, verbose)],
    groups: [refusedGroup(refused, verbose), changesGroup(plan.changes, { plan, effects, toEntry, word: toAction })],
  };
}

function readerLines({ ref }: { readonly ref: string }, readers: Readers | undefined): ReportLine[] {
  return (readers?.flags ?? [])
    .filter((flag) => flag.ref === ref)
    .flatMap((flag) => {
      const text = readLossText(flag);
      return text === undefined ? [] : [{ phrase: [toned(flag.verdict === 'read' ? 'warning' : 'dim', text)] }];
    });
}

function readerFacts(readers: Readers | undefined): ReportFact[] {
  const text = unsearchedText(readers);
  return text === undefined ? [] : [{ about: 'readers', phrase: [toned('caution', `${text}.`)] }];
}
