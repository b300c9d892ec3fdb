/** What each report tells a chat: what turned on or off, wider or narrower, for whom, and what failed or waits. */

import { defined } from '../../base/optional.ts';
import type { JsonObject } from '../../base/json.ts';
import { stringifyJson } from '../../base/json-text.ts';
import type { OutcomeKind } from '../../loop/apply/result.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { EFFECT_CLASSES, type EffectClass, type ResourceEffects } from '../../review/effects/effect.ts';
import { findDriftEffects, findEffects, standingOf } from '../../review/effects/find-effects.ts';
import { driftOf } from '../../review/effects/sides.ts';
import { type BrokenRule, brokenRules, refuses } from '../../review/policy/broken-rules.ts';
import { approversIn } from '../../review/policy/finding.ts';
import type { Attributions } from '../../posthog/authors/attribution.ts';
import { withCohortNames } from '../../posthog/cohort/names.ts';
import { sidesOf } from '../../posthog/flag/snapshot.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { groupDrift } from '../../posthog/planning/drift-groups.ts';
import { standingOfDrift } from '../drift-standing.ts';
import type { Report, ReportOf } from '../report.ts';
import { wasAlready } from '../run-record.ts';
import { count, timeText } from '../words/amounts.ts';
import { attributionText, lastEditText } from '../words/authors.ts';
import { effectText } from '../words/effects.ts';
import { REFUSALS, brokenRuleText } from '../words/rules.ts';
import { waitText } from '../words/rollouts.ts';
import { driftSummary, nothingText, planSummary, resultSummary, undoSummary } from '../words/summaries.ts';
import { joinFacts, type MessageFacts, type MessageItem, type MessageLine, named, told } from './message.ts';
import { PROJECTS_TITLES, stateOfProject, summaryOfStates } from './project-states.ts';

/** A text as it is: whoever shows it makes it harmless. */
const asIs = (text: string): string => text;

export function planFacts({ plan: given, cohortNames, judgement, owners, approvers }: ReportOf<'plan'>): MessageFacts {
  const plan = withCohortNames(given, cohortNames);
  const broken = brokenRules({ ...given, ...defined({ findings: judgement?.findings }) });
  const refusals = broken.filter(refuses);
  const verdict = refusals.length === 0 ? [] : [', refused by ', count(refusals.length, 'rule')];
  return {
    head: [named(plan.project.name), ': ', told(planSummary(plan)), ...verdict],
    items: [
      ...refusals.map((one): MessageItem => ({
        label: 'Refused',
        isGrave: true,
        name: keyOf(one) ?? 'the plan',
        text: [told(brokenRuleText(one, asIs))],
      })),
      ...effectItems(plan, { changes: plan.changes, owners }),
      ...rolloutItems(plan.rollouts),
      ...laterItems(plan.rollout_changes),
    ].map(ownedBy(plan.changes, owners)),
    steps: nextSteps(plan.rollouts),
    // A saved plan has those of its judgement only.
    approvers: approvers ?? approversIn(judgement, {}),
  };
}

export function undoFacts({ run, plan, refused, owners }: ReportOf<'undo'>): MessageFacts {
  return {
    head: [named(plan.project.name), ': ', told(undoSummary(plan, refused)), ', of run ', named(run)],
    items: [
      ...refused.map(({ key, refusal }): MessageItem => ({
        label: 'Cannot be undone',
        isGrave: true,
        name: key,
        text: [REFUSALS[refusal]],
      })),
      ...effectItems(plan, { changes: plan.changes, owners }),
    ],
  };
}

export function driftFacts(report: ReportOf<'drift'>): MessageFacts {
  const { plan: given, cohortNames, counting, groups, attributions, owners } = report;
  const plan = withCohortNames(given, cohortNames);
  const standing = standingOfDrift(plan, counting);
  const { drifted } = groups ?? groupDrift(plan);
  const changes = counting?.pending === true ? plan.changes : drifted;
  return {
    head: [named(plan.project.name), ': ', told(driftSummary(plan, counting))],
    items: [
      ...effectItems(plan, { changes, owners, attributions, isDrift: true }),
      ...rolloutItems(plan.rollouts),
      ...standing.unwritable.map(({ key }): MessageItem => ({ label: 'Not as declared', name: key })),
      ...standing.unmanaged.map((key): MessageItem => ({ label: 'In no manifest', name: key })),
    ].map(ownedBy(plan.changes, owners)),
  };
}

const NOT_MADE: Readonly<Record<Exclude<OutcomeKind, 'applied'>, string>> = {
  failed: 'Failed',
  unknown: 'Not known whether it was made',
  skipped: 'Not made',
  pending: 'Waits for an approval in PostHog',
};

