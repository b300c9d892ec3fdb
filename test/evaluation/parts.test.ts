/** Filters of shapes that no service accepts today: such a flag has a value and does not affect others. */

import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { evaluateFlags } from '../../src/evaluation/evaluate.ts';
import type { FlagValue, Generation } from '../../src/evaluation/input.ts';
import type { Filters } from '../../src/posthog/flag/model/flag.ts';
import { flagWith, inputFor } from './support.ts';

const condition = (properties: JsonValue): JsonObject => ({ groups: [{ properties }] });
const tree = { type: 'AND', values: [{ key: 'email', operator: 'is_set' }] };

const CASES: readonly (readonly [what: string, filters: JsonValue, FlagValue])[] = [
  ['groups that are an object', { groups: { '0': {} } }, false],
  ['groups that are a string', { groups: 'all' }, false],
  ['groups that are null', { groups: null }, false],
  ['no groups', {}, false],
  ['a condition that is null, and one for all', { groups: [null, {}] }, true],
  ['a condition that is a list', { groups: [[{}]] }, false],
  ['properties as a tree', condition(tree), false],
  ['properties that hold null', condition([null]), false],
  ['properties that are false', condition(false), false],
  ['properties that are null', condition(null), true],
  ['a property without a key', condition([{ operator: 'is_not_set' }]), false],
  ['a property whose key is an object', condition([{ key: { toString: 0 }, operator: 'is_not_set' }]), false],
  ['a cohort without a key', condition([{ type: 'cohort', operator: 'not_in', value: 7 }]), false],
  ['a cohort whose key is an object', condition([{ key: { toString: 0 }, type: 'cohort', value: 7 }]), false],
  ['a group type that is an object', { groups: [{}], aggregation_group_type_index: { toString: 0 } }, false],
  ['a group type that is a string', { groups: [{ aggregation_group_type_index: '0' }] }, false],
  ['a tree, and a condition for all', { groups: [{ properties: tree }, {}] }, true],
  ['super groups with a tree', { groups: [{}], super_groups: [{ properties: tree }] }, true],
  ['variants as an object', { groups: [{}], multivariate: { variants: { a: 100 } } }, true],
  [
    'variants that hold null',
    { groups: [{}], multivariate: { variants: [null, { key: 'a', rollout_percentage: 100 }] } },
    'a',
  ],
  [
    'variants whose keys are no strings',
    { groups: [{}], multivariate: { variants: [{ key: 0, rollout_percentage: 100 }] } },
    true,
  ],
  ['a multivariate that is a list', { groups: [{}], multivariate: [] }, true],
  ['payloads that are a string', { groups: [{}], payloads: 'x' }, true],
  ['another form of filters', { version: 2, rules: [{ value: true }] }, false],
];

it.each(CASES)('%s', (_what, filters, value) => {
  const odd = flagWith(filters as Filters, { key: 'odd' });
  const fine = flagWith({ groups: [{}] }, { key: 'fine' });
  for (const generation of ['python-2023', 'rust-2026'] satisfies Generation[]) {
    const evaluated = evaluateFlags(inputFor([odd, fine], { context: { generation } }));
    expect([evaluated.get('odd')?.value, evaluated.get('fine')?.value]).toEqual([value, true]);
  }
});

it('the index of a condition is the one in the list', () => {
  const odd = flagWith({ groups: [null, {}] } as unknown as Filters);
  expect(evaluateFlags(inputFor([odd])).get(odd.key)).toMatchObject({ value: true, conditionIndex: 1 });
});
