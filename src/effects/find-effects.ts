/** Finds the effects of a plan's changes, resource by resource, from the differences that the comparison found. */

import type { KindName, KindTypes } from '../posthog/kind-types.ts';
import type { Change, Plan } from '../posthog/plan.ts';
import {
  joinClasses,
  type AccessEffect,
  type CohortEffect,
  type EffectClass,
  type FlagEffect,
  type ResourceEffects,
} from './effect.ts';
import { findFlagEffects } from './flag-effects.ts';
import { differenceOf, driftOf, isDormant } from './sides.ts';
import { nameResource } from '../posthog/names/resource-name.ts';

/**
 * Finds the effects in the order of the plan. The two writes of one update belong to one resource, and every change to exactly one. The
 * result is kept for the same list of changes, which is never mutated.
 */
export function findEffects({ changes, warnings }: ExaminedPlan): readonly ResourceEffects[] {
  const known = found.get(changes);
  if (known?.warnings === warnings) return known.effects;
  const effects = effectsOf({ changes, warnings }, APPLIED);
  found.set(changes, { warnings, effects });
  return effects;
}

const found = new WeakMap<
  ExaminedPlan['changes'],
  { readonly warnings: ExaminedPlan['warnings']; readonly effects: readonly ResourceEffects[] }
>();

/** Finds what live state does, compared with the declared one: the effects of the same differences in the opposite direction. */
export function findDriftEffects(plan: ExaminedPlan): ResourceEffects[] {
  return effectsOf(plan, DRIFTED);
}

type ExaminedPlan = Pick<Plan, 'changes' | 'warnings'>;

/** A direction in which differences are read. */
interface EffectDirection {
  readonly difference: typeof differenceOf;
  /** What happens to a cohort. */
  readonly cohort: ActionNames<'cohort'>;
  /** What happens to the access of a role. */
  readonly access: ActionNames<'role_access'>;
}

type ChangeOf<Kind extends KindName> = KindTypes[Kind]['change'];
type ActionNames<Kind extends KindName> = Readonly<Record<ChangeOf<Kind>['action'], ChangeOf<Kind>['action']>>;

const APPLIED: EffectDirection = {
  difference: differenceOf,
  cohort: { create: 'create', update: 'update', restore: 'restore', delete: 'delete' },
  access: { grant: 'grant', adjust: 'adjust', revoke: 'revoke' },
};
const DRIFTED: EffectDirection = {
  difference: driftOf,
  cohort: { create: 'delete', update: 'update', restore: 'delete', delete: 'create' },
  access: { grant: 'revoke', adjust: 'adjust', revoke: 'grant' },
};

function effectsOf(plan: ExaminedPlan, direction: EffectDirection): ResourceEffects[] {
  return groupByResource(plan.changes).map((group) => {
    // All changes of a group have the same kind, that of the row.
    const read = EFFECTS[group[0].resource] as EffectsOf<KindName>;
    return read(group, plan, direction);
  });
}

type EffectsOf<Kind extends KindName> = (
  group: Group<ChangeOf<Kind>>,
  plan: ExaminedPlan,
  direction: EffectDirection,
) => ResourceEffects;

const EFFECTS: { readonly [Kind in KindName]: EffectsOf<Kind> } = {
  flag: (group, _plan, direction) => flagResource(group, direction),
  cohort: (group, plan, direction) =>
    resourceOf(
      group,
      group.flatMap((change) => cohortEffects(change, plan, direction)),
    ),
  early_access: (group, _plan, direction) =>
    resourceOf(
      group,
      group.flatMap((change) => featureEffects(change, direction)),
    ),
  role_access: (group, _plan, direction) =>
    resourceOf(
      group,
      group.map((change) => accessEffect(change, direction)),
    ),
};

type Group<Of extends Change = Change> = readonly [Of, ...Of[]];

function groupByResource(changes: readonly Change[]): Group[] {
  const groups = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const name = `${change.resource}:${change.key}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [change]);
    else group.push(change);
  }
  return [...groups.values()];
}

function flagResource(changes: Group<ChangeOf<'flag'>>, { difference }: EffectDirection): ResourceEffects {
  const read = difference(changes);
  const found = resourceOf(changes, findFlagEffects(read));
  return isDormant(read.sides) ? { ...found, dormant: true } : found;
}

function resourceOf(changes: Group, effects: ResourceEffects['effects']): ResourceEffects {
  const [{ resource, key }] = changes;
  return { resource, key, refs: changes.map(({ ref }) => ref), classes: joinClasses(effects), effects };
}

function accessEffect(change: ChangeOf<'role_access'>, { access }: EffectDirection): AccessEffect {
  const role = change.role?.name ?? change.role?.id;
  return {
    what: 'access',
    classes: ['access'],
    action: access[change.action],
    ...(role === undefined ? {} : { role }),
  };
}

/** Only the start and the end of enrolment change values. */
function featureEffects({ fields, enrolment }: ChangeOf<'early_access'>, { cohort }: EffectDirection): FlagEffect[] {
  const metadata = fields.flatMap(({ path }): FlagEffect[] =>
    path === '/enrolment' ? [] : [{ what: 'metadata', classes: ['metadata'], field: path.slice(1) }],
  );
  if (enrolment === undefined) return metadata;
  const isOn = (enrolment === 'starts') === (cohort.create === 'create');
  const values = { before: !isOn, after: isOn };
  return [{ what: 'setting', classes: ['widen', 'narrow'], field: 'feature_enrollment', ...values }, ...metadata];
}

/** A new name or description changes nobody's value; a new definition may change the value of anybody with a flag on the cohort. */
function cohortEffects(
  change: ChangeOf<'cohort'>,
  { warnings }: ExaminedPlan,
  { cohort }: EffectDirection,
): CohortEffect[] {
  const name = nameResource('cohort', change.key);
  const flags = warnings.flatMap((warning) =>
    warning.code === 'cohort_flags' && warning.key === name ? warning.flags : [],
  );
  const action = cohort[change.action];
  if (action === 'update' && !change.fields.some(({ path }) => path.startsWith('/filters'))) {
    return change.fields.map(({ path }) => ({ what: 'metadata', classes: ['metadata'], field: path.slice(1) }));
  }
  const own: readonly EffectClass[] = action === 'update' ? [] : [action];
  // A new cohort has no users yet: a flag that begins to use it has its own change.
  const used: readonly EffectClass[] = flags.length === 0 || action === 'create' ? [] : ['widen', 'narrow', 're-split'];
  const classes = own.length + used.length === 0 ? (['metadata'] as const) : [...own, ...used];
  return [{ what: 'cohort', classes, action, flags }];
}
