import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { holdersIn } from '../../../src/posthog/flag/find-traces.ts';
import { holds } from '../../helpers/runs.ts';

const entry = (id: unknown, name: unknown, changes: unknown = []): JsonObject =>
  ({ item_id: id, created_at: `T${String(id)}`, detail: { name, changes } }) as JsonObject;
const renamed = (before: string, after: string): unknown => [{ field: 'key', before, after }];

it.each<readonly [string, readonly JsonObject[], readonly number[]]>([
  ['a flag with the key as its name', [entry('7', 'a')], [7]],
  ['an id that is a number', [entry(7, 'a')], [7]],
  ['a flag that was renamed from the key', [entry('7', 'b', renamed('a', 'b'))], [7]],
  ['a flag that was renamed to the key', [entry('7', 'a:deleted:7', renamed('a', 'a:deleted:7'))], [7]],
  ['several flags, the newest first and each once', [entry('9', 'a'), entry('7', 'a'), entry('9', 'a')], [9, 7]],
  ['no flag with another key', [entry('7', 'b', [{ field: 'name', before: 'a', after: 'b' }])], []],
  ['no entry without an id', [entry(null, 'a'), entry('x', 'a'), {}, { item_id: '7', detail: null }], []],
])('the log gives %s', (_name, entries, ids) => {
  expect(holdersIn(entries, 'a').map(({ id }) => id)).toEqual(ids);
});

it('the time is that of the newest entry', () => {
  const newest = { ...entry('7', 'b', renamed('a', 'b')), created_at: '2026-01-31T12:00:00Z' };
  expect(holdersIn([newest, entry('7', 'a')], 'a')).toEqual([{ id: 7, at: '2026-01-31T12:00:00Z' }]);
});

it('no answer of a service breaks the reading', () => {
  holds(200, [fc.array(fc.dictionary(fc.constantFrom('item_id', 'detail', 'created_at'), fc.jsonValue()))], (all) => {
    for (const { id } of holdersIn(all as JsonObject[], 'a')) expect(Number.isSafeInteger(id)).toBe(true);
  });
});
