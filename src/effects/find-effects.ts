/** What the changes of a plan do, resource by resource: the comparison's own changes, read for what they mean. */

import { nameOfCohort } from '../posthog/cohort/changes.ts';
import type { CohortChange } from '../posthog/cohort/change.ts';
import type { FlagChange } from '../posthog/flag/change.ts';
import type { Change, Plan } from '../posthog/plan.ts';
import type { RoleChange } from '../posthog/role-access/change.ts';
import { joinClasses, type AccessEffect, type CohortEffect, type EffectClass, type ResourceEffects } from './effect.ts';
import { findFlagEffects } from './flag-effects.ts';
import { isDormant, sidesOf } from './sides.ts';

/** In the order of the plan. The two writes of one update are one resource; every change is of exactly one of them. */
export function findEffects(plan: Pick<Plan, 'changes' | 'warnings'>): ResourceEffects[] {
  return groupByResource(plan.changes).map((group) => {
    switch (group[0].resource) {
      case 'flag':
        return flagResource(group as Group<FlagChange>);
      case 'cohort':
        return resourceOf(
          group,
          (group as Group<CohortChange>).flatMap((change) => cohortEffects(change, plan)),
        );
      case 'role_access':
        return resourceOf(group, (group as Group<RoleChange>).map(accessEffect));
    }
  });
}

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

function flagResource(changes: Group<FlagChange>): ResourceEffects {
  const sides = sidesOf(changes);
  const found = resourceOf(changes, findFlagEffects(changes, sides));
  return isDormant(sides) ? { ...found, dormant: true } : found;
}

function resourceOf(changes: Group, effects: ResourceEffects['effects']): ResourceEffects {
  const [{ resource, key }] = changes;
  return { resource, key, refs: changes.map(({ ref }) => ref), classes: joinClasses(effects), effects };
}

function accessEffect(change: RoleChange): AccessEffect {
  const role = change.role?.name ?? change.role?.id;
  return { what: 'access', classes: ['access'], action: change.action, ...(role === undefined ? {} : { role }) };
}

/** A name or a description changes nobody's value; a definition may change that of everybody who has a flag on the cohort. */
function cohortEffects(change: CohortChange, { warnings }: Pick<Plan, 'warnings'>): CohortEffect[] {
  const name = nameOfCohort(change.key);
  const flags = warnings.flatMap((warning) =>
    warning.code === 'cohort_flags' && warning.key === name ? warning.flags : [],
  );
  const { action } = change;
  if (action === 'update' && !change.fields.some(({ path }) => path.startsWith('/filters'))) {
    return change.fields.map(({ path }) => ({ what: 'metadata', classes: ['metadata'], field: path.slice(1) }));
  }
  const own: readonly EffectClass[] = action === 'update' ? [] : [action];
  // What is new is used by nobody yet: a flag that begins to use it changes itself.
  const used: readonly EffectClass[] = flags.length === 0 || action === 'create' ? [] : ['widen', 'narrow', 're-split'];
  const classes = own.length + used.length === 0 ? (['metadata'] as const) : [...own, ...used];
  return [{ what: 'cohort', classes, action, flags }];
}
