/** The plan's warnings about cohorts whose name several live ones have: how to merge them, and what it leaves alone until then. */

import type { Shared } from '../../engine/matched.ts';
import type { HeldBack } from '../held-back.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortWarning } from './change.ts';
import { nameOfCohort } from './changes.ts';
import type { DesiredCohort } from './desired.ts';
import { flagsUsing, usesNow } from './uses.ts';

/** One warning for each shared name. */
export function warnOfShared(
  shared: readonly Shared<DesiredCohort>[],
  { whole, conditions }: HeldBack,
  { flags, cohorts }: ProjectSnapshot,
): CohortWarning[] {
  if (shared.length === 0) return [];
  const uses = usesNow(flags, cohorts);
  const own = new Set(shared.map(({ desired }) => nameOfCohort(desired.key)));
  const held = [...[...whole].filter((name) => !own.has(name)), ...conditions].toSorted();
  return shared.map(({ desired, name, ids }) => ({
    code: 'cohort_name_shared',
    key: nameOfCohort(desired.key),
    name,
    cohorts: ids.map(Number).map((id) => ({ id, flags: flagsUsing(id, uses) })),
    held,
  }));
}
