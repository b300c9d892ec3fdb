/** What an entry of the activity log says that changed. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readEdit } from '../../../src/posthog/flag/explain.ts';

const entry = (...changes: readonly JsonObject[]): JsonObject => ({
  user: { email: 'ada@example.org' },
  activity: 'updated',
  created_at: '2026-03-01T09:30:00Z',
  item_id: '12',
  detail: { name: 'checkout', changes: [...changes] },
});
const changed = (field: string, before: JsonValue, after: JsonValue): JsonObject => ({ field, before, after });
const groups = (...percentages: readonly number[]): JsonObject => ({
  groups: percentages.map((rollout_percentage) => ({ properties: [], rollout_percentage })),
});

describe('the differences of an entry', () => {
  test.each<[name: string, changes: readonly JsonObject[], differences: readonly JsonObject[]]>([
    ['of a field', [changed('active', true, false)], [{ path: '/active', before: true, after: false }]],
    [
      'of conditions are told one by one',
      [changed('filters', groups(10, 20), groups(10, 25))],
      [{ path: '/filters/groups/1/rollout_percentage', before: 20, after: 25 }],
    ],
    [
      'leave the counter out',
      [changed('version', 3, 4), changed('name', 'a', 'b')],
      [{ path: '/name', before: 'a', after: 'b' }],
    ],
    ['are none where only the counter moved', [changed('version', 3, 4)], []],
    [
      'have values that a plan would not tell apart',
      [changed('filters', { groups: [], sort: 1 }, { groups: [], sort: 2 })],
      [expect.objectContaining({ path: expect.stringMatching(/^\/filters/) as string }) as unknown as JsonObject],
    ],
    [
      'have fields that nobody here knows',
      [changed('brand_new', 1, [2])],
      [{ path: '/brand_new', before: 1, after: [2] }],
    ],
  ])('%s', (_, changes, differences) => {
    expect(readEdit(entry(...changes), true).differences).toEqual(differences);
  });

  test('have digests of payloads unless they are known to be open', () => {
    const edit = entry(
      changed('filters', { groups: [], payloads: { true: '"a"' } }, { groups: [], payloads: { true: '"SECRET"' } }),
    );
    expect(JSON.stringify(readEdit(edit, true).differences)).toContain('SECRET');
    const hidden = readEdit(edit, false).differences;
    expect(hidden).toHaveLength(1);
    expect(JSON.stringify(hidden)).not.toContain('SECRET');
  });

  test.each<JsonObject>([
    {},
    { activity: 1 },
    { detail: null, activity: 'updated', created_at: 'x' },
    entry({ field: 7 }),
  ])('of what is no entry are none: %j', (answered) => {
    expect(readEdit(answered, true).differences).toEqual([]);
  });
});
