/** The loop of every edit: what fails is left out, what has a second form is tried in it, and the rest goes on. */

import { expect, test } from 'vitest';
import { FLAG_FACET } from '../../src/editing/flag/facet.ts';
import type { RefusalReason } from '../../src/editing/edit.ts';
import { solve } from '../../src/editing/solve.ts';
import { toEditingContext } from '../../src/editing/context.ts';

interface Left {
  readonly key: string;
  readonly reason: string;
}

const left = (key: string, reason = 'wrong'): Left => ({ key, reason });

const PROJECT = { name: 'production', roles: {}, cohorts: {} };
const contextOf = (text: string): ReturnType<typeof toEditingContext> =>
  toEditingContext({
    live: { flags: [], roleAccess: {} },
    project: PROJECT,
    projects: [PROJECT],
    manifests: [{ file: 'a.yaml', text }],
  });

interface Judge {
  readonly write?: readonly Left[];
  readonly prove?: readonly Left[];
  readonly second?: readonly string[];
  /** The text of the manifest with these keys. */
  readonly text?: (open: readonly string[]) => string;
}

/** Writes a text for each key, and says of each attempt which keys it wrote in which form. */
function run(
  keys: readonly string[],
  judge: Judge,
): { readonly attempts: readonly string[]; readonly left: readonly Left[] } {
  const attempts: string[] = [];
  const { text = () => '' } = judge;
  const solved = solve<
    Left,
    { texts: { file: string; text: string }[]; failed: readonly Left[]; open: readonly string[] }
  >(contextOf(text([])), {
    write: ({ isLeft, isFallback }) => {
      const open = keys.filter((key) => !isLeft(key));
      const named = open.map((key) => (isFallback(key) ? `${key}*` : key));
      attempts.push(named.join(' '));
      const failed = (judge.write ?? []).filter(({ key }) => named.includes(key));
      return { texts: [{ file: 'a.yaml', text: text(open) }], failed, open };
    },
    unmet: (_read, { open }) =>
      (judge.prove ?? []).flatMap(({ key, reason }) =>
        open.includes(key.replace('*', '')) && (attempts.at(-1) ?? '').split(' ').includes(key)
          ? [left(key.replace('*', ''), reason)]
          : [],
      ),
    isAsked: (name, _project, { open }) => open.includes(name),
    toFailed: (key, { problem, names }) => left(key, problem?.code ?? `changes ${names[0]}`),
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
  const solving = (): unknown =>
    solve<Left, { texts: []; failed: readonly Left[]; open: [] }>(contextOf(''), {
      write: () => ({ texts: [], failed, open: [] }),
      unmet: () => [],
      isAsked: () => true,
      toFailed: (key) => left(key),
    });
  expect(solving).toThrow(TypeError);
});

const flags = (open: readonly string[], more = ''): string =>
  `flags:\n${[...open.map((key) => `  ${key}: { active: true }\n`), `  known: { active: true }\n${more}`].join('')}`;
const KEYS = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7'];

test.each<[what: string, guilty: readonly string[], reason: string]>([
  ['one edit', ['d4'], 'changes other'],
  ['two edits', ['a1', 'g7'], 'changes other'],
  ['every edit', KEYS, 'changes other'],
  ['no edit', [], ''],
])('of edits of which %s changes what nobody asked for, the others are written', (_what, guilty, reason) => {
  const text = (open: readonly string[]): string =>
    flags(open, open.some((key) => guilty.includes(key)) ? '  other: { active: true }\n' : '');
  const { left: found, attempts } = run(KEYS, { text });
  expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(guilty.map((key) => left(key, reason)));
  expect(attempts.at(-1)).toBe(KEYS.filter((key) => !guilty.includes(key)).join(' '));
});

test('an error that names no edit leaves out the guilty one', () => {
  const text = (open: readonly string[]): string =>
    flags(open).replace('known: { active', open.includes('e5') ? 'known: { aktive' : 'known: { active');
  expect(run(KEYS, { text }).left).toEqual([left('e5', 'property-unknown')]);
});

test('what fails without another edit is written with it', () => {
  const texts = (open: readonly string[]): string =>
    flags(open, open.includes('g7') === open.includes('a1') ? '' : '  other: { active: true }\n').replace(
      'd4: { active',
      'd4: { aktive',
    );
  const { left: found, attempts } = run(KEYS, { text: texts });
  expect([found, attempts.at(-1)]).toEqual([[left('d4', 'property-unknown')], 'a1 b2 c3 e5 f6 g7']);
});

test.each<[reason: RefusalReason, fields: object, hasFallback: boolean]>([
  [{ code: 'not-expressible' }, { filters: {} }, true],
  [{ code: 'not-expressible' }, { active: true }, false],
  [{ code: 'reads-differently' }, { filters: {} }, false],
  [{ code: 'not-declared' }, { filters: {} }, false],
])('filters of a flag have a second form for %o where an edit has %o: %s', (reason, fields, hasFallback) => {
  const edit = { resource: 'flag', key: 'checkout', fields: { ...fields } } as const;
  expect(FLAG_FACET.hasFallback?.(edit, reason)).toBe(hasFallback);
});

test('filters that break a rule have a second form', () => {
  const reason = { code: 'invalid', problem: {} } as unknown as RefusalReason;
  const edit = { resource: 'flag', key: 'checkout', fields: { filters: {} } } as const;
  expect(FLAG_FACET.hasFallback?.(edit, reason)).toBe(true);
});
