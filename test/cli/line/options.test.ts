import { expect, test } from 'vitest';
import { toPermissions } from '../../../src/cli/line/options.ts';

test('each permission of the command line is one of the safety rules, and no list is an empty one', () => {
  expect(
    toPermissions({
      ...{ allowDeletes: 1, allowUpdates: 2, allowDisables: 3 },
      ...{ allowProtected: ['a'], allowRisky: ['b'], override: ['c'] },
    }),
  ).toEqual({ deletes: 1, updates: 2, disables: 3, protected: ['a'], risky: ['b'], override: ['c'] });
  expect(toPermissions({})).toEqual({ protected: [], risky: [] });
});
