/** Builds answers that replace the service's own: refusals, server errors, proxy pages, redirects. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { AnswerEffect } from './script.ts';

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

interface Body {
  readonly text: string;
  readonly contentType?: string;
}

function buildBody(effect: AnswerEffect): Body {
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
