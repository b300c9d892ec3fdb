/** The loop of every edit: what fails is left out, what has a second form is tried in it, and the rest goes on. */

import { expect, test } from 'vitest';
import { FLAG_FACET } from '../../src/editing/flag/facet.ts';
import type { RefusalReason } from '../../src/editing/edit.ts';
import { blame, solve } from '../../src/editing/solve.ts';

interface Left {
  readonly key: string;
  readonly reason: string;
}

const left = (key: string, reason = 'wrong'): Left => ({ key, reason });

/** Writes a text for each key, and says of each attempt which keys it wrote in which form. */
function run(
  keys: readonly string[],
  judge: { readonly write?: readonly Left[]; readonly prove?: readonly Left[]; readonly second?: readonly string[] },
): { readonly attempts: readonly string[]; readonly left: readonly Left[] } {
  const attempts: string[] = [];
  const solved = solve<Left, { texts: []; failed: readonly Left[]; open: readonly string[] }>([], {
    write: ({ left: excluded, fallback }) => {
      const open = keys.filter((key) => !excluded.has(key)).map((key) => (fallback.has(key) ? `${key}*` : key));
      attempts.push(open.join(' '));
      return { texts: [], failed: (judge.write ?? []).filter(({ key }) => open.includes(key)), open };
    },
    prove: (_read, { open }) =>
      (judge.prove ?? []).flatMap(({ key, reason }) => (open.includes(key) ? left(key.replace('*', ''), reason) : [])),
    hasFallback: ({ key }) => judge.second?.includes(key) === true,
  });
  return { attempts, left: solved.left };
}

test('what cannot be written and what cannot be proved is left out, in this order', () => {
  const given = { write: [left('b', 'refused')], prove: [left('a'), left('b')] };
  expect(run(['a', 'b', 'c'], given)).toEqual({
    attempts: ['a b c', 'a c', 'c'],
    left: [left('b', 'refused'), left('a')],
  });
});

test('what fails in its first form is tried in the second one before it is left out', () => {
  expect(run(['a', 'b'], { prove: [left('a'), left('b')], second: ['a'] })).toEqual({
    attempts: ['a b', 'a*'],
    left: [left('b')],
  });
});

test('what fails in both forms is left out for the reason of the first one', () => {
  const given = { prove: [left('a', 'invalid'), left('a*', 'worse')], second: ['a'] };
  expect(run(['a', 'b'], given)).toEqual({ attempts: ['a b', 'a* b', 'b'], left: [left('a', 'invalid')] });
});

test('an attempt that fails for what is left out already ends in an error, not in an endless loop', () => {
  const failed = [left('a')];
  expect(() =>
    solve<Left, { texts: []; failed: readonly Left[] }>([], { write: () => ({ texts: [], failed }), prove: () => [] }),
  ).toThrow(TypeError);
});

test.each<[what: string, failed: readonly Left[], suspects: readonly string[] | undefined, blamed: readonly Left[]]>([
  [
    'those that failed, once each',
    [left('b', 'first'), left('b', 'second'), left('x')],
    undefined,
    [left('b', 'first')],
  ],
  [
    'all of them, where something else failed',
    [left('x', 'other')],
    undefined,
    [left('a', 'other'), left('b', 'other')],
  ],
  ['the suspects, where something else failed', [left('x', 'other')], ['b'], [left('b', 'other')]],
  ['none, where nothing failed', [], undefined, []],
])('of the open keys %s are blamed', (_what, failed, suspects, blamed) => {
  expect(blame(failed, ['a', 'b'], suspects)).toEqual(blamed);
});

test.each<[reason: RefusalReason, fields: object, hasFallback: boolean]>([
  [{ code: 'not-expressible' }, { filters: {} }, true],
  [{ code: 'not-expressible' }, { active: true }, false],
  [{ code: 'reads-differently' }, { filters: {} }, false],
  [{ code: 'not-declared' }, { filters: {} }, false],
])('filters of a flag have a second form for %o where an edit has %o: %s', (reason, fields, hasFallback) => {
  const edit = { resource: 'flag', key: 'checkout', fields: { ...fields } } as const;
  expect(FLAG_FACET.hasFallback(edit, reason)).toBe(hasFallback);
});

test('filters that break a rule have a second form', () => {
  const reason = { code: 'invalid', problem: {} } as unknown as RefusalReason;
  const edit = { resource: 'flag', key: 'checkout', fields: { filters: {} } } as const;
  expect(FLAG_FACET.hasFallback(edit, reason)).toBe(true);
});
