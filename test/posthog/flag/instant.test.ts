/** Moments as the service reads and writes them: a time without an offset is UTC, in any local time zone. */

import fc from 'fast-check';
import { env } from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { parseMicroseconds, parseTimestamp } from '../../../service/src/format/timestamp.ts';
import { readMoment } from '../../../src/evaluation/values/dates.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { instantText } from '../../../src/base/times.ts';
import { retryAfterMs } from '../../../src/posthog/client/answer.ts';
import { holds } from '../../helpers/runs.ts';

describe('a timestamp', () => {
  it.each([
    ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00Z'],
    ['2024-01-01 10:00', '2024-01-01T10:00:00Z'],
    ['2024-01-01T10:00', '2024-01-01T10:00:00Z'],
    ['2024-01-01t10:00:00z', '2024-01-01T10:00:00Z'],
    ['2024-01-01', '2024-01-01T00:00:00Z'],
    [' 2024-01-01 10:00:00.500 ', '2024-01-01T10:00:00.5Z'],
    ['2024-01-01 10:00:00,000001', '2024-01-01T10:00:00.000001Z'],
    ['2024-01-01T10:00:00.1234567Z', '2024-01-01T10:00:00.123456Z'],
    ['2024-01-01T10:00:00.000000+00:00', '2024-01-01T10:00:00Z'],
    ['2024-01-01T10:00:00.25+05:30', '2024-01-01T04:30:00.25Z'],
    ['2024-01-01 23:00 -0130', '2024-01-02T00:30:00Z'],
    ['2024-01-01T10:00:00+02', '2024-01-01T08:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2023-02-29', undefined],
    ['2024-02-30T10:00Z', undefined],
    ['2024-01-01T25:00:00Z', undefined],
    ['2024-13-01', undefined],
    ['2024-01-01T10:00:00+99:00', undefined],
    ['2024-1-1', undefined],
    ['2024', undefined],
    ['1 January 2024', undefined],
    ['x2024-01-01', undefined],
    ['2024-01-01x', undefined],
    ['', undefined],
  ])('%j is %j', (text, form) => expect(instantText(text)).toBe(form));

  it('keeps its instant, and its canonical form is stable', () => {
    holds(200, [fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })], (date) => {
      const form = instantText(date.toISOString()) ?? '';
      expect(Date.parse(form)).toBe(date.getTime());
      expect(instantText(form)).toBe(form);
    });
  });
});

describe('the reading of a time', () => {
  const zone = env['TZ'];
  const restore = (): void => {
    if (zone === undefined) delete env['TZ'];
    else env['TZ'] = zone;
  };
  afterAll(restore);

  const two = fc.nat({ max: 70 }).map((number) => String(number).padStart(2, '0'));
  const part = fc.constantFrom(
    '2024',
    '1',
    '01',
    '31',
    '-',
    '-',
    ' ',
    'T',
    ':',
    '.5',
    'Z',
    '+0530',
    'Jan',
    'GMT',
    'Mon,',
  );
  const time = fc.oneof(
    fc
      .tuple(fc.constantFrom('-', '/'), fc.constantFrom('T', ' ', ' 1:'), two, two, two, two)
      .map(([dash, t, a, b, c, d]) => `2024${dash}${a}${dash}${b}${t}${c}:${d}`),
    fc.tuple(two, two, two).map(([a, b, c]) => `${a}-${b}-2024 ${c}:00`),
    fc.tuple(two, two).map(([a, b]) => `Mon, ${a} Jan 2024 10:${b}:00`),
    fc.array(part, { maxLength: 10 }).map((parts) => parts.join('')),
  );
  const clock = { now: new Date('2026-03-31T12:00:00Z'), timeZone: 'Europe/Berlin' };
  const readings = (text: string): readonly unknown[] => [
    canonicalFlag({ created_at: text }),
    readMoment(text, clock),
    parseTimestamp(text),
    parseMicroseconds(text),
    retryAfterMs({ retryAfter: text, date: undefined, detail: null }, 0),
    retryAfterMs({ retryAfter: 'Mon, 01 Jan 2024 10:00:00 GMT', date: text, detail: null }, 0),
  ];

  it('does not depend on the time zone of the machine, for any text', () => {
    holds(1000, [time], (text) => {
      const [first, ...others] = ['UTC', 'Asia/Kolkata', 'America/St_Johns'].map((name) => {
        env['TZ'] = name;
        return readings(text);
      });
      for (const other of others) expect(other).toEqual(first);
    });
    restore();
  });
});
