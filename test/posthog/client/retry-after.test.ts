/** The wait that the service asks for, in any of its forms. */

import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/posthog/client/answer.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const CASES: readonly [string, string | undefined, string | undefined, string | null, number | undefined][] = [
  ['seconds', '30', undefined, null, 30_000],
  ['a part of a second', '0.5', undefined, null, 500],
  ['seconds with spaces', ' 7 ', undefined, null, 7000],
  ['a date, by our clock', 'Sun, 01 Mar 2026 12:00:30 GMT', undefined, null, 30_000],
  ['a date, by the clock of the service', 'Sun, 01 Mar 2026 13:00:05 GMT', 'Sun, 01 Mar 2026 13:00:00 GMT', null, 5000],
  ['a date in the oldest form, in GMT too', 'Sun Mar  1 12:00:30 2026', 'Sun Mar  1 12:00:00 2026', null, 30_000],
  ['a date with an offset', 'Sun, 01 Mar 2026 14:00:30 +0200', undefined, null, 30_000],
  ['a date that has passed', 'Sun, 01 Mar 2026 11:00:00 GMT', undefined, null, 0],
  ['no header, seconds in the detail', undefined, undefined, 'Expected available in 56 seconds.', 56_000],
  ['no header, one second', undefined, undefined, 'Expected available in 1 second.', 1000],
  ['the header before the detail', '3', undefined, 'Expected available in 56 seconds.', 3000],
  ['an invalid header, then the detail', 'soon', undefined, 'in 5s', 5000],
  ['a negative number', '-5', undefined, null, undefined],
  ['a detail without a number', undefined, undefined, 'Request was throttled.', undefined],
  ['a number of something else', undefined, undefined, 'Limit is 480 requests.', undefined],
  ['nothing', undefined, undefined, null, undefined],
];

test.each(CASES)('%s', (_name, retryAfter, date, detail, expected) => {
  expect(retryAfterMs({ retryAfter, date, detail }, NOW)).toBe(expected);
});

const ODD: readonly (readonly [header: string | undefined, detail: string | null, expected: number | undefined])[] = [
  ['0', null, 0],
  ['1.25', null, 1250],
  ['1.', null, undefined],
  ['.5', null, undefined],
  ['30x', null, undefined],
  ['x30', null, undefined],
  ['12/25/2099', null, undefined],
  ['', 'in 2 seconds', 2000],
  ['   ', null, undefined],
  [undefined, 'in 1.5 seconds', 1500],
  [undefined, 'IN 12 SECONDS', 12_000],
  [undefined, 'wait 5 sec', 5000],
  [undefined, 'wait 5 secs.', 5000],
  [undefined, 'wait 5s', 5000],
  [undefined, 'for 4 seasons', undefined],
  [undefined, 'for 4 minutes', undefined],
];

test.each(ODD)('the header %j and the text %j', (retryAfter, detail, expected) => {
  expect(retryAfterMs({ retryAfter, date: undefined, detail }, NOW)).toBe(expected);
});

test('a date with an unreadable service clock is relative to ours', () => {
  const retryAfter = 'Sun, 01 Mar 2026 12:00:30 GMT';
  expect(retryAfterMs({ retryAfter, date: 'yesterday', detail: null }, NOW)).toBe(30_000);
});
