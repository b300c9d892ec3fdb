/** The records of a journal: one JSON object per line, in chronological order. */

import type { JsonObject } from '../base/json.ts';
import type { RunOrigin } from '../apply/origin.ts';
import type { Outcome, OutcomeCounts } from '../apply/result.ts';

/** The major version increases when an older flagwright would misread a journal. */
export const JOURNAL_FORMAT_VERSION = '1.0';

export type JournalRecord =
  | {
      readonly kind: 'begun';
      readonly format_version: string;
      readonly run: string;
      readonly at: string;
      /** The runs that no run followed when it began. Before the plan, so that it is read without it. */
      readonly follows?: readonly string[];
      /** The plan's document, which holds no secret. */
      readonly plan: JsonObject;
      readonly origin?: RunOrigin;
    }
  /** The run continues an earlier attempt at the same plan. */
  | { readonly kind: 'resumed'; readonly at: string }
  /** Flushed to disk before the request is sent; a change may have several. */
  | { readonly kind: 'sending'; readonly ref: string; readonly at: string }
  | { readonly kind: 'settled'; readonly ref: string; readonly at: string; readonly result: Outcome }
  | { readonly kind: 'ended'; readonly at: string; readonly outcomes: OutcomeCounts };
