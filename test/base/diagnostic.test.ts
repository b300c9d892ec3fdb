import { expect, test } from 'vitest';
import { distinct, hasErrors, sortDiagnostics, type Diagnostic } from '../../src/base/diagnostic.ts';

const at = (file: string, line: number, column: number): Pick<Diagnostic, 'place'> => ({
  place: { file, line, column },
});
const found = (code: string, rest: Partial<Diagnostic> = {}): Diagnostic => ({
  code,
  severity: 'warning',
  args: {},
  ...rest,
});

test('sorts by file, line, column, code and path; what has no place comes first', () => {
  const ordered = [
    found('a'),
    found('b'),
    found('b', { path: '/flags/a' }),
    found('b', { path: '/flags/b' }),
    found('z', at('a.yaml', 1, 1)),
    found('y', at('a.yaml', 1, 2)),
    found('x', at('a.yaml', 2, 1)),
    found('a', at('b.yaml', 1, 1)),
  ];
  expect(sortDiagnostics(ordered.toReversed())).toEqual(ordered);
});

test('removes what occurs twice', () => {
  expect(distinct([found('b'), found('a'), found('b'), found('b', { path: '/x' })])).toEqual([
    found('b'),
    found('a'),
    found('b', { path: '/x' }),
  ]);
});

test('joins what is said of several projects at one place, and of each project once', () => {
  const of = (project: string, more: object = {}): Diagnostic => found('a', { args: { key: 'k', project, ...more } });
  expect(distinct([of('one'), of('two'), of('two'), of('three', { suggestion: 'x' }), of('three')])).toEqual([
    of('one', { others: ['two', 'three'] }),
    of('three', { suggestion: 'x' }),
  ]);
  const ofNone = found('a', { args: { key: 'k' } });
  expect(distinct([ofNone, of('one'), found('b', { args: of('two').args })])).toEqual([
    ofNone,
    of('one'),
    found('b', { args: of('two').args }),
  ]);
});

test('a warning is no error', () => {
  expect(hasErrors([found('a')])).toBe(false);
  expect(hasErrors([found('a'), found('b', { severity: 'error' })])).toBe(true);
});