export function resultFacts(given: ReportOf<'result'>): MessageFacts {
  const { durationMs, owners, rollouts, later, approvers } = given;
  const result = withCohortNames(given.result, given.cohortNames);
  const { project, changes, off, undoes, remainder } = result;
  const made = changes.filter((one) => one.result.outcome === 'applied' && !wasAlready(one)).map((one) => one.change);
  const unmade = changes.flatMap(({ change, result: { outcome, ...rest } }): MessageItem[] => {
    if (outcome === 'applied') return [];
    const text = 'error' in rest ? [told(rest.error.message)] : [];
    return [{ label: NOT_MADE[outcome], isGrave: true, name: nameOfChange(change), text }];
  });
  return {
    head: [
      named(project.name),
      ': ',
      told(resultSummary(result, durationMs)),
      ...(undoes === undefined ? [] : [', reverts run ', named(undoes)]),
      ...(off === undefined ? [] : [', with flagwright off']),
      ...(off?.reason === undefined ? [] : [', because: ', told(off.reason)]),
    ],
    items: [
      ...distinct(unmade),
      ...effectItems({ warnings: [] }, { changes: made, owners }),
      ...distinct(remainder.map(({ key }): MessageItem => ({ label: 'Still different', isGrave: true, name: key }))),
      ...rolloutItems(rollouts),
      ...laterItems(later),
    ].map(
      ownedBy(
        changes.map(({ change }) => change),
        owners,
      ),
    ),
    steps: nextSteps(rollouts),
    ...defined({ approvers }),
  };
}

/** Adds who owns a flag that failed, is refused or waits. */
function ownedBy(changes: readonly Change[], owners: Shown['owners']): (item: MessageItem) => MessageItem {
  const byName = new Map(
    changes.flatMap((one) => {
      const owner = owners?.get(one.ref);
      return owner === undefined ? [] : [[nameOfChange(one), owner.name] as const];
    }),
  );
  return (item) => ({ ...defined({ owner: byName.get(item.name) }), ...item });
}

/** A resource may take several writes. */
function distinct(items: readonly MessageItem[]): readonly MessageItem[] {
  return [...new Map(items.map((item) => [`${item.label} ${item.name}`, item])).values()];
}

export function nothingFacts({ project, reason }: ReportOf<'nothing'>): MessageFacts {
  return { head: [told(nothingText(reason)), ' ', named(project.name)], items: [] };
}

export function failureFacts(report: ReportOf<'failure'>): MessageFacts {
  const { error, hazards = [], findings = [], refused = [], project, changes = [] } = report;
  const where: MessageLine = project === undefined ? [] : [' for ', named(project.name)];
  const item = (name: string, text: string): MessageItem => ({
    label: 'Refused',
    isGrave: true,
    name,
    text: [told(text)],
  });
  const rules = brokenRules({ hazards, findings, changes });
  return {
    head: ['The run failed', ...where, ': ', told(error.message)],
    items: [
      ...rules.map((one) => item(keyOf(one) ?? 'the plan', brokenRuleText(one, asIs))),
      ...refused.map(({ key, refusal }) => item(key, REFUSALS[refusal])),
      // A failure is never nothing to tell.
      ...(rules.length + refused.length === 0
        ? [
            {
              label: 'Failed',
              isGrave: true,
              name: error.code,
              ...(error.remedy && { text: [told(error.remedy)] }),
            } as const,
          ]
        : []),
    ],
  };
}

/** `undefined` for a rule about the run as a whole, such as a limit. */
function keyOf(broken: BrokenRule): string | undefined {
  if (broken.sort === 'policy') return broken.finding.key;
  return 'ref' in broken.hazard ? broken.hazard.key : undefined;
}

/** `factsOf`: of the report of one project. */
export function projectsFacts(
  { command, projects }: ReportOf<'projects'>,
  factsOf: (report: Report) => MessageFacts,
): MessageFacts {
  const counts = summaryOfStates(projects.map((one) => stateOfProject(one)));
  const parts = projects.map((one) => {
    const facts =
      one.kind === 'held'
        ? { items: [{ label: 'Held', isGrave: true as const, name: 'all', text: [named(one.by), ' is not in sync'] }] }
        : one.report.kind === 'failure'
          ? failedPart(one.report)
          : factsOf(one.report);
    return { project: one.project, facts: { head: [], ...facts } };
  });
  return joinFacts([`${PROJECTS_TITLES[command]} ${count(projects.length, 'project')}: ${counts}`], parts);
}

/** The head of the message is about all projects. */
function failedPart(report: ReportOf<'failure'>): Pick<MessageFacts, 'items'> {
  const rules = failureFacts(report).items.filter(({ label }) => label === 'Refused');
  const failed: MessageItem = { label: 'Failed', isGrave: true, name: 'all', text: [told(report.error.message)] };
  return { items: rules.length > 0 ? rules : [failed] };
}

const LABELS: Readonly<Record<EffectClass, string>> = {
  opaque: 'Changed, not known for whom',
  kill: 'Off for everybody',
  delete: 'Deleted',
  're-bucket': 'Everybody reassigned',
  enable: 'On',
  restore: 'Restored',
  widen: 'Wider',
  narrow: 'Narrower',
  're-split': 'Other variants',
  create: 'New',
  dependency: 'Dependency',
  access: 'Who may edit it',
  payload: 'Other payload',
  metadata: 'No effect on people',
};

const GRAVE: ReadonlySet<EffectClass> = new Set(['opaque', 'kill', 'delete', 're-bucket']);
const MOST_TEXTS = 2;

