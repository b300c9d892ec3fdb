/** The part of a long list that a reader takes. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from '../../../../src/report/formats/remarks/lists.ts';
import { holds } from '../../../helpers/runs.ts';

const SORTS = ['a', 'b', 'c'] as const;
const item = fc.record({ sort: fc.constantFrom(...SORTS), id: fc.nat() });

test('shows as many as there is room for, the gravest, in their order, and counts the others', () => {
  const limit = fc.integer({ min: 0, max: 12 });
  holds(200, [fc.array(item, { maxLength: 30 }), limit, limit], (items, total, ofSort) => {
    const { shown, hidden } = shorten(items, ({ sort }) => sort, { sorts: SORTS, total, ofSort });
    expect(shown).toEqual(items.filter((one) => shown.includes(one)));
    for (const sort of SORTS) {
      const [all, kept] = [items, shown].map((list) => list.filter((one) => one.sort === sort).length) as [
        number,
        number,
      ];
      const graver = shown.filter((one) => one.sort < sort).length;
      expect(kept).toBe(Math.min(all, ofSort, total - graver));
      expect(hidden.find((one) => one.sort === sort)?.count ?? 0).toBe(all - kept);
    }
  });
});
