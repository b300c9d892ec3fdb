/** The reason that a change of a run has no inverse. */

import type { FieldChange } from './change.ts';

export interface RefusedInversion {
  readonly ref: string;
  readonly key: string;
  readonly refusal: 'moved' | 'gone' | 'secret';
  /** The difference between what the run wrote and what is live now. */
  readonly moved: readonly FieldChange[];
}
