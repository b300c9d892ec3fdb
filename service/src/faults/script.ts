/** The types of a fault script (`schemas/faults.schema.json`), and the answers that replace those of the service: refusals, errors, proxy pages. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { defined } from '../../../src/base/optional.ts';

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

interface AnswerEffect {
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

/** An answer as sent over the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function buildFaultReply(effect: AnswerEffect, now: Date): WireReply {
  const { text, contentType } = buildBody(effect);
  return {
    status: effect.status,
    headers: {
      ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
      ...defined({ Location: effect.location }),
      ...buildRetryAfter(effect, now),
    },
    text,
  };
}

function buildBody(effect: AnswerEffect): { text: string; contentType?: string } {
  const { body = 'envelope', status } = effect;
  switch (body) {
    case 'envelope':
      return { text: stringifyJson(buildEnvelope(effect)), contentType: 'application/json' };
    case 'html':
      return {
        text: `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`,
        contentType: 'text/html; charset=utf-8',
      };
    case 'text':
      // The body contradicts its content type.
      return { text: `upstream said ${status}\n`, contentType: 'application/json' };
    case 'nothing':
      return { text: '' };
    default:
      return body satisfies never;
  }
}

function buildEnvelope({ status, code, detail, extra, ...effect }: AnswerEffect): JsonObject {
  const [type, usualCode] = USUAL[status] ?? (status >= 500 ? ['server_error', 'error'] : ['invalid_request', 'error']);
  const wait =
    effect.retry_after !== undefined && effect.retry_after_as === 'detail'
      ? ` Expected available in ${effect.retry_after} seconds.`
      : '';
  return { ...extra, type, code: code ?? usualCode, detail: `${detail ?? 'An injected fault.'}${wait}`, attr: null };
}

/** The envelope's type and code for a status; see "Errors" in docs/service.md. */
const USUAL: Readonly<Record<number, readonly [type: string, code: string]>> = {
  400: ['validation_error', 'invalid_input'],
  401: ['authentication_error', 'authentication_failed'],
  403: ['authentication_error', 'permission_denied'],
  404: ['invalid_request', 'not_found'],
  409: ['server_error', 'conflict'],
  429: ['throttled_error', 'throttled'],
};

function buildRetryAfter({ retry_after: seconds, retry_after_as: form = 'seconds' }: AnswerEffect, now: Date): object {
  if (seconds === undefined || form === 'detail') return {};
  if (form === 'seconds') return { 'Retry-After': String(seconds) };
  return { Date: now.toUTCString(), 'Retry-After': new Date(now.getTime() + seconds * 1000).toUTCString() };
}
