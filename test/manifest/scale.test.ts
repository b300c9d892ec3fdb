import { expect, it } from 'vitest';
import { check, problems } from './check.ts';

it('reads ten thousand flags in one file', () => {
  const text = `flags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index}: { rollout_percentage: 10 }\n`).join('')}`;
  const { desired, diagnostics } = check(text);
  expect(diagnostics).toEqual([]);
  expect(desired.flags).toHaveLength(10_000);
});

it('finds each duplicate among ten thousand keys without comparing all with all', () => {
  const text = `flags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index % 9_999}:\n`).join('')}`;
  expect(problems(text)).toEqual(['error yaml-duplicate-key /flags/f-0']);
});

it('takes an anchor that ten thousand flags merge in', () => {
  const text = `x-common: &common { active: true, rollout_percentage: 10 }\nflags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index}: *common\n`).join('')}`;
  const { desired, diagnostics } = check(text);
  expect(diagnostics).toEqual([]);
  expect(desired.flags).toHaveLength(10_000);
});