interface Shown {
  readonly changes: readonly Change[];
  readonly owners?: ReportOf<'plan'>['owners'] | undefined;
  readonly attributions?: Attributions | undefined;
  /** The way from git to PostHog. */
  readonly isDrift?: true;
}

function effectItems({ warnings }: Pick<Plan, 'warnings'>, { changes, ...shown }: Shown): readonly MessageItem[] {
  const found = shown.isDrift === true ? findDriftEffects({ changes, warnings }) : findEffects({ changes, warnings });
  const rank = ({ classes: [worst = 'metadata'] }: ResourceEffects): number => EFFECT_CLASSES.indexOf(worst);
  return found.toSorted((a, b) => rank(a) - rank(b)).map((one) => effectItem(one, { changes, ...shown }));
}

function effectItem(found: ResourceEffects, { changes, owners, attributions, isDrift }: Shown): MessageItem {
  const [worst = 'metadata'] = found.classes;
  const own = changes.filter(({ ref }) => found.refs.includes(ref));
  const texts = worst === 'metadata' ? [] : effectTexts(found, own as readonly FlagChange[], isDrift === true);
  const edits = isDrift === true ? editText(own, attributions) : [];
  const owner = found.refs.flatMap((ref) => owners?.get(ref) ?? [])[0];
  return {
    label: LABELS[worst],
    name: nameOfChange(found as Pick<Change, 'resource' | 'key'>),
    ...(GRAVE.has(worst) && { isGrave: true }),
    text: [
      ...(texts.length === 0 ? [] : [told(texts.join('; '))]),
      ...(texts.length * edits.length === 0 ? [] : [', ']),
      ...edits,
    ],
    ...defined({ owner: owner?.name }),
  };
}

function effectTexts(
  { effects, resource, dormant, classes: [worst = 'metadata'] }: ResourceEffects,
  changes: readonly FlagChange[],
  isDrift: boolean,
): readonly string[] {
  const texts = effects
    // The label says what happens to a flag that is turned off.
    .filter(
      ({ classes, ...effect }) =>
        classes.includes(worst) && !(effect.what === 'switched' && !effect.on && resource === 'flag'),
    )
    .map((effect) =>
      // A flag that is turned on says for whom.
      effect.what === 'switched' && effect.on && resource === 'flag'
        ? (whoText(isDrift ? driftOf(changes).sides.after : sidesOf(changes).after) ?? effectText(effect, asIs))
        : effectText(effect, asIs),
    );
  const more = texts.length - MOST_TEXTS;
  return [
    ...texts.slice(0, MOST_TEXTS),
    ...(more > 0 ? [`${more} more`] : []),
    ...(dormant === true && worst !== 'create' ? ['the flag is disabled, so nobody is affected yet'] : []),
  ];
}

function whoText(flag: JsonObject | undefined): string | undefined {
  return flag === undefined ? undefined : effectText(standingOf(flag), asIs);
}

/** Who made the edits and when, as far as it is known. */
function editText(changes: readonly Change[], attributions: Attributions | undefined): MessageLine {
  const known = changes.flatMap(({ ref }) => [...(attributions?.get(ref)?.values() ?? [])]);
  const texts = new Set(known.map((one) => attributionText(one, asIs)));
  const [first] = texts;
  if (first !== undefined) return [told(texts.size === 1 ? first : `${first} and others`)];
  const edited = changes.flatMap((change) =>
    'base' in change && 'edited' in change.base ? (change.base.edited ?? []) : [],
  )[0];
  return edited === undefined ? [] : [told(lastEditText(edited))];
}

function rolloutItems(rollouts: readonly PlannedRollout[] = []): readonly MessageItem[] {
  return rollouts.flatMap((rollout): MessageItem[] => {
    const { key, waits, overdue, due, held } = rollout;
    const since = due === undefined ? [] : ['due since ', told(timeText(due))];
    if (waits !== undefined)
      return [{ label: 'Step held', isGrave: true, name: key, text: [told(waitText(waits, rollout))] }];
    if (overdue === true) return [{ label: 'Step overdue', isGrave: true, name: key, text: since }];
    return held === true ? [{ label: 'Step held', isGrave: true, name: key, text: since }] : [];
  });
}

function laterItems(changes: Plan['rollout_changes'] = []): readonly MessageItem[] {
  return changes.map(({ key, after }) => ({
    label: after.length === 0 ? 'No later steps' : 'Other later steps',
    name: key,
  }));
}

function nextSteps(rollouts: readonly PlannedRollout[] = []): NonNullable<MessageFacts['steps']> {
  return rollouts.flatMap(({ key, steps, step, waits, then_due, due, applied }) => {
    const next = steps[step + 1];
    if (next === undefined || waits !== undefined) return [];
    const planned = applied !== undefined && step === applied.step ? due : then_due;
    const to = typeof next.to === 'boolean' ? (next.to ? 'on' : 'off') : `to ${stringifyJson(next.to)}%`;
    return [{ name: key, to, at: timeText(planned ?? next.at) }];
  });
}
