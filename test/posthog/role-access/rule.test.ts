/** Validation of an entry of role access. */

import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { UnexpectedShape } from '../../../src/posthog/client/shape.ts';
import { readEntry } from '../../../src/posthog/role-access/access.ts';

function refusal(read: () => unknown): { readonly at: string; readonly expected: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof UnexpectedShape) return { at: error.at, expected: error.expected };
    throw error;
  }
  return { at: 'nowhere', expected: 'nothing' };
}

test.each<[JsonValue, string, string]>([
  [[], '', 'an object'],
  [{ id: 1 }, '/role', 'an object'],
  [{ id: 1, role: 'r' }, '/role', 'an object'],
  [{ id: 1, role: {} }, '/role/id', 'a string'],
  [{ id: 1, role: { id: 7 } }, '/role/id', 'a string'],
  [{ role: { id: 'r' } }, '/id', 'an integer'],
])('%j is refused as an entry', (value, at, expected) => {
  expect(refusal(() => readEntry(value))).toEqual({ at, expected });
  expect(refusal(() => readEntry(value, ['results', 4])).at).toBe(`/results/4${at}`);
});

test.each<[JsonValue, string]>([
  [{ id: 'r', name: 'Engineering' }, 'Engineering'],
  [{ id: 'r' }, 'r'],
  [{ id: 'r', name: null }, 'r'],
])('the role of an entry has a name, by default its id: %j', (role, name) => {
  expect(readEntry({ id: 1, role, added_at: 'x' })).toEqual({ id: 1, role: { id: 'r', name }, added_at: 'x' });
});
