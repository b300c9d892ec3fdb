import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Layer } from '../../../../src/core/manifest/layers.ts';
import { memberPointer } from '../../../../src/posthog/flag/manifest/fields.ts';

const layer = (value: JsonObject): Layer => ({
  key: 'a',
  value,
  places: { place: { file: 'a.yaml', line: 1, column: 1 }, children: {} },
  pathOf: (pointer) => pointer,
});

it.each<[string, JsonObject, string, string]>([
  ['the flag itself', {}, '', ''],
  ['a field that manifests name otherwise', { description: 'x' }, '/name', '/description'],
  ['a field that they name alike', { tags: ['x'] }, '/tags/0', '/tags/0'],
  ['a further field', { fields: { archived: true } }, '/archived', '/fields/archived'],
  ['a member beside further fields', { active: true, fields: { archived: true } }, '/active', '/active'],
  ['filters', { filters: { groups: [] } }, '/filters/groups/0', '/filters/groups/0'],
  ['the shorthand of filters', { rollout_percentage: 10 }, '/filters/groups/0', '/rollout_percentage'],
  ['unchecked filters', { fields: { filters: { groups: [] } } }, '/filters/groups/0', '/fields/filters/groups/0'],
  ['a member beside unchecked filters', { active: true, fields: { filters: { groups: [] } } }, '/active', '/active'],
])('the place of %s', (_, value, pointer, member) => {
  expect(memberPointer(layer(value), pointer)).toBe(member);
});
