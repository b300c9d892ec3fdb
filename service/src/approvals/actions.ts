/** Finds which actions that can need an approval a write of a flag takes. */

import type { JsonObject } from '../../../src/base/json.ts';
import { GATED_ACTIONS, type GatedAction } from '../store/approvals.ts';
import type { StoredFlag } from '../store/flag.ts';
import { gatedValuesOf, triggeredPaths } from './gated-values.ts';

/** A write of one flag that is checked and not made yet. */
export interface CheckedWrite {
  /** Absent for a new flag. */
  readonly before?: StoredFlag;
  /** The flag as the write would leave it. */
  readonly after: StoredFlag;
  /** The sent values, checked, by their names in the interface. */
  readonly values: JsonObject;
}

/** Sorted as in the service. */
export function findActions(write: CheckedWrite): GatedAction[] {
  return GATED_ACTIONS.filter((action) => DETECTORS[action](write));
}

/** The service looks at what is sent: a flag that is created without `active` is enabled. */
const DETECTORS: { readonly [Action in GatedAction]: (write: CheckedWrite) => boolean } = {
  'feature_flag.enable': ({ before, values }) =>
    before === undefined ? values['active'] !== false : values['active'] === true && !before.active,
  'feature_flag.disable': ({ before, values }) => before?.active === true && values['active'] === false,
  'feature_flag.update': (write) => triggeredPaths(gatedValuesOf(write.before, write.after)).length > 0,
};
