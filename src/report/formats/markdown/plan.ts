/** A plan, its drift and the plan of an undo as Markdown: what apply refuses and warns of, then the changes, the riskiest first. */

import { memberOf } from '../../../base/json.ts';
import type { ChangedAnswers } from '../../../expectations/changed-answers.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import type { Impact } from '../../../impact/impact.ts';
import { brokenRules, refuses } from '../../../policy/broken-rules.ts';
import type { Judgement } from '../../../policy/finding.ts';
import type { Action, Change, Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { againstText } from '../../words/against.ts';
import { APPROVALS_TITLE, approvalsSummary, approvalText } from '../../words/approvals.ts';
import { actionCount } from '../../words/actions.ts';
import { needsNouns } from '../../words/amounts.ts';
import { changedAnswersSummary, NAMED_TITLE } from '../../words/changed-answers.ts';
import { forecastText } from '../../words/forecast.ts';
import { hazardText } from '../../words/hazards.ts';
import { impactReadTexts } from '../../words/impact.ts';
import { observedText } from '../../words/observed.ts';
import { observedEntries } from '../text/observed.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { changedAnswerLines } from '../text/changed-answers.ts';
import {
  classesByRef,
  DRIFT_EFFECTS,
  effectLines,
  effectsByRef,
  effectsSummary,
  riskRank,
  type EffectsByRef,
} from '../text/effects.ts';
import { ALSO_AFFECTED, alsoAffected, impactLines } from '../text/impact.ts';
import { changeLines, INDENT } from '../text/change.ts';
import {
  dividedDrift,
  DRIFT_WORDS,
  driftLines,
  driftSummary,
  ignoredIn,
  legend,
  NO_EFFECTS,
  warnedByDrift,
} from '../text/drift.ts';
import { planSummary, warningSentences, type Warned } from '../text/plan.ts';
import { baseLines } from '../text/three-way.ts';
import { refusedLines, undoSummary } from '../text/undo.ts';
import { refusalLines, type PlanAuthors } from '../text/authors.ts';
import { authorSentences } from './authors.ts';
import { brokenRuleSentence } from './broken-rules.ts';
import { assemble, type Group, type Head } from './document.ts';
import { summaryOf } from '../text/findings.ts';
import { findingNotices } from './findings.ts';
import { codeSpan, heading, shortSpan } from './markup.ts';
import { leftGroup, LEFT_TITLE, releasedGroup } from './three-way.ts';

export function planMarkdown(
  { plan, forecast, attributions, judgement, impact, named, requests, against }: ReportOf<'plan'>,
  view: View,
): string {
  const cost = forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
  const effects = effectsByRef(plan);
  const head: Head = {
    parts: [
      heading('Plan for', plan),
      ...(against === undefined ? [] : [againstText(against)]),
      `**${planSummary(plan)}**`,
      ...effectsSummary(effects),
      ...(named === undefined ? [] : [changedAnswersSummary(named)]),
      ...impactReadTexts(impact),
      ...summaryOf(judgement),
      ...approvalsSummary(requests),
      ...baseLines(plan, 'left'),
      ...cost,
      ...observedParts(plan),
      ...refusalLines({ plan, attributions }, PLAIN),
    ],
    notices: [...noticesOf(plan, view, judgement), approvalNotice(requests), authorNotice({ plan, attributions })],
  };
  return assemble(
    head,
    [
      ...groupsOf(plan, plannedWith(effects, impact), view),
      affectedGroup(effects, impact),
      namedGroup(named, view),
      leftGroup(plan, LEFT_TITLE, view),
      releasedGroup(plan),
      observedGroup(plan, view),
      ...(view.verbose ? [unmanagedGroup(plan)] : []),
    ],
    view,
  );
}

export function driftMarkdown(report: ReportOf<'drift'>, view: View): string {
  const { plan, counting, attributions, requests } = report;
  const { drifted, pending, effects } = dividedDrift(report);
  const head: Head = {
    parts: [
      heading('Drift of', plan),
      `**${driftSummary(plan, counting)}**`,
      ...effectsSummary(effects, DRIFT_EFFECTS),
      ...baseLines(plan, 'ignored'),
      ...approvalsSummary(requests),
      ...legend(plan, PLAIN),
      ...observedParts(plan),
      ...refusalLines({ plan, attributions }, PLAIN),
    ],
    notices: [
      ...noticesOf({ ...warnedByDrift(plan), hazards: [], overridden: [] }, view),
      approvalNotice(requests),
      authorNotice({ plan, attributions }),
    ],
  };
  const groups = [
    ...groupsOf({ ...plan, changes: drifted }, driftedWith(effects), view),
    ...groupsOf({ ...plan, changes: pending }, driftedWith(NO_EFFECTS), view).map(asPending),
    leftGroup(ignoredIn(plan), 'ignored', view),
    releasedGroup(plan),
  ];
  return assemble(head, [...groups, observedGroup(plan, view), unmanagedGroup(plan)], view);
}

function asPending(group: Group): Group {
  return { ...group, title: `Not applied yet: ${group.title}` };
}

export function undoMarkdown({ run, plan, refused, forecast }: ReportOf<'undo'>, view: View): string {
  const cost = forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
  const effects = effectsByRef(plan);
  const head: Head = {
    parts: [
      heading(`Undo of run ${codeSpan(run)} in`, plan),
      `**${undoSummary(plan, refused)}**`,
      ...effectsSummary(effects),
      ...cost,
    ],
    notices: noticesOf(plan, view),
  };
  const [, ...lines] = refusedLines(refused, { ...view, palette: PLAIN });
  const impossible: Group = {
    title: 'Cannot be undone',
    language: 'text',
    entries: lines.map((line) => [line]),
    isOpen: true,
  };
  return assemble(head, [impossible, ...groupsOf(plan, plannedWith(effects), view)], view);
}

/** Outside of the blocks of code, so that the links work. */
function authorNotice(authors: PlanAuthors): Head['notices'][number] {
  return { title: 'Changed in the service', sentences: authorSentences(authors) };
}

/** Outside of the blocks of code too. */
function approvalNotice(requests: readonly KnownRequest[] = []): Head['notices'][number] {
  const sentences = requests.map((request) => {
    const key = request.url === undefined ? codeSpan(request.key) : `[${codeSpan(request.key)}](${request.url})`;
    return `${key}: ${approvalText(request, shortSpan)}`;
  });
  return { title: APPROVALS_TITLE, sentences };
}

function observedParts({ observed = [] }: Plan): string[] {
  return observed.length === 0 ? [] : [`${observedText(observed)}.`];
}

function noticesOf(
  plan: Pick<Plan, 'hazards' | 'project' | 'overridden' | 'changes'> & Warned,
  view: View,
  judgement?: Judgement,
): Head['notices'] {
  const { hazards, changes, project, overridden = [] } = plan;
  const refusing = brokenRules({ hazards, changes, findings: judgement?.findings ?? [] }).filter(refuses);
  return [
    {
      title: 'Apply would refuse this plan (exit code 4)',
      sentences: refusing.map((broken) => brokenRuleSentence(broken, project.name)),
    },
    ...findingNotices(judgement),
    {
      title: 'Overridden (`--override`, or a permit)',
      sentences: overridden.map((hazard) => hazardText(hazard, shortSpan)),
    },
    { title: 'Warnings', sentences: warningSentences(plan, view, shortSpan) },
  ];
}

/** A reader of a shortened document sees at least what takes something away. */
const GRAVITY: Readonly<Record<Action, number>> = {
  delete: 0,
  revoke: 1,
  adjust: 2,
  update: 3,
  restore: 4,
  create: 5,
  grant: 6,
};

/** How a change is shown, and what heads the changes of its action. */
interface Shape {
  readonly lines: (change: Change, view: View) => readonly string[];
  readonly title: (action: Action, amount: number) => string;
  /** The lower, the earlier among the changes of an action. */
  readonly rank: (change: Change) => number;
}

function plannedWith(effects: EffectsByRef, impact?: Impact): Shape {
  const classes = classesByRef(effects);
  return {
    lines: (change, view) => [
      ...changeLines(change, { ...view, palette: PLAIN, places: true, notes: PLAN_NOTES }),
      ...effectLines(change, effects, PLAIN).map((line) => INDENT + line),
      ...impactLines(change, effects, impact).map((line) => INDENT + line),
    ],
    title: (action, amount) => `${amount} to ${action}`,
    rank: ({ ref }) => riskRank(classes.get(ref)),
  };
}

function driftedWith(effects: EffectsByRef): Shape {
  const classes = classesByRef(effects);
  return {
    lines: (change, view) => driftLines(change, { ...view, palette: PLAIN }, { effects }),
    title: (action, amount) => `${amount} ${DRIFT_WORDS[action]}`,
    rank: ({ ref }) => riskRank(classes.get(ref)),
  };
}

function groupsOf(
  { changes, summary }: Pick<Plan, 'changes' | 'summary'>,
  { lines, title, rank }: Shape,
  view: View,
): Group[] {
  const actions = [...new Set(changes.map(({ action }) => action))].toSorted((a, b) => GRAVITY[a] - GRAVITY[b]);
  return actions.map((action) => {
    const alike = changes.filter((change) => change.action === action).toSorted((a, b) => rank(a) - rank(b));
    return {
      title: actionCount(changes, action, { word: title, isNamed: needsNouns(summary) }),
      language: 'diff',
      entries: alike.map((change) => toDiff(lines(change, view))),
    };
  });
}

function affectedGroup(effects: EffectsByRef, impact: Impact | undefined): Group {
  return { title: ALSO_AFFECTED.slice(0, -1), language: 'text', entries: alsoAffected(effects, impact) };
}

function namedGroup(named: ChangedAnswers | undefined, view: View): Group {
  const [, ...lines] = changedAnswerLines(named, { ...view, palette: PLAIN });
  return { title: NAMED_TITLE, language: 'text', entries: lines.map((line) => [line.trim()]) };
}

/** The first character of a line decides its colour in a diff. */
const DIFF_MARKS: Readonly<Record<string, string>> = { '~': '!', '↺': '!', '±': '!', '»': '+', '«': '-' };
const INDENT_IN_TEXT = 8;

function toDiff([head = '', ...rest]: readonly string[]): readonly string[] {
  const glyph = head.charAt(2);
  return [`${memberOf(DIFF_MARKS, glyph) ?? glyph}${head.slice(3)}`, ...rest.map((line) => line.slice(INDENT_IN_TEXT))];
}

function observedGroup(plan: Plan, view: View): Group {
  const { observed = [] } = plan;
  const entries = observedEntries(plan, { ...view, palette: PLAIN });
  return { title: `${observedText(observed)}, as declared → live`, language: 'text', entries };
}

function unmanagedGroup({ unmanaged }: Plan): Group {
  return {
    title: `${unmanaged.length} unmanaged (in no manifest)`,
    language: 'text',
    entries: unmanaged.map((key) => [`? ${escapeLine(key)}`]),
  };
}
