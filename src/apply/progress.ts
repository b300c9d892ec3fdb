/** What an apply tells while it runs: facts for a progress line, never a sentence. */

import type { Change } from '../plan/plan.ts';
import type { Outcome } from './result.ts';

export type ApplyProgress =
  | { readonly kind: 'reading' }
  | { readonly kind: 'started'; readonly change: Change; readonly total: number }
  | {
      readonly kind: 'finished';
      readonly change: Change;
      readonly result: Outcome;
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: 'verifying' };
