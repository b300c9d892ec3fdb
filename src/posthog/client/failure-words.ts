/** Words that several kinds of failure share. */

import type { ErrorCode } from '../../base/errors.ts';
import type { FailureOf } from './failure.ts';

/** A failure that ends a run: the code and the words of its error. */
export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

/** What the service said. */
export function detailOf({ detail }: { readonly detail: string | null }): string {
  return detail === null || detail === '' ? 'no reason was given' : detail;
}

export function withDetail(head: string, detail: string | null | undefined): string {
  return detail === null || detail === undefined || detail === '' ? head.trim() : `${head.trim()}: ${detail}`;
}

interface Refusal {
  readonly status: number;
  readonly code: string | null;
  /** The field or the parameter that was refused. */
  readonly attr?: string | null;
  readonly detail: string | null;
}

export function describeRefusal({ status, code, attr = null, detail }: Refusal): RunError {
  const name = attr === null ? code : `${code ?? 'invalid'} at ${attr}`;
  const head = `The service refused the request: ${status}${name === null ? '' : ` ${name}`}`;
  return { code: 'service_refused', message: withDetail(head, detail) };
}

type InvalidAnswer = FailureOf<'invalid_answer'>;

export function summarizeInvalid({ why, at, expected }: InvalidAnswer): string {
  const shape = at === undefined || expected === undefined ? expected : `expected ${expected} at '${at}'`;
  return withDetail(`invalid answer (${why})`, shape);
}

export function describeInvalid({ why, at, expected }: InvalidAnswer): RunError {
  if (why === 'listing_unstable') {
    return {
      code: 'answer_invalid',
      message: 'The list kept changing while it was read page by page',
      remedy: 'Run the same command again when fewer flags are being created or deleted.',
    };
  }
  const facts = [why, ...(expected === undefined ? [] : [`expected ${expected} at '${at ?? ''}'`])].join(', ');
  const isText = why === 'not_json' || why === 'not_utf8';
  return {
    code: 'answer_invalid',
    message: isText
      ? `The service sent HTML or another answer that is not JSON (${facts})`
      : `The service sent an answer of an unexpected form (${facts})`,
    remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
  };
}
