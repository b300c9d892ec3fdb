/** Values that are read from strings: what each string means, and what is said of one that means nothing. */

import { expect, test } from 'vitest';
import { requiredWhole, time, whole, type Parameter } from '../../../src/cli/line/parameters.ts';
import { AT, PERSONS, RATE_LIMIT } from '../../../src/cli/line/parsed-options.ts';

const read = (parameter: unknown, text: string, earlier?: unknown): unknown => {
  try {
    return (parameter as Parameter<unknown>).parse?.(text, earlier);
  } catch (error) {
    return (error as Error).message;
  }
};

const NO_RATE = 'It must be a number of requests per second, minute or hour, such as 480/m.';
const NO_DURATION = 'It must be a duration such as 90s, 5m or 1h30m.';
const noLive = (text: string): string =>
  `After live: a whole number from 1 to 1000000 must follow, as in live:1000. A file of that name is ./${text}.`;

test.each<[string, unknown, string, unknown]>([
  ['--at', AT.at, '2026-12-01T09:00+01:00', Date.UTC(2026, 11, 1, 8)],
  ['--persons', PERSONS, 'people.csv', { source: 'file', file: 'people.csv' }],
  ['--persons', PERSONS, 'live', { source: 'live', most: 1000 }],
  ['--persons', PERSONS, 'live:1', { source: 'live', most: 1 }],
  ['--persons', PERSONS, 'live:1000000', { source: 'live', most: 1_000_000 }],
  ['--persons', PERSONS, 'live:1000001', noLive('live:1000001')],
  ['--persons', PERSONS, 'live:0', noLive('live:0')],
  ['--persons', PERSONS, 'live:5x', noLive('live:5x')],
  ['--persons', PERSONS, 'live:x5', noLive('live:x5')],
  ['--persons', PERSONS, 'alive:5', { source: 'file', file: 'alive:5' }],
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

test('a time needs an offset, and people are named once', () => {
  expect(read(AT.at, '2026-12-01T09:00')).toMatch(/^It must be a time with an offset\. \S/);
  expect(read(PERSONS, 'live', { source: 'file', file: 'a' })).toBe(
    'It may be given once. Join files of people into one.',
  );
});
