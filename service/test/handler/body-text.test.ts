import { describe, expect, it } from 'vitest';
import { bodyText, keepPageText } from '../../src/handler/lists.ts';
import type { JsonObject } from '../../../src/base/json.ts';

const flag = (id: number, key: string): JsonObject => ({ id, key });
const page = (results: readonly JsonObject[], count: number = results.length): JsonObject => ({
  count,
  next: null,
  previous: null,
  results: [...results],
});
const textOf = (results: readonly JsonObject[], count?: number): string =>
  bodyText(keepPageText(page(results, count), results));

describe('the text of a page', () => {
  const [one, two, three] = [flag(1, 'one'), flag(2, 'two'), flag(3, 'three')] as const;
  const FIRST = [one, two];

  it.each([
    ['the same results', FIRST],
    ['a result that changed', [one, flag(2, 'renamed')]],
    ['another order', [two, one]],
    ['a result that is gone', [one]],
    ['a result more', [one, two, three]],
    ['none', []],
  ])('is that of its own results after a page with %s', (_, later) => {
    textOf(FIRST, 7);
    expect(JSON.parse(textOf(later, 7))).toEqual(page(later, 7));
    expect(JSON.parse(textOf(FIRST, 7))).toEqual(page(FIRST, 7));
  });

  it('is that of its own count', () => {
    textOf(FIRST, 8);
    expect(JSON.parse(textOf(FIRST, 9))).toEqual(page(FIRST, 9));
  });

  it('is right for more pages than are kept', () => {
    const counts = Array.from({ length: 30 }, (_, index) => 100 + (index % 20));
    for (const count of counts) {
      const results = [flag(count, `of-${count}`)];
      expect(JSON.parse(textOf(results, count))).toEqual(page(results, count));
    }
  });
});
