/** A script of faults as it is written (`schemas/faults.schema.json`). */

import type { JsonObject, JsonValue } from '../../base/json.ts';

export interface FaultScript {
  readonly faults: readonly FaultRule[];
}

/** When it happens, and what. Members that are absent take the defaults of the schema. */
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

/** Before the request is carried out, or after. What ends a request before it is carried out discards it. */
export type When = 'before' | 'after';

/** What a request comes to in place of its own answer; a rule has at most one. */
export interface Ending {
  readonly answer?: AnswerEffect;
  readonly reset?: { readonly when?: When };
  readonly hang?: { readonly when?: When };
  readonly truncate?: { readonly bytes?: number };
  readonly endless?: Readonly<Record<never, never>>;
  readonly drip?: { readonly bytes?: number; readonly every_ms?: number };
}

/** What is different in an answer that arrives whole. */
export interface ContentEffects {
  readonly content_type?: string;
  readonly unknown_fields?: JsonObject;
  readonly next?: string;
  readonly shrink?: { readonly by?: number };
}

export interface EditEffect {
  readonly when?: When;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
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

/** Every member of a rule that does something. */
export const EFFECTS: readonly (keyof Effects)[] = [
  ...ENDINGS,
  'latency',
  'edit',
  'content_type',
  'unknown_fields',
  'next',
  'shrink',
];
