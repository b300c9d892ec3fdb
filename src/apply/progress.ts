/** What an apply reports while it runs: facts for a progress line, never a sentence. */

import type { Change } from '../posthog/plan.ts';
import type { Outcome } from './result.ts';

export type ApplyProgress =
  | { readonly kind: 'reading' }
  | ({ readonly kind: 'started'; readonly change: Change } & WorkLeft)
  | ({
      readonly kind: 'finished';
      readonly change: Change;
      readonly result: Outcome;
      readonly done: number;
    } & WorkLeft)
  | { readonly kind: 'verifying' };

interface WorkLeft {
  readonly total: number;
  /** The least time in milliseconds that the request budget allows for the changes that remain. */
  readonly leastMs: number;
}
