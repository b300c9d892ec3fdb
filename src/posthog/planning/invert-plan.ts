/** The plan that reverts a run of a PostHog project. */

import { without, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Applied, RefusedInversion } from '../../core/engine/kind.ts';
import { invertChanges } from '../../core/engine/invert-plan.ts';
import { orderChanges } from '../../core/engine/order.ts';
import { sealPlan, type SealOptions } from '../../core/engine/seal-plan.ts';
import { DEFAULT_OPTIONS } from './build-plan.ts';
import { FAMILIES } from '../families.ts';
import type { NamedIds } from '../family.ts';
import { KIND_BY_NAME, KINDS } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import type { PostHog } from '../kind.ts';
import type { Change, Plan } from '../plan.ts';
import { takeSnapshot } from '../snapshot.ts';
import { ENROLLMENT_PARTS } from '../early-access/feature.ts';

export type { RefusedInversion } from '../../core/engine/kind.ts';

export type AppliedChange = Applied<Change>;

export interface Inversion {
  readonly plan: Plan;
  /** Changes that are not reverted, because live state differs from what they wrote, or because a value was never kept. */
  readonly refused: readonly RefusedInversion[];
}

/** `live` must hold every flag of the run, including those that it deleted, and the role access that it changed. */
export function invertPlan(
  applied: readonly AppliedChange[],
  live: LiveState,
  options: Partial<SealOptions> = {},
): Inversion {
  const now = FAMILIES.reduce(
    (snapshot, family) =>
      family.name(
        snapshot,
        applied.flatMap((one) => family.namesToUndo(one)),
      ),
    takeSnapshot(live),
  );
  const { changes, renamed, refused } = invertChanges<PostHog>(
    applied.map((one) => withoutEnrollment(one, applied)),
    { kinds: KINDS, snapshot: now },
    now.flags.keyOf,
  );
  const names: NamedIds = [...renamed].map(([id, key]) => [key, id]);
  const world = { kinds: KINDS, snapshot: KIND_BY_NAME.flag.family.name(now, names) };
  const parts = {
    changes: orderChanges<PostHog>(changes, world),
    families: FAMILIES.map(({ kind, section }) => ({
      name: kind,
      reach: (live[section] ?? []).filter((one) => !('deleted' in one && one.deleted === true)).length,
      unchanged: 0,
    })),
    kept: 0,
    known: [],
    unmanaged: { count: 0, inScope: [] },
    warnings: [],
  };
  return { plan: sealPlan<PostHog>(parts, world, { ...DEFAULT_OPTIONS, ...options }), refused };
}

/** The stage of a feature decides who is enrolled: where a run wrote it, the flag's part of that is not what its own change wrote. */
function withoutEnrollment(one: AppliedChange, applied: readonly AppliedChange[]): AppliedChange {
  const { change } = one;
  if (change.resource !== 'flag') return one;
  const isStaged = applied.some(
    ({ change: { resource, ...of } }) => resource === 'early_access' && 'flag' in of && of.flag === change.key,
  );
  if (!isStaged) return one;
  const body = withoutParts(change.body);
  if (change.action === 'create') return { ...one, change: { ...change, body } };
  const base = { ...change.base, former: withoutParts(change.base.former) };
  return { ...one, change: { ...change, body, base } };
}

function withoutParts(fields: JsonObject): JsonObject {
  const { filters } = fields;
  return isJsonObject(filters) ? { ...fields, filters: without(filters, ENROLLMENT_PARTS) } : fields;
}
