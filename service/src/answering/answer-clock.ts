/**
 * Reads and moves the service's clock over HTTP, where `serve --clock` opens it: no part of PostHog's interface. A page of another
 * origin cannot use it: it takes a key in the header and a body of JSON, and has no CORS.
 */

import { FlagwrightError } from '../../../src/base/errors.ts';
import { objectOrEmpty } from '../../../src/base/json.ts';
import { formatTimestamp, parseTimestamp } from '../format/timestamp.ts';
import type { Answer } from '../handler/call.ts';
import type { ServiceClock } from '../handler/clock.ts';
import { invalidInput, methodNotAllowed } from '../handler/envelope.ts';
import { parseBody } from './answer-project.ts';
import { authenticate, readKeyFromHeader } from './authentication.ts';
import type { AnsweringOptions, ServiceRequest } from './request.ts';

export const CLOCK_PATH = '/_flagwright/clock';

/** A POST moves it, by `set` or `advance_seconds`, and answers once everything due until then has run. */
export function answerClock(request: ServiceRequest, clock: ServiceClock, options: AnsweringOptions): Answer {
  authenticate(readKeyFromHeader(request.authorization), options);
  if (request.method === 'POST') move(clock, request);
  else if (request.method !== 'GET') throw methodNotAllowed(request.method, ['GET', 'POST']);
  return { status: 200, body: { now: formatTimestamp(clock.now()) } };
}

function move(clock: ServiceClock, request: ServiceRequest): void {
  const { set, advance_seconds: seconds } = objectOrEmpty(parseBody(request).body);
  const time = typeof set === 'string' && ZONED.test(set) ? parseTimestamp(set) : undefined;
  try {
    if (seconds === undefined && time !== undefined) clock.set(new Date(time));
    else if (set === undefined && typeof seconds === 'number') clock.advance(seconds * 1000);
    else {
      throw invalidInput('Send set, a time such as 2026-12-01T09:00:00+01:00, or advance_seconds.');
    }
  } catch (error) {
    if (error instanceof FlagwrightError) throw invalidInput(error.message);
    throw error;
  }
}

const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/i;
