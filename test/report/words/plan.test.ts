import { expect, test } from 'vitest';
import { skipText } from '../../../src/report/words/plan.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

test.each<[readonly string[], string]>([
  [['flag:search'], 'it needs search, which was not applied'],
  [['flag:search', 'flag_active:search', 'flag:b:c'], 'it needs search, b:c, which was not applied'],
  [[`role_access:search:${ROLE}`], 'it needs a grant on search, which was not applied'],
  [[`role_access:b:c:${ROLE}`, 'flag:d'], 'it needs d and a grant on b:c, which was not applied'],
])('a change that waits for %j', (refs, text) => {
  expect(skipText({ code: 'needs_failed', refs })).toBe(text);
});
