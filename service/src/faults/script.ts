/** The types of a fault script (`schemas/faults.schema.json`). */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';

export interface FaultScript {
  readonly faults: readonly FaultRule[];
}

/** When the rule applies, and its effects. Absent members have the defaults of the schema. */
export interface FaultRule extends Effects {
  readonly match?: FaultMatch;
  readonly from?: number;
  readonly count?: number;
  readonly for_ms?: number;
}

export interface FaultMatch {
  readonly operation?: string;
  readonly access?: 'read' | 'write';
  readonly method?: string;
  readonly path?: string;
}

export interface Effects extends Ending, ContentEffects {
  readonly latency?: { readonly ms: number; readonly when?: When };
  readonly edit?: EditEffect;
}

/** The moment before or after the request is handled. An ending before it discards the request. */
export type When = 'before' | 'after';

/** The end of the request instead of its own answer; a rule has at most one. */
export interface Ending {
  readonly answer?: AnswerEffect;
  readonly reset?: { readonly when?: When };
  readonly hang?: { readonly when?: When };
  readonly truncate?: { readonly bytes?: number };
  readonly endless?: Readonly<Record<never, never>>;
  readonly drip?: { readonly bytes?: number; readonly every_ms?: number };
}

/** Changes to an answer that arrives whole. */
export interface ContentEffects {
  readonly content_type?: string;
  readonly unknown_fields?: JsonObject;
  readonly next?: string;
  readonly shrink?: { readonly by?: number };
}

export interface EditEffect {
  readonly when?: When;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonValue;
}

export interface AnswerEffect {
  readonly when?: When;
  readonly status: number;
  readonly body?: 'envelope' | 'html' | 'text' | 'nothing';
  readonly code?: string;
  readonly detail?: string;
  readonly extra?: JsonObject;
  readonly retry_after?: number;
  readonly retry_after_as?: 'seconds' | 'date' | 'detail';
  readonly location?: string;
}

export const ENDINGS: readonly (keyof Ending)[] = ['answer', 'reset', 'hang', 'truncate', 'endless', 'drip'];

/** All members of a rule that have an effect. */
export const EFFECTS: readonly (keyof Effects)[] = [
  ...ENDINGS,
  'latency',
  'edit',
  'content_type',
  'unknown_fields',
  'next',
  'shrink',
];
