/** Finds values that a recorded run of `off` wrote to a flag, if no later run wrote the same: nothing turns it on again unasked. */

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

/** The values of a change that would revert what the run wrote. A change of git since the last apply is not one. */
export function takenBack(fields: readonly FieldChange[], { paths }: Pick<TurnedOff, 'paths'>): readonly FieldChange[] {
  return fields.filter(({ path, divergence }) => paths.includes(path) && divergence !== 'pending');
}
