import { expect, test } from 'vitest';
import type { FieldChange } from '../../src/engine/change.ts';
import { leaveEither, type Leaving, type LeavingContext } from '../../src/engine/matched.ts';

const leaving = (by: Leaving['by'], ...left: string[]): Leaving => ({
  by,
  isLeft: ({ path }, { name }) => left.includes(`${name} ${path}`),
});
const asked = (one: Leaving, name: string, path: string): boolean =>
  one.isLeft({ path } as FieldChange, { name } as LeavingContext);

test('what one of two leaves is left, in the way of the second, and nothing else', () => {
  const either = leaveEither(leaving('unit', 'a /x', 'b /x'), leaving('difference', 'b /x', 'c /y'));
  expect(either.by).toBe('difference');
  const left = ['a', 'b', 'c'].flatMap((name) =>
    ['/x', '/y'].filter((path) => asked(either, name, path)).map((path) => `${name} ${path}`),
  );
  expect(left).toEqual(['a /x', 'b /x', 'c /y']);
});

test('without a first one, the second one decides alone', () => {
  const other = leaving('difference', 'c /y');
  expect(leaveEither(undefined, other)).toBe(other);
});
