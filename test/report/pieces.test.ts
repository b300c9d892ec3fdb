import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationText } from '../../src/report/words/duration.ts';
import { escapeLine, quoteShort } from '../../src/report/escape.ts';
import { progressText } from '../../src/report/formats/text/progress.ts';
import { forecastText, remainderText, skipText } from '../../src/report/words/plan.ts';
import { blockLines, inlineValue } from '../../src/report/formats/text/value.ts';
import type { JsonValue } from '../../src/base/json.ts';

describe('values', () => {
  test.each<[JsonValue, string]>([
    ['control', 'control'],
    ['true', '"true"'],
    ['two words', '"two words"'],
    ['', '""'],
    ['No', '"No"'],
    ['10', '"10"'],
    [10, '10'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [{ 'a b': [1, 'x'] }, '{ "a b": [1, x] }'],
  ])('%j is shown as %s', (value, text) => {
    expect(inlineValue(value)).toBe(text);
  });

  test('one line holds no line break, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(inlineValue(value as JsonValue)).not.toMatch(/[\p{Cc}\p{Zl}]/u);
        for (const line of blockLines(value as JsonValue)) expect(line).not.toMatch(/[\p{Cc}\p{Zl}]/u);
      }),
    );
  });

  test('values that differ are shown differently', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(inlineValue(a as JsonValue)).not.toBe(inlineValue(b as JsonValue));
      }),
    );
  });
});

describe('escapes', () => {
  test.each([
    ['plain text · é 日本 🎉', 'plain text · é 日本 🎉'],
    ['\u001b]8;;http://x\u0007', '\\u001b]8;;http://x\\u0007'],
    ['a\tb\r\nc', 'a\\tb\\r\\nc'],
    ['\u200bzero\ufeff', '\\u200bzero\\ufeff'],
    ['\ud800', '\\ud800'],
  ])('%j becomes %j', (text, escaped) => {
    expect(escapeLine(text)).toBe(escaped);
  });

  test('no line of a text is a command to a build log', () => {
    expect(blockLines('a\n::add-mask::b\n  ::error::c\n##[error]d')).toEqual([
      'a',
      ':\\u003aadd-mask::b',
      '  :\\u003aerror::c',
      '#\\u0023[error]d',
    ]);
  });

  test('a quotation is cut by characters, not in the middle of one', () => {
    expect(quoteShort('🎉'.repeat(100), 3)).toBe('🎉🎉…');
  });
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1234, '1.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [185_000, '3 min 5 s'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [{ done: 0, total: 40, failed: 0, elapsedMs: 10, pausedMs: 0, leastMs: 0 }, '0 of 40 changes'],
  [
    { done: 10, total: 40, failed: 1, elapsedMs: 2000, pausedMs: 0, leastMs: 0 },
    '10 of 40 changes · 1 failed · about 6 s left',
  ],
  [{ done: 40, total: 40, failed: 0, elapsedMs: 9000, pausedMs: 0, leastMs: 0 }, '40 of 40 changes'],
  [
    { done: 384, total: 1000, failed: 0, elapsedMs: 4000, pausedMs: 0, leastMs: 116_000 },
    '384 of 1000 changes · about 1 min 56 s left',
  ],
  [
    { done: 10, total: 20, failed: 0, elapsedMs: 1000, pausedMs: 30_000, leastMs: 0 },
    '10 of 20 changes · waiting 30 s for the service · about 31 s left',
  ],
])('progress %j reads %s', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});

test.each([
  [
    { requests: 37, seconds: 9.4, hour_percent: 0.8 },
    'Applying takes 37 requests, about 9 s, 0.8 % of the hourly budget.',
  ],
  [{ requests: 1, seconds: 0.4, hour_percent: 0 }, 'Applying takes 1 request, less than 0.1 % of the hourly budget.'],
  [
    { requests: 5000, seconds: 3780, hour_percent: 104.2 },
    'Applying takes 5000 requests, about 63 min 0 s, 104.2 % of the hourly budget.',
  ],
  [{ requests: 5, seconds: 0.1 }, 'Applying takes 5 requests.'],
])('forecast %j reads %s', (forecast, text) => {
  expect(forecastText(forecast)).toBe(text);
});

test('a difference that nobody can be blamed for, and a write that was not recorded, say no more than is known', () => {
  const rest = { ref: 'flag:a', key: 'a', path: '/name', wanted: 'ours', reason: 'changed_afterwards' } as const;
  expect(remainderText({ ...rest, found: 'theirs' })).toBe(
    'it is theirs instead of ours: somebody, or the service, changed it after it was written',
  );
  expect(remainderText(rest)).toContain('it is nothing instead of ours');
  expect(skipText({ code: 'not_recorded' })).toBe('nothing was sent: the journal could not be written');
});
