/** The wait that the service asks for, in any of its forms. */

export interface RetryHints {
  /** The header `Retry-After`: seconds, or a date. */
  readonly retryAfter: string | undefined;
  /** The header `Date`: a date in `Retry-After` is relative to it, since the two clocks may differ. */
  readonly date: string | undefined;
  /** Detail of the answer; services of 2023 give the seconds only there (docs/service.md, "Rate limits"). */
  readonly detail: string | null;
}

/** Milliseconds to wait, at least 0; `undefined` when the answer does not say. */
export function retryAfterMs(hints: RetryHints, now: number): number | undefined {
  return fromHeader(hints, now) ?? fromDetail(hints.detail);
}

function fromHeader(hints: RetryHints, now: number): number | undefined {
  const header = hints.retryAfter?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const moment = httpDate(header);
  if (Number.isNaN(moment) || !/[a-z]/i.test(header)) return undefined;
  const sent = httpDate(hints.date?.trim() ?? '');
  return Math.max(0, moment - (Number.isNaN(sent) ? now : sent));
}

/** HTTP dates are in GMT, even in the oldest form, which has no time zone. */
function httpDate(text: string): number {
  return Date.parse(/:\d{2}(\.\d+)? ?(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text} GMT`);
}

function fromDetail(detail: string | null): number | undefined {
  const seconds = /(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)\b/i.exec(detail ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
