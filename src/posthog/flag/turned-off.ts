/** The values that a recorded run of `off` wrote to a flag and no later run wrote: no change reverts them without permission. */

import type { FieldChange } from '../../engine/change.ts';

export interface TurnedOff {
  readonly run: string;
  /** ISO 8601, by the clock of the machine. */
  readonly at: string;
  readonly reason?: string;
  /** The user who executed the run. */
  readonly by?: string;
  /** JSON pointers of the values that it wrote: `/active`, or the percentages of conditions. */
  readonly paths: readonly string[];
}

/** Keys are ids of flags. */
export type TurnedOffFlags = ReadonlyMap<number, TurnedOff>;

/** The differences that would revert what the run wrote. A change that was made in git since the last apply does not count. */
export function revertedValues(
  fields: readonly FieldChange[],
  { paths }: Pick<TurnedOff, 'paths'>,
): readonly FieldChange[] {
  return fields.filter(({ path, divergence }) => paths.includes(path) && divergence !== 'pending');
}
