import { expect, test } from 'vitest';
import { exceptionsOf } from '../../../src/cli/applied/find-exceptions.ts';

test('each option that allows is an exception for one run', () => {
  const given = { allowDeletes: 1, allowUpdates: 2, allowDisables: 3, allowProtected: ['a'], allowRisky: ['b'] };
  expect(exceptionsOf({ ...given, override: ['c'] })).toMatchObject([
    {
      rules: expect.arrayContaining(['deletes']),
      keys: [],
      most: 1,
      origin: { from: 'option', option: '--allow-deletes' },
    },
    { rules: expect.arrayContaining(['updates']), keys: [], most: 2, origin: { option: '--allow-updates' } },
    { rules: ['disables'], keys: [], most: 3, origin: { option: '--allow-disables' } },
    { rules: ['protected'], keys: ['a'], origin: { option: '--allow-protected' } },
    { rules: expect.arrayContaining(['dependents', 'lockout']), keys: ['b'], origin: { option: '--allow-risky' } },
    { rules: expect.arrayContaining(['conflict', 'switched_off']), keys: ['c'], origin: { option: '--override' } },
  ]);
  expect(exceptionsOf({})).toEqual([]);
});
