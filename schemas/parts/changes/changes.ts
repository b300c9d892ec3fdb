/** A change of any kind of resource. */

import { oneOf, type Definition, type Keywords } from '../../../src/base/schema.ts';
import type { KindName } from '../../../src/posthog/kind-types.ts';
import { accessChanges } from './access.ts';
import { cohortChanges } from './cohort.ts';
import { type ChangeState } from './common.ts';
import { featureChanges } from './early-access.ts';
import { flagChanges } from './flag.ts';

export function anyChange(state: ChangeState): Keywords {
  return oneOf(Object.values(CHANGES).flatMap((changesOf) => changesOf(state)));
}

/** The changes of each kind: a new kind is a row. */
const CHANGES: { readonly [Kind in KindName]: (state: ChangeState) => readonly Definition[] } = {
  flag: flagChanges,
  cohort: cohortChanges,
  early_access: featureChanges,
  role_access: accessChanges,
};
