import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { traceAbsence, traceValue, type Absence, type Descent } from '../../../src/core/engine/lineage.ts';

const [a, b, c] = [{ v: 1 }, { v: 2 }, { v: 3 }];
const red = { key: 'red', share: 40 };
const blue = { key: 'blue', share: 60 };

describe('a value', () => {
  const CASES: readonly [name: string, before: JsonValue, after: JsonValue, path: string[], expected: Descent][] = [
    ['that stayed', { x: 1, y: 1 }, { x: 1, y: 2 }, ['x'], { kind: 'same', path: ['x'] }],
    ['that changed', { x: 1 }, { x: 2 }, ['x'], { kind: 'set' }],
    ['that came', {}, { x: 2 }, ['x'], { kind: 'set' }],
    ['within an object that came', {}, { x: { y: 2 } }, ['x', 'y'], { kind: 'set' }],
    ['of which a part changed', { x: { y: 1 } }, { x: { y: 2 } }, ['x'], { kind: 'partly', path: ['x'] }],
    ['in place of one of another type', { x: 1 }, { x: { y: 2 } }, ['x'], { kind: 'set' }],
    ['of a list of plain values', { x: [1] }, { x: [1, 2] }, ['x'], { kind: 'set' }],
    ['behind an element that came first', [a, b], [c, a, b], ['1', 'v'], { kind: 'same', path: ['0', 'v'] }],
    ['behind an element that went', [c, a, b], [a, b], ['1', 'v'], { kind: 'same', path: ['2', 'v'] }],
    ['of an element that came', [a], [a, b], ['1', 'v'], { kind: 'set' }],
    [
      'of an element with a key that moved up',
      [blue, red],
      [red],
      ['0', 'share'],
      { kind: 'same', path: ['1', 'share'] },
    ],
    ['of an element with a key that changed', [blue, red], [{ ...red, share: 100 }], ['0', 'share'], { kind: 'set' }],
  ];
  test.each(CASES)('%s', (_name, before, after, path, expected) => {
    expect(traceValue(before, after, path)).toEqual(expected);
  });
});

describe('a value that is missing', () => {
  const CASES: readonly [
    name: string,
    states: [JsonValue, JsonValue],
    path: string[],
    wanted: JsonValue,
    expected: Absence,
  ][] = [
    ['was absent before', [{ y: 1 }, { y: 2 }], ['x'], 1, { kind: 'absent', path: ['x'] }],
    ['was removed', [{ x: 1 }, {}], ['x'], 1, { kind: 'removed' }],
    ['was removed with its object', [{ x: { y: 1 } }, {}], ['x', 'y'], 1, { kind: 'removed' }],
    ['was another value when it was removed', [{ x: 2 }, {}], ['x'], 1, { kind: 'removed' }],
    ['is an element that was removed', [[a, b], [a]], ['1'], b, { kind: 'removed' }],
    ['is an element that was never there', [[a], [a, c]], ['1'], b, { kind: 'absent', path: ['1'] }],
    ['may be an element that was changed and removed', [[a, c], [a]], ['1'], b, { kind: 'unsure', path: ['1'] }],
    ['is an element with a key that was removed', [[blue, red], [red]], ['0'], blue, { kind: 'removed' }],
    ['is an element with another key', [[blue, red], [red]], ['1'], { key: 'new' }, { kind: 'absent', path: ['1'] }],
    [
      'is behind an element that came',
      [{ l: [a] }, { l: [b, a] }],
      ['l', '1', 'w'],
      1,
      { kind: 'absent', path: ['l', '0', 'w'] },
    ],
  ];
  test.each(CASES)('%s', (_name, [before, after], path, wanted, expected) => {
    expect(traceAbsence({ before, after }, path, wanted)).toEqual(expected);
  });
});
