/** Why a change of a run has no inverse. */

import type { FieldChange } from './change.ts';

export interface RefusedInversion {
  readonly ref: string;
  readonly key: string;
  readonly refusal: 'moved' | 'gone' | 'secret';
  /** From what the run wrote to what is live now. */
  readonly moved: readonly FieldChange[];
}
