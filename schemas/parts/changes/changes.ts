/** A change of any kind of resource. */

import { oneOf, type Keywords } from '../../../src/base/schema.ts';
import { accessChanges } from './access.ts';
import { cohortChanges } from './cohort.ts';
import { type ChangeState } from './common.ts';
import { featureChanges } from './early-access.ts';
import { flagChanges } from './flag.ts';

export function anyChange(state: ChangeState): Keywords {
  return oneOf([...flagChanges(state), ...cohortChanges(state), ...featureChanges(state), ...accessChanges(state)]);
}
