import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { writeFlag, type FlagWriteOptions } from '../../../src/posthog/flag/layout.ts';
import { lookupNames } from '../../../src/posthog/flag/model/references.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { heldAccess, type FlagAccess, type HeldAccess } from '../../../src/posthog/role-access/access.ts';

const names = lookupNames([], { roles: { support: 'r1', admins: 'r2' }, cohorts: {} });

function written(fields: JsonObject, as: Partial<FlagWriteOptions> = {}): string {
  const flag = { id: 1, key: 'a', ...fields } as Flag;
  return JSON.stringify(
    writeFlag(flag, { form: 'checked', access: undefined, names, minimal: false, full: true, ...as }),
  );
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

test.each<[string, JsonObject, string]>([
  [
    'nothing but what it means without them',
    {
      properties: [
        { key: 'a', type: 'person', operator: 'exact', value: 'x' },
        { key: 'id', type: 'cohort', operator: 'in', value: 7 },
      ],
      rollout_percentage: 100,
    },
    '{"properties":[{"key":"a","value":"x"},{"key":"id","type":"cohort","value":7}]}',
  ],
  [
    'no value that means something',
    { properties: [{ key: 'a', operator: 'is_not', value: 'x' }], rollout_percentage: 0 },
    '{"properties":[{"key":"a","operator":"is_not","value":"x"}],"rollout_percentage":0}',
  ],
  ['not the last member', { rollout_percentage: 100 }, '{"rollout_percentage":100}'],
])('the short form of a condition omits %s', (_what, condition, short) => {
  const filters = { groups: [{ variant: 'a' }, condition] };
  expect(written({ filters })).toBe(`{"filters":{"groups":[{"variant":"a"},${JSON.stringify(condition)}]}}`);
  expect(written({ filters }, { full: false })).toBe(`{"filters":{"groups":[{"variant":"a"},${short}]}}`);
});

test('unchecked filters are beside further fields', () => {
  const fields = { evaluation_runtime: 'server', filters: { groups: [{ sort_key: 'x' }] } };
  expect(written(fields, { form: 'unchecked' })).toBe(
    '{"fields":{"evaluation_runtime":"server","filters":{"groups":[{"sort_key":"x"}]}}}',
  );
  expect(written({ filters: {} }, { form: 'unchecked' })).toBe('{"fields":{"filters":{}}}');
  expect(written({ active: true }, { form: 'unchecked' })).toBe('{"active":true}');
});

function heldOf(access: FlagAccess): HeldAccess {
  const held = heldAccess(access, undefined);
  if (held === undefined) throw new Error('It was refused.');
  return held;
}

test('roles by name if they have one, sorted and unique', () => {
  const held = (...ids: string[]): HeldAccess => heldOf(ids.map((id) => ({ id: 1, role: { id, name: id } })));
  expect(written({}, { access: held('r1', 'r9', 'r2', 'r1') })).toBe('{"role_access":["admins","r9","support"]}');
  expect(written({}, { access: held() })).toBe('{"role_access":[]}');
  expect(written({}, { access: held(), minimal: true })).toBe('{}');
});

test.each<[string, Readonly<Record<string, string>>, long: string, short: string]>([
  ['nothing', {}, '{"access":{"default":"inherited","roles":{}}}', '{}'],
  [
    'editors',
    { r1: 'editor' },
    '{"access":{"default":"inherited","roles":{"support":"editor"}}}',
    '{"role_access":["support"]}',
  ],
  [
    'another level',
    { r1: 'editor', r2: 'viewer' },
    '{"access":{"default":"inherited","roles":{"admins":"viewer","support":"editor"}}}',
    '{"access":{"roles":{"admins":"viewer","support":"editor"}}}',
  ],
  ['a level of everyone', { '': 'none' }, '{"access":{"default":"none","roles":{}}}', '{"access":{"default":"none"}}'],
])('levels of access: %s', (_name, levels, long, short) => {
  const rules = Object.entries(levels).map(([role, level]) => ({
    access_level: level,
    role: role === '' ? null : role,
    organization_member: null,
  }));
  const access = heldOf({ access_controls: rules });
  expect(written({}, { access })).toBe(long);
  expect(written({}, { access, minimal: true })).toBe(short);
});
