/** What `doctor` says of the clock, of a limited rate, and of the whole. */

import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../src/report/check-result.ts';
import { checkWords, doctorSummary } from '../../../src/report/words/doctor.ts';

const result = (code: string, status: string, facts: object): CheckResult =>
  ({ section: 'service', code, status, facts }) as unknown as CheckResult;

describe('the clock', () => {
  test.each<[string, number, string]>([
    ['ok', 0, 'the clocks of this machine and of the service agree'],
    ['skipped', 0, 'the answers of the service have no time, so the clock of this machine is not compared'],
    ['warning', 400, 'the clock of this machine is 6 minutes behind the service'],
    ['problem', -7200, 'the clock of this machine is 2 hours ahead of the service'],
  ])('%s', (status, seconds, message) => {
    const words = checkWords(result('clock', status, { seconds }));
    expect(words.message).toBe(message);
    expect(words.remedy === undefined).toBe(status === 'ok' || status === 'skipped');
  });
});

test.each([
  [{}, 'limits the rate of requests (429)'],
  [{ retry_after_seconds: 30 }, 'limits the rate of requests for another 30 s (429)'],
])('a limited rate says how long it lasts, if the service does: %j', (facts, message) => {
  expect(checkWords(result('rate_limited', 'warning', facts)).message).toBe(message);
});

test('a check that is ok needs no remedy', () => {
  expect(checkWords(result('rate_limited', 'ok', {}))).not.toHaveProperty('remedy');
});

test.each<[readonly string[], string]>([
  [[], 'no problems found'],
  [['ok', 'ok'], 'no problems found'],
  [['problem', 'ok'], '1 problem'],
  [['warning', 'problem', 'warning'], '1 problem, 2 warnings'],
  [['skipped'], 'no problems found; 1 check skipped'],
  [['skipped', 'skipped', 'warning'], '1 warning; 2 checks skipped'],
])('the summary of %j', (statuses, text) => {
  expect(doctorSummary(statuses.map((status) => result('clock', status, { seconds: 0 })))).toBe(`Doctor: ${text}`);
});
