/** What a project has anything of: a run asks nothing of the rest. */

import { arrayOrEmpty } from '../base/json.ts';
import type { DesiredState } from './desired.ts';
import type { FurtherFamily, KindName } from './kind-types.ts';
import type { LiveState } from './live.ts';
import { declaresAccess } from './role-access/access.ts';

/** What is known of a project. `former`: what the base declared. */
export interface KnownStates {
  readonly desired: DesiredState;
  readonly live?: LiveState;
  readonly former?: DesiredState | undefined;
}

const IS_PRESENT: { readonly [Name in KindName]: (states: KnownStates) => boolean } = {
  flag: () => true,
  role_access: ({ desired, live, former }) =>
    desired.flags.some(declaresAccess) ||
    former?.flags.some(declaresAccess) === true ||
    Object.keys(live?.roleAccess ?? {}).length > 0,
  cohort: hasAny('cohorts'),
  // Today's service names the features of a flag in the flag.
  early_access: (states) =>
    hasAny('early_access')(states) ||
    states.live?.flags.some((flag) => arrayOrEmpty(flag['features']).length > 0) === true,
};

export function isPresent({ name }: { readonly name: KindName }, states: KnownStates): boolean {
  return IS_PRESENT[name](states);
}

function hasAny(section: FurtherFamily): (states: KnownStates) => boolean {
  return ({ desired, live, former }) => [desired, live, former].some((state) => (state?.[section] ?? []).length > 0);
}

/** Whether a declared value changes over time. */
export function hasRollouts({ flags }: DesiredState): boolean {
  return flags.some((flag) => flag.kind === 'declared' && flag.rollouts !== undefined);
}
