/** The plan that reverts a run of a PostHog project. */

import type { RefusedInversion } from '../engine/inversion.ts';
import { invertChanges } from '../engine/invert-plan.ts';
import type { Applied } from '../engine/kind.ts';
import { orderChanges } from '../engine/order.ts';
import { sealPlan, type SealOptions } from '../engine/seal-plan.ts';
import { DEFAULT_OPTIONS } from './build-plan.ts';
import { COHORT } from './cohort/kind.ts';
import { FLAG } from './flag/kind.ts';
import { KINDS } from './kinds.ts';
import type { LiveState } from './live.ts';
import type { PostHog } from './model.ts';
import type { Change, Plan } from './plan.ts';
import { nameCohorts, renameFlags, takeSnapshot } from './snapshot.ts';

export type { RefusedInversion } from '../engine/inversion.ts';

export type AppliedChange = Applied<Change>;

export interface Inversion {
  readonly plan: Plan;
  /** Changes that are not reverted, because live state differs from what they wrote, or because a value was never kept. */
  readonly refused: readonly RefusedInversion[];
}

/** `live` must hold every flag of the run, also those that it deleted, and the role lists that it changed. */
export function invertPlan(
  applied: readonly AppliedChange[],
  live: LiveState,
  options: Partial<SealOptions> = {},
): Inversion {
  const aliases = new Map(applied.flatMap(findAlias));
  const now = nameCohorts(renameFlags(takeSnapshot(live), new Map(applied.flatMap(findFormerKey))), aliases);
  const { changes, renamed, refused } = invertChanges<PostHog>(
    applied,
    { kinds: KINDS, snapshot: now },
    now.flags.keyOf,
  );
  const world = { kinds: KINDS, snapshot: renameFlags(now, renamed) };
  const parts = {
    changes: orderChanges<PostHog>(changes, world),
    families: [
      { name: FLAG.name, reach: countLive(live.flags), unchanged: 0 },
      { name: COHORT.name, reach: countLive(live.cohorts ?? []), unchanged: 0 },
    ],
    kept: 0,
    known: [],
    unmanaged: { count: 0, inScope: [] },
    warnings: [],
  };
  return { plan: sealPlan<PostHog>(parts, world, { ...DEFAULT_OPTIONS, ...options }), refused };
}

function countLive(resources: readonly { readonly deleted?: boolean }[]): number {
  return resources.filter(({ deleted }) => deleted !== true).length;
}

/** The service may have renamed a flag when it was deleted; a restore gives it back the key that it had. */
function findFormerKey({ change }: AppliedChange): [number, string][] {
  if (change.resource !== 'flag' || change.action !== 'delete') return [];
  const key = change.base.flag['key'];
  return typeof key === 'string' ? [[change.id, key]] : [];
}

/** What the run named by alias, live state has by id. */
function findAlias({ change, id: answered }: AppliedChange): [string, number][] {
  const id = change.id ?? answered;
  return change.resource === 'cohort' && id !== undefined ? [[change.key, id]] : [];
}
