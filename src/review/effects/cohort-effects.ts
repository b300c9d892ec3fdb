/** Finds what a change of a cohort does in the flags that use it. */

import { objectOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { CohortChange } from '../../posthog/cohort/change.ts';
import { canonicalCohort, COHORT_TEXTS } from '../../posthog/cohort/cohort.ts';
import type { CohortUse } from '../../posthog/cohort/uses.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { Plan } from '../../posthog/plan.ts';
import { type AudienceChange, compareDefinitions } from './audience.ts';
import type { CohortEffect, EffectClass } from './effect.ts';

type ProvedChange = Exclude<AudienceChange, 'other'>;

/** A direction in which the change of a cohort is read. */
interface CohortReading {
  readonly action: CohortChange['action'];
  /** From the declared definition to the live one. */
  readonly isReversed: boolean;
  readonly warnings: Plan['warnings'];
}

/**
 * A new name or description changes nobody's value; any other field may change the value of anybody with a flag on the cohort, and only of a
 * definition can be proved what it does.
 */
export function findCohortEffects(
  change: CohortChange,
  { action, isReversed, warnings }: CohortReading,
): readonly CohortEffect[] {
  const deciding = change.fields.filter(({ path }) => !COHORT_TEXTS.some((name) => path === `/${name}`));
  if (action === 'update' && deciding.length === 0) {
    return change.fields.map(({ path }) => ({ what: 'metadata', classes: ['metadata'], field: path.slice(1) }));
  }
  const name = nameResource('cohort', change.key);
  const told = warnings.flatMap((one) => (one.code === 'cohort_flags' && one.key === name ? one : []));
  const flags = told.flatMap((warning) => warning.flags);
  const isProvable = action === 'update' && deciding.every(({ path }) => path.startsWith('/filters'));
  const audience = isProvable ? audienceAfter(change, isReversed) : undefined;
  const own: readonly EffectClass[] = action === 'update' ? [] : [action];
  // A new cohort has no users yet: a flag that begins to use it has its own change.
  const isUsed = flags.length > 0 && action !== 'create';
  const used = isUsed ? told.flatMap(({ uses = ['other'] }) => classesOfUses(uses, audience)) : [];
  const classes = own.length + used.length === 0 ? (['metadata'] as const) : [...own, ...used];
  return [{ what: 'cohort', classes, action, flags, ...defined({ audience }) }];
}

/** What flags may do when the cohort gains members or loses some; without `audience`, it may do both. */
function classesOfUses(uses: readonly CohortUse[], audience: ProvedChange | undefined): readonly EffectClass[] {
  if (audience === 'same') return [];
  if (audience === undefined || uses.includes('other')) return ['widen', 'narrow', 're-split'];
  const [gaining, losing] = audience === 'wider' ? (['in', 'not_in'] as const) : (['not_in', 'in'] as const);
  return [
    ...(uses.includes(gaining) ? (['widen'] as const) : []),
    ...(uses.includes(losing) ? (['narrow'] as const) : []),
    ...(uses.includes('variants') ? (['re-split'] as const) : []),
  ];
}

/** `undefined` where the definitions cannot be compared. */
function audienceAfter(change: CohortChange, isReversed: boolean): ProvedChange | undefined {
  if (change.action !== 'update') return undefined;
  // The body is as declared, without the usual members that a live definition has.
  const sides = [change.base.cohort, change.body].map(
    (fields) => objectOrEmpty(canonicalCohort(fields)['filters'])['properties'],
  );
  const [before, after] = isReversed ? sides.toReversed() : sides;
  const direction = compareDefinitions(before, after);
  return direction === 'other' ? undefined : direction;
}
