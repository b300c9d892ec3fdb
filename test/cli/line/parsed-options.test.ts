/** Values that are read from strings: what each string means, and what is said of one that means nothing. */

import { expect, test } from 'vitest';
import { requiredWhole, time, whole, type Parameter, AT, RATE_LIMIT } from '../../../src/cli/line/options.ts';

const read = (parameter: unknown, text: string, earlier?: unknown): unknown => {
  try {
    return (parameter as Parameter<unknown>).parse?.(text, earlier);
  } catch (error) {
    return (error as Error).message;
  }
};

const NO_RATE = 'It must be a number of requests per second, minute or hour, such as 480/m.';
const NO_DURATION = 'It must be a duration such as 90s, 5m or 1h30m.';

test.each<[string, unknown, string, unknown]>([
  ['--at', AT.at, '2026-12-01T09:00+01:00', Date.UTC(2026, 11, 1, 8)],
  ['--rate-limit', RATE_LIMIT, '10/s', { requests: 10, windowMs: 1000 }],
  ['--rate-limit', RATE_LIMIT, '1/m', { requests: 1, windowMs: 60_000 }],
  ['--rate-limit', RATE_LIMIT, '4800/h', { requests: 4800, windowMs: 3_600_000 }],
  ['--rate-limit', RATE_LIMIT, '0/m', NO_RATE],
  ['--rate-limit', RATE_LIMIT, 'x10/s', NO_RATE],
  ['--rate-limit', RATE_LIMIT, '10/second', NO_RATE],
  ['--rate-limit', RATE_LIMIT, '10/d', NO_RATE],
  ['a whole number', whole('--n <n>', ''), '0', 0],
  ['a whole number', whole('--n <n>', ''), '07', 7],
  ['a whole number', whole('--n <n>', ''), '-1', 'It must be a whole number from 0 up.'],
  ['a whole number', whole('--n <n>', ''), '1e3', 'It must be a whole number from 0 up.'],
  ['a number of a range', whole('--n <n>', '', { from: 2, to: 4 }), '4', 4],
  ['a number of a range', whole('--n <n>', '', { from: 2, to: 4 }), '5', 'It must be a whole number from 2 to 4.'],
  ['a number of a range', whole('--n <n>', '', { from: 2, to: 4 }), '1', 'It must be a whole number from 2 to 4.'],
  ['a number that is required', requiredWhole('--n <n>', ''), '3', 3],
  ['a duration', time('--for <time>', ''), '1m30s', 90_000],
  ['a duration', time('--for <time>', ''), '90', NO_DURATION],
])('%s: %3$s is %4$j', (_, parameter, text, expected) => {
  expect(read(parameter, text)).toEqual(expected);
});

test('a time needs an offset', () => {
  expect(read(AT.at, '2026-12-01T09:00')).toMatch(/^It must be a time with an offset\. \S/);
});
