/** The error envelope: refusals as errors to throw, and the answer for each. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer } from './call.ts';

type EnvelopeType =
  'validation_error' | 'invalid_request' | 'authentication_error' | 'throttled_error' | 'server_error';

interface RefusalFacts {
  readonly status: number;
  readonly type: EnvelopeType;
  readonly code: string;
  readonly attr?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the envelope. */
  readonly body?: JsonObject;
}

/** Thrown by handlers to refuse a request. It rolls back the transaction that it passes through. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly facts: RefusalFacts;

  constructor(detail: string, facts: RefusalFacts, options?: ErrorOptions) {
    super(detail, options);
    this.facts = facts;
  }
}

/** 400: a field, or with `attr` null the whole object, is invalid. */
export function invalid(code: string, detail: string, attr: string | null): Refusal {
  return new Refusal(detail, { status: 400, type: 'validation_error', code, attr });
}

/** 400: what was sent is invalid as a whole. */
export function invalidInput(detail: string): Refusal {
  return invalid('invalid_input', detail, null);
}

export function malformed(detail: string): Refusal {
  return new Refusal(detail, { status: 400, type: 'invalid_request', code: 'parse_error' });
}

export function unauthenticated(code: 'not_authenticated' | 'authentication_failed', detail: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer realm="api"' };
  return new Refusal(detail, { status: 401, type: 'authentication_error', code, headers });
}

export function forbidden(detail: string): Refusal {
  return new Refusal(detail, { status: 403, type: 'authentication_error', code: 'permission_denied' });
}

export function notFound(detail = 'Not found.'): Refusal {
  return new Refusal(detail, { status: 404, type: 'invalid_request', code: 'not_found' });
}

/** What a path names. Throws a 404 where there is none. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw notFound();
  return found;
}

export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  const headers = { Allow: allowed.join(', ') };
  const facts = { status: 405, type: 'invalid_request', code: 'method_not_allowed', headers } as const;
  return new Refusal(`Method "${method}" not allowed.`, facts);
}

export function conflict(detail: string): Refusal {
  // The service's envelope types a lost lock as a server error; see "Lock" in docs/service.md.
  return new Refusal(detail, { status: 409, type: 'server_error', code: 'conflict' });
}

export function tooLarge(limit: number): Refusal {
  const detail = `The body is larger than ${limit} bytes.`;
  return new Refusal(detail, { status: 413, type: 'invalid_request', code: 'request_too_large' });
}

export function unsupportedMediaType(mediaType: string): Refusal {
  const facts = { status: 415, type: 'invalid_request', code: 'unsupported_media_type' } as const;
  return new Refusal(`Unsupported media type "${mediaType}" in request.`, facts);
}

export function throttled(waitSeconds: number, retryAfter: boolean): Refusal {
  const headers: Record<string, string> = retryAfter ? { 'Retry-After': String(waitSeconds) } : {};
  const detail = `Request was throttled. Expected available in ${waitSeconds} second${waitSeconds === 1 ? '' : 's'}.`;
  return new Refusal(detail, { status: 429, type: 'throttled_error', code: 'throttled', headers });
}

export function serverError(): Refusal {
  return new Refusal('A server error occurred.', { status: 500, type: 'server_error', code: 'error' });
}

/** The answer for anything thrown. Errors other than refusals become a 500 without details. */
export function answerFor(error: unknown): Answer {
  if (!(error instanceof Refusal)) return answerFor(serverError());
  const { status, type, code, attr = null, headers = {} } = error.facts;
  const body: JsonObject = error.facts.body ?? { type, code, detail: error.message, attr };
  return { status, body, headers };
}
