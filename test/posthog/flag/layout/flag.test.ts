import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { writeFlag, type WriteOptions } from '../../../../src/posthog/flag/layout/flag.ts';
import { lookupNames } from '../../../../src/posthog/names.ts';
import type { Flag } from '../../../../src/posthog/flag/flag.ts';
import type { RoleAccessEntry } from '../../../../src/posthog/role-access/entry.ts';

const names = lookupNames([], { roles: { support: 'r1', admins: 'r2' }, cohorts: {} });

function written(fields: JsonObject, as: Partial<WriteOptions> = {}): string {
  const flag = { id: 1, key: 'a', ...fields } as Flag;
  return JSON.stringify(writeFlag(flag, { form: 'checked', roleAccess: undefined, names, minimal: false, ...as }));
}

test.each<[string, JsonObject, string]>([
  ['nothing', {}, '{}'],
  [
    'all members, in order',
    {
      fields: 'no field',
      evaluation_runtime: 'server',
      rollback_conditions: [1],
      tags: ['b', 'a'],
      ensure_experience_continuity: true,
      filters: { groups: [] },
      active: false,
      name: ' A ',
    },
    '{"description":"A","active":false,"filters":{"groups":[]},"ensure_experience_continuity":true,"tags":["a","b"],"rollback_conditions":[1],"fields":{"evaluation_runtime":"server"}}',
  ],
  ['the shorthand', { filters: { groups: [{}] } }, '{"rollout_percentage":100}'],
  ['no description', { name: '  ' }, '{}'],
  ['null for a description', { name: null }, '{}'],
  ['no continuity', { ensure_experience_continuity: false }, '{}'],
  ['no tags', { tags: [] }, '{}'],
  ['null for tags', { tags: null }, '{}'],
  ['rollback conditions that are an object', { rollback_conditions: { a: 1 } }, '{"rollback_conditions":{"a":1}}'],
  ['rollback conditions that are an empty object', { rollback_conditions: {} }, '{}'],
  [
    'further fields with the values of a new flag',
    {
      archived: false,
      bucketing_identifier: 'distinct_id',
      evaluation_contexts: [],
      evaluation_runtime: 'all',
      evaluation_tags: [],
      has_encrypted_payloads: false,
      is_remote_configuration: false,
    },
    '{}',
  ],
  [
    'further fields with other values',
    {
      archived: true,
      bucketing_identifier: 'device_id',
      evaluation_contexts: ['web'],
      evaluation_runtime: 'server',
      evaluation_tags: ['x'],
      has_encrypted_payloads: true,
      is_remote_configuration: true,
    },
    '{"fields":{"archived":true,"bucketing_identifier":"device_id","evaluation_contexts":["web"],"evaluation_runtime":"server","evaluation_tags":["x"],"has_encrypted_payloads":true,"is_remote_configuration":true}}',
  ],
  ['null in a further field', { bucketing_identifier: null }, '{}'],
])('%s, in a minimal export', (_what, fields, expected) => expect(written(fields, { minimal: true })).toBe(expected));

test.each<[string, JsonObject, string]>([
  ['nothing, where the service has no field', {}, '{}'],
  ['no description', { name: '  ' }, '{"description":""}'],
  ['null for a description', { name: null }, '{"description":""}'],
  ['no continuity', { ensure_experience_continuity: false }, '{"ensure_experience_continuity":false}'],
  ['null for continuity', { ensure_experience_continuity: null }, '{"ensure_experience_continuity":null}'],
  ['no tags', { tags: [] }, '{"tags":[]}'],
  ['null for tags', { tags: null }, '{"tags":[]}'],
  ['no rollback conditions', { rollback_conditions: [] }, '{"rollback_conditions":[]}'],
  [
    'null in further fields',
    { archived: null, evaluation_runtime: null },
    '{"fields":{"archived":false,"evaluation_runtime":"all"}}',
  ],
])('%s is declared', (_what, fields, expected) => expect(written(fields)).toBe(expected));

test('unchecked filters are beside further fields', () => {
  const fields = { evaluation_runtime: 'server', filters: { groups: [{ sort_key: 'x' }] } };
  expect(written(fields, { form: 'unchecked' })).toBe(
    '{"fields":{"evaluation_runtime":"server","filters":{"groups":[{"sort_key":"x"}]}}}',
  );
  expect(written({ filters: {} }, { form: 'unchecked' })).toBe('{"fields":{"filters":{}}}');
  expect(written({ active: true }, { form: 'unchecked' })).toBe('{"active":true}');
});

test('roles by name if they have one, sorted and unique', () => {
  const entry = (id: string): RoleAccessEntry => ({ id: 1, role: { id, name: id } });
  expect(written({}, { roleAccess: ['r1', 'r9', 'r2', 'r1'].map(entry) })).toBe(
    '{"role_access":["admins","r9","support"]}',
  );
  expect(written({}, { roleAccess: [] })).toBe('{"role_access":[]}');
  expect(written({}, { roleAccess: [], minimal: true })).toBe('{}');
});
