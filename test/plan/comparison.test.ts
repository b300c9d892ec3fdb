import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { compareStored } from '../../src/plan/comparison.ts';
import { liveFlag } from '../helpers/states.ts';

const payloads = (payload: JsonObject): JsonObject => ({
  filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: payload } },
});
const condition = (members: JsonObject): JsonObject => ({
  filters: { groups: [{ rollout_percentage: 10, ...members }] },
});
const property = (members: JsonObject): JsonObject =>
  condition({ properties: [{ key: 'id', type: 'cohort', value: 42, ...members }] });

describe('what is stored beside what was sent', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['the same', payloads({ a: 1 }), payloads({ a: 1 }), []],
    [
      'a payload as text',
      payloads({ a: 1 }),
      { filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: '{"a": 1}' } } },
      [],
    ],
    [
      'a payload without a member',
      payloads({ cohort_name: 1, a: 1 }),
      payloads({ a: 1 }),
      ['/filters/payloads/true/cohort_name'],
    ],
    ['a label that is gone', condition({ label: 'x' }), condition({}), ['/filters/groups/0/label']],
    ['another sort key', condition({ sort_key: 'a' }), condition({ sort_key: 'b' }), ['/filters/groups/0/sort_key']],
    ['a sort key that the service made', condition({}), condition({ sort_key: 'b' }), []],
    [
      'the label of a property that is gone',
      property({ label: 'x' }),
      property({}),
      ['/filters/groups/0/properties/0/label'],
    ],
    ['the name of a cohort', property({}), property({ cohort_name: 'beta' }), []],
    ['another value', condition({ rollout_percentage: 20 }), condition({}), ['/filters/groups/0/rollout_percentage']],
    ['a null that was left out', condition({ variant: null }), condition({}), []],
    ['a field that nobody sent', { name: 'a' }, { name: 'a', tags: ['x'] }, []],
    ['another field', { name: 'a' }, { name: 'b' }, ['/name']],
  ])('%s', (_, sent, stored, paths) => {
    const found = compareStored(sent, liveFlag(1, 'a', stored), () => undefined);
    expect(found.map(({ path }) => path)).toEqual(paths);
  });
});
