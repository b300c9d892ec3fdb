/**
 * Every built-in rule that changes are judged by, in one table: its setting, and what lifts it. Safety rules hold in every run, with
 * policies and without; the engine finds what breaks them (`engine/hazards.ts`). Policies hold if the configuration has them.
 */

import type { Permit } from '../engine/safety.ts';
import type { Hazard } from '../posthog/plan.ts';
import type { Level } from './basis/head.ts';
import { POLICIES, type BuiltInRule } from './policies.ts';

type SafetyRuleName = Hazard['code'];

type RuleRow =
  /**
   * `setBy`: the member of the configuration with the limit or the flags; absent if it always holds. `permit`: what lifts it
   * where the service accepts the change; absent if it never does.
   */
  | { readonly sort: 'safety'; readonly setBy?: string; readonly permit?: Permit['kind'] }
  | { readonly sort: 'policy'; readonly setBy: 'policies.rules' };

type RowOfSort<Sort extends RuleRow['sort']> = Extract<RuleRow, { readonly sort: Sort }>;

const POLICY: RowOfSort<'policy'> = { sort: 'policy', setBy: 'policies.rules' };

const SAFETY: { readonly [Name in SafetyRuleName]: RowOfSort<'safety'> } = {
  deletes: { sort: 'safety', setBy: 'limits.deletes', permit: 'deletes' },
  deletes_percent: { sort: 'safety', setBy: 'limits.deletes_percent', permit: 'deletes' },
  updates: { sort: 'safety', setBy: 'limits.updates', permit: 'updates' },
  updates_percent: { sort: 'safety', setBy: 'limits.updates_percent', permit: 'updates' },
  disables: { sort: 'safety', setBy: 'limits.disables', permit: 'disables' },
  manifests_shrunk: { sort: 'safety', permit: 'deletes' },
  protected: { sort: 'safety', setBy: 'protected', permit: 'protected' },
  experiments: { sort: 'safety', permit: 'risky' },
  dependents: { sort: 'safety', permit: 'risky' },
  dependencies_disabled: { sort: 'safety' },
  cohort_used: { sort: 'safety', permit: 'risky' },
  early_access_unmanaged: { sort: 'safety', permit: 'risky' },
  early_access_refused: { sort: 'safety' },
  early_access_linked: { sort: 'safety' },
  lockout: { sort: 'safety', permit: 'risky' },
  own_access: { sort: 'safety', permit: 'risky' },
  conflict: { sort: 'safety', permit: 'override' },
  switched_off: { sort: 'safety', permit: 'override' },
  dependency_left: { sort: 'safety', permit: 'override' },
};

export const RULE_TABLE: typeof SAFETY & { readonly [Name in BuiltInRule]: RowOfSort<'policy'> } = {
  ...SAFETY,
  ...(Object.fromEntries(Object.keys(POLICIES).map((rule) => [rule, POLICY])) as Record<BuiltInRule, typeof POLICY>),
};

/** The ways to lift a rule that a plan breaks. */
export type Lift =
  /** An option of the run, or an entry in the file of `--permits`. */
  | { readonly by: 'option' | 'permit'; readonly permit: Permit }
  /** An approval of a person whom the run names. */
  | { readonly by: 'approval' }
  /** An entry in the file that `policies.waivers` names. */
  | { readonly by: 'waiver' };

export function liftsOfSafety(permit: Permit | undefined): readonly Lift[] {
  if (permit === undefined) return [];
  return [
    { by: 'option', permit },
    { by: 'permit', permit },
  ];
}

/** A warning refuses nothing. */
export function liftsOfPolicy(level: Level): readonly Lift[] {
  if (level === 'warning') return [];
  return level === 'error' ? [{ by: 'waiver' }] : [{ by: 'approval' }, { by: 'waiver' }];
}
