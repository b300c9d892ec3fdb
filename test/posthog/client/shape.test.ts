/** The checks of an answer, and the place that an error names. */

import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { readFlag, readNothing, UnexpectedShape } from '../../../src/posthog/client/shape.ts';

const FLAG = { id: 1, key: 'a' };

function refusal(read: () => unknown): { readonly at: string; readonly expected: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof UnexpectedShape) return { at: error.at, expected: error.expected };
    throw error;
  }
  return { at: 'nowhere', expected: 'nothing' };
}

test.each<[JsonValue]>([
  [FLAG],
  [{ ...FLAG, name: null, version: null, tags: null, experiment_set: null }],
  [{ ...FLAG, name: 'x', version: 3, tags: ['a'], experiment_set: [1], filters: {} }],
  [{ ...FLAG, id: -1, active: 'who knows', never_seen: [{}] }],
  [{ ...FLAG, experiment_set_metadata: null }],
  [
    {
      ...FLAG,
      experiment_set_metadata: [
        { id: 3, name: null, is_running: null },
        { id: 4, name: 'x', is_running: true },
      ],
    },
  ],
])('a flag is accepted as it is: %j', (flag) => {
  expect(readFlag(flag)).toEqual(flag);
});

test.each<[JsonValue | undefined, string, string]>([
  [undefined, '', 'an object'],
  [null, '', 'an object'],
  [[FLAG], '', 'an object'],
  [{ key: 'a' }, '/id', 'an integer'],
  [{ id: 1.5, key: 'a' }, '/id', 'an integer'],
  [{ id: 2 ** 53, key: 'a' }, '/id', 'an integer'],
  [{ id: 1 }, '/key', 'a string'],
  [{ id: 1, key: null }, '/key', 'a string'],
  [{ ...FLAG, name: 7 }, '/name', 'a string'],
  [{ ...FLAG, filters: null }, '/filters', 'an object'],
  [{ ...FLAG, filters: [] }, '/filters', 'an object'],
  [{ ...FLAG, version: '3' }, '/version', 'an integer'],
  [{ ...FLAG, experiment_set_metadata: {} }, '/experiment_set_metadata', 'an array'],
  [{ ...FLAG, experiment_set_metadata: [3] }, '/experiment_set_metadata/0', 'an object'],
  [{ ...FLAG, experiment_set_metadata: [{ id: 3 }, {}] }, '/experiment_set_metadata/1/id', 'an integer'],
  [{ ...FLAG, experiment_set_metadata: [{ id: 3, name: 4 }] }, '/experiment_set_metadata/0/name', 'a string'],
  [
    { ...FLAG, experiment_set_metadata: [{ id: 3, is_running: 1 }] },
    '/experiment_set_metadata/0/is_running',
    'true or false',
  ],
  [{ ...FLAG, tags: 'a' }, '/tags', 'an array'],
  [{ ...FLAG, tags: ['a', 7] }, '/tags/1', 'a string'],
  [{ ...FLAG, experiment_set: {} }, '/experiment_set', 'an array'],
  [{ ...FLAG, experiment_set: [1, '2'] }, '/experiment_set/1', 'an integer'],
])('%j is no flag', (value, at, expected) => {
  expect(refusal(() => readFlag(value))).toEqual({ at, expected });
  expect(refusal(() => readFlag(value, ['results', 4])).at).toBe(`/results/4${at}`);
});

test('only an empty body with an expected status counts as no content', () => {
  const expected = [202, 204];
  expect(readNothing(undefined, { status: 204, expected })).toBeUndefined();
  expect(readNothing(undefined, { status: 202, expected })).toBeUndefined();
  expect(refusal(() => readNothing(undefined, { status: 200, expected }))).toEqual({
    at: '',
    expected: 'status 202 or 204',
  });
  expect(refusal(() => readNothing({}, { status: 202, expected }))).toEqual({ at: '', expected: 'no body' });
});
