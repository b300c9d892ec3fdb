/** The records of a journal: one JSON object to a line, in the order in which things happened. */

import type { JsonObject } from '../base/json.ts';
import type { Outcome, OutcomeCounts } from '../apply/result.ts';

/** Grows by one in front of the point when an older flagwright would misread a journal. */
export const JOURNAL_FORMAT_VERSION = '1.0';

export type JournalRecord =
  | {
      readonly kind: 'begun';
      readonly format_version: string;
      readonly run: string;
      readonly at: string;
      /** The plan's document, which holds no secret. */
      readonly plan: JsonObject;
    }
  /** The run takes up an earlier attempt at the same plan. */
  | { readonly kind: 'resumed'; readonly at: string }
  /** Safe on the disk before the request is sent; there may be several for one change. */
  | { readonly kind: 'sending'; readonly ref: string; readonly at: string }
  | { readonly kind: 'settled'; readonly ref: string; readonly at: string; readonly result: Outcome }
  | { readonly kind: 'ended'; readonly at: string; readonly outcomes: OutcomeCounts };
