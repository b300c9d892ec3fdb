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
  /** The flag was off before the run: a change that was made in git since then would turn it on too. */
  readonly already?: true;
}

/** Keys are ids of flags. */
export type TurnedOffFlags = ReadonlyMap<number, TurnedOff>;

/**
 * The differences that would revert what the run wrote. A change that was made in git since the last apply does not count, unless the flag was
 * off before the run: then nothing else tells that a person wants it off.
 */
export function revertedValues(
  fields: readonly FieldChange[],
  { paths, already }: Pick<TurnedOff, 'paths' | 'already'>,
): readonly FieldChange[] {
  return fields.filter(
    ({ path, divergence }) => paths.includes(path) && (already === true || divergence !== 'pending'),
  );
}
