import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { RoleAccessEntry } from '../../../src/posthog/role-access/access.ts';
import type { Export } from '../../../src/loop/export/export.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { holds } from '../../helpers/runs.ts';
import { declaredFields, liveFields, parsedFlags } from './parsed-flags.ts';
import { arbitraryFlags } from './arbitrary-flags.ts';

const NAMES = {
  roles: { engineering: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' },
  cohorts: { 'beta-testers': 42, '57': 43 },
};
const NO_NAMES = { roles: {}, cohorts: {} };
const SUPPORT = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';

function flag(fields: Partial<Flag> & { key: string }): Flag {
  return { id: 1, active: true, ...fields } as Flag;
}

function written(live: Flag, others: readonly Flag[] = []): JsonObject {
  const input = { flags: [live, ...others], roleAccess: undefined, names: NAMES };
  const exported = writeManifests(input, { minimal: true });
  return parsedFlags(exported).get(live.key) as JsonObject;
}

describe('an export declares what is live', () => {
  function expectSame(flags: readonly Flag[]): void {
    const exported = writeManifests({ flags, roleAccess: undefined, names: NAMES });
    const keys = new Map(flags.map(({ id, key }) => [id, key]));
    const parsed = parsedFlags(exported);
    const named = [...parsed.keys(), ...exported.notExported.map(({ key }) => key)];
    expect(named.sort()).toEqual(flags.map(({ key }) => key).sort());
    for (const live of flags.filter(({ key }) => parsed.has(key))) {
      const declared = declaredFields(parsed.get(live.key) as JsonObject, NAMES);
      expect(declared).toEqual(liveFields(live, declared, keys));
    }
  }

  test.each(['flags-today.json', 'flags-2023.json'])('%s', (fixture) => {
    const text = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url), 'utf8');
    expectSame((JSON.parse(text) as { results: Flag[] }).results);
  });

  test('for any flags', () => {
    holds(60, [arbitraryFlags], expectSame);
  });

  test('for any order of the flags', () => {
    const shuffled = arbitraryFlags.chain((flags) =>
      fc.tuple(fc.constant(flags), fc.shuffledSubarray([...flags], { minLength: flags.length })),
    );
    holds(30, [shuffled], ([flags, other]) => {
      const rest = { roleAccess: undefined, names: NAMES };
      expect(writeManifests({ flags: other, ...rest })).toEqual(writeManifests({ flags, ...rest }));
    });
  });
});

describe('a flag is written as if by hand', () => {
  const cohort = (value: JsonValue): JsonObject => ({ key: 'id', type: 'cohort', operator: 'in', value });
  const group = (rest: JsonObject): JsonObject => ({ properties: [], variant: null, sort_key: 'x', ...rest });

  const cases: readonly { what: string; live: JsonObject; manifest: JsonObject }[] = [
    {
      what: 'one condition for everybody',
      live: { filters: { groups: [group({ rollout_percentage: 10 })] } },
      manifest: { rollout_percentage: 10 },
    },
    {
      what: 'everybody, written out where the service has it unsaid',
      live: {
        filters: { groups: [{}, { properties: [], rollout_percentage: null }, { properties: [], variant: null }] },
      },
      manifest: {
        filters: { groups: [{ rollout_percentage: 100 }, { rollout_percentage: 100 }, { rollout_percentage: 100 }] },
      },
    },
    {
      what: 'everybody, written out in filters that break a rule',
      live: { filters: { groups: [{}, { properties: [{ key: 'age', type: 'person', operator: 'gt', value: 18 }] }] } },
      manifest: {
        fields: {
          filters: {
            groups: [
              { rollout_percentage: 100 },
              { properties: [{ key: 'age', type: 'person', operator: 'gt', value: 18 }] },
            ],
          },
        },
      },
    },
    {
      what: 'an unknown member with consent to it',
      live: { filters: { groups: [group({ window: 1 })] } },
      manifest: { filters: { groups: [{ window: 1 }] }, unknown_members: 'allow' },
    },
    {
      what: 'a condition without a percentage',
      live: { filters: { groups: [{}] } },
      manifest: { rollout_percentage: 100 },
    },
    { what: 'no condition at all', live: { filters: { groups: [] } }, manifest: { filters: { groups: [] } } },
    {
      what: 'filters without a list of conditions',
      live: { filters: {} },
      manifest: { fields: { filters: {} } },
    },
    {
      what: 'empty values',
      live: {
        name: ' ',
        tags: [],
        ensure_experience_continuity: null,
        rollback_conditions: null,
        evaluation_runtime: 'all',
        archived: false,
        filters: {
          groups: [group({ rollout_percentage: 5 })],
          multivariate: null,
          payloads: {},
          aggregation_group_type_index: null,
        },
      },
      manifest: { rollout_percentage: 5 },
    },
    {
      what: 'a rollout with a description',
      live: { filters: { groups: [group({ rollout_percentage: 5, description: 'ramp' })] } },
      manifest: { filters: { groups: [{ description: 'ramp', rollout_percentage: 5 }] } },
    },
    {
      what: 'parts of other products and bookkeeping',
      live: {
        filters: {
          groups: [group({ properties: [{ ...cohort(42), cohort_name: 'Beta', label: 'x' }] })],
          holdout: { id: 9 },
          feature_enrollment: true,
          super_groups: [{}],
          holdout_groups: [{}],
        },
      },
      manifest: { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 'beta-testers' }] }] } },
    },
    {
      what: 'an alias that looks like an id',
      live: { filters: { groups: [group({ properties: [cohort(43)] })] } },
      manifest: { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 43 }] }] } },
    },
    {
      what: 'an aggregation that all conditions share',
      live: {
        filters: {
          aggregation_group_type_index: 1,
          groups: [{ aggregation_group_type_index: 1, description: 'a' }, { aggregation_group_type_index: 1 }],
        },
      },
      manifest: {
        filters: { aggregation_group_type_index: 1, groups: [{ description: 'a' }, { rollout_percentage: 100 }] },
      },
    },
    {
      what: 'an aggregation that all conditions share but the flag does not have',
      live: {
        filters: {
          groups: [{ aggregation_group_type_index: 1, description: 'a' }, { aggregation_group_type_index: 1 }],
        },
      },
      manifest: {
        filters: {
          aggregation_group_type_index: null,
          groups: [{ aggregation_group_type_index: 1, description: 'a' }, { aggregation_group_type_index: 1 }],
        },
      },
    },
    {
      what: 'mixed aggregations',
      live: {
        filters: {
          groups: [{ aggregation_group_type_index: 1, description: 'a' }, { aggregation_group_type_index: null }],
        },
      },
      manifest: {
        filters: { groups: [{ description: 'a', aggregation_group_type_index: 1 }, { rollout_percentage: 100 }] },
      },
    },
    {
      what: 'fields of newer services',
      live: { evaluation_runtime: 'server', evaluation_contexts: ['web'], archived: true, version: 7, status: 'STALE' },
      manifest: { fields: { archived: true, evaluation_contexts: ['web'], evaluation_runtime: 'server' } },
    },
    {
      what: 'every exported field',
      live: { name: ' Checkout ', ensure_experience_continuity: true, rollback_conditions: [{ threshold: 5 }] },
      manifest: {
        description: 'Checkout',
        ensure_experience_continuity: true,
        rollback_conditions: [{ threshold: 5 }],
      },
    },
    { what: 'tags in any order', live: { tags: ['q3', 'ai'] }, manifest: { tags: ['ai', 'q3'] } },
  ];

  test.each(cases)('$what', ({ live, manifest }) => {
    expect(written(flag({ key: 'a', ...live }))).toEqual({ active: true, ...manifest });
  });

  test('a dependency by key, or by id if the flag is gone', () => {
    const dependency = (key: string): JsonObject => ({ key, type: 'flag', operator: 'flag_evaluates_to', value: true });
    const live = flag({
      key: 'a',
      filters: { groups: [{ properties: [dependency('2'), dependency('3'), dependency('4')] }] } as JsonObject,
    });
    const others = [flag({ id: 2, key: '3' }), flag({ id: 3, key: 'gone', deleted: true })];
    expect(written(live, others)['filters']).toEqual({
      groups: [{ properties: ['3', 3, 4].map((key) => ({ ...dependency(''), key })) }],
    });
  });

  test('every value, unless it is a default: below fields where the export is not full, everywhere where it is minimal', () => {
    const live = flag({ key: 'a', name: '', tags: [], archived: false, created_at: '2026-01-01T00:00:00Z' });
    const input = { flags: [live], roleAccess: undefined, names: NAMES };
    const [whole, usual, minimal] = [{ full: true }, {}, { minimal: true }].map((how) =>
      writeManifests(input, how),
    ) as [Export, Export, Export];
    const declared = { description: '', active: true, tags: [] };
    expect([whole, usual, minimal].map((exported) => parsedFlags(exported).get('a'))).toEqual([
      { ...declared, fields: { archived: false } },
      declared,
      { active: true },
    ]);
    const always = [
      { member: 'created_at', flags: 1, reason: 'never-exported' },
      { member: 'role_access', flags: 1, reason: 'not-read' },
    ];
    expect(whole.unmanaged).toEqual(always);
    expect(usual.unmanaged).toEqual([always[0], { member: 'fields.archived', flags: 1, reason: 'minimal' }, always[1]]);
    expect(minimal.unmanaged).toEqual([
      { member: 'description', flags: 1, reason: 'minimal' },
      { member: 'tags', flags: 1, reason: 'minimal' },
      always[0],
      { member: 'fields.archived', flags: 1, reason: 'minimal' },
      always[1],
    ]);
    expect(writeManifests({ ...input, roleAccess: { '1': [] } }, { minimal: true }).unmanaged).toContainEqual({
      member: 'role_access',
      flags: 1,
      reason: 'minimal',
    });
  });

  test('role access by name, if it is exported', () => {
    const entry = (id: string, name: string): RoleAccessEntry => ({ id: 1, role: { id, name } });
    const roleAccess = { '1': [entry(SUPPORT, 'Support'), entry(NAMES.roles.engineering, 'Engineering')], '2': [] };
    const flags = [flag({ key: 'a' }), flag({ id: 2, key: 'b' }), flag({ id: 3, key: 'c' })];
    const exported = writeManifests({ flags, roleAccess, names: NAMES });
    expect(Object.fromEntries(parsedFlags(exported))).toEqual({
      a: { active: true, role_access: [SUPPORT, 'engineering'] },
      b: { active: true, role_access: [] },
      c: { active: true },
    });
    expect(exported.notes).toEqual([{ kind: 'role-without-name', key: 'a', role: SUPPORT, name: 'Support' }]);
  });
});

describe('facts that the files cannot show are in the notes', () => {
  const cohort = (value: JsonValue): JsonObject => ({ key: 'id', type: 'cohort', value, cohort_name: 'Power users' });
  const cases: readonly { live: Partial<Flag> & { key: string }; notes: readonly JsonObject[] }[] = [
    {
      live: { key: 'a', filters: { groups: [{ properties: [cohort(9), cohort(9), cohort(42)] }] } as JsonObject },
      notes: [{ kind: 'cohort-without-alias', key: 'a', cohort: 9, name: 'Power users' }],
    },
    {
      live: {
        key: 'a',
        filters: { groups: [{ properties: [{ key: '8', type: 'flag', value: true }] }] } as JsonObject,
      },
      notes: [{ kind: 'dependency-dangling', key: 'a', id: 8 }],
    },
    {
      live: { key: 'a', filters: { holdout: { id: 1 }, super_groups: null } },
      notes: [{ kind: 'filters-unmanaged', key: 'a', members: ['holdout'] }],
    },
    {
      live: { key: 'a', filters: { version: 2, rules: [{ id: 'r1' }] } as JsonObject },
      notes: [{ kind: 'filters-opaque', key: 'a', format: '2' }],
    },
  ];

  test.each(cases)('$notes', ({ live, notes }) => {
    expect(writeManifests({ flags: [flag(live)], roleAccess: undefined, names: NAMES }).notes).toEqual(notes);
  });

  test('access that cannot be read, and levels of members, are in no file', () => {
    const member = { access_level: 'editor', role: null, organization_member: 'm-1' };
    const roleAccess = { '1': { refused: 'No.' }, '2': { access_controls: [member, member] } };
    const flags = [flag({ key: 'a' }), flag({ id: 2, key: 'b' })];
    const exported = writeManifests({ flags, roleAccess, names: NAMES } as Parameters<typeof writeManifests>[0]);
    expect(exported.notes).toEqual([
      { kind: 'access-refused', key: 'a' },
      { kind: 'access-of-members', key: 'b', members: 2 },
    ]);
    expect([...parsedFlags(exported).values()]).toEqual([
      { active: true },
      { active: true, access: { default: 'inherited', roles: {} } },
    ]);
  });

  test('an encrypted payload is not in any file', () => {
    const live = flag({
      key: 'a',
      has_encrypted_payloads: true,
      filters: { groups: [], payloads: { true: '"s3cret"' } },
    });
    const exported = writeManifests({ flags: [live], roleAccess: undefined, names: NO_NAMES });
    expect(JSON.stringify(exported)).not.toContain('s3cret');
    expect(exported.notes).toEqual([{ kind: 'payloads-encrypted', key: 'a', payloads: ['true'] }]);
    expect(parsedFlags(exported).get('a')?.['filters']).toEqual({
      groups: [],
      payloads: { true: '"********* (encrypted)"' },
    });
  });
});

describe('a flag that no manifest can declare is left out and listed', () => {
  const dependency = { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true };
  const deep = (levels: number): JsonValue => (levels === 0 ? 1 : [deep(levels - 1)]);
  const role = { id: 1, role: { id: 'r-1', name: 'No id of a role' } };
  const cases: readonly { what: string; live: Partial<Flag> & { key: string }; reasons: readonly string[] }[] = [
    { what: 'a key with spaces', live: { key: 'in der Datei' }, reasons: ['flag-key-invalid'] },
    { what: 'a key with a path', live: { key: '../../etc/passwd' }, reasons: ['flag-key-invalid'] },
    { what: 'an empty key', live: { key: '' }, reasons: ['flag-key-invalid'] },
    { what: 'the key __proto__', live: { key: '__proto__' }, reasons: ['flag-key-invalid'] },
    { what: 'a long key', live: { key: 'k'.repeat(401) }, reasons: ['flag-key-too-long'] },
    {
      what: 'deeply nested values',
      live: { key: 'a', filters: { groups: [], later: deep(120) } },
      reasons: ['yaml-too-deep'],
    },
    { what: 'a role whose id is not a UUID', live: { key: 'a', id: 9 }, reasons: ['role-unknown'] },
    {
      what: 'filters that are not an object',
      live: { key: 'a', filters: [1] as unknown as JsonObject },
      reasons: ['type-wrong'],
    },
    {
      what: 'secrets that are not payloads',
      live: {
        key: 'a',
        has_encrypted_payloads: true,
        filters: { groups: [], payloads: ['s3cret'] as unknown as null },
      },
      reasons: ['reads-differently'],
    },
  ];

  test.each(cases)('$what', ({ live, reasons }) => {
    const others = [
      flag({ key: 'before', id: 2 }),
      flag({ key: 'z', id: 3, filters: { groups: [{ properties: [dependency] }] } as JsonObject }),
    ];
    const exported = writeManifests({
      flags: [flag(live), ...others],
      roleAccess: { '1': [], '2': [], '3': [], '9': [role] },
      names: NAMES,
    });
    expect(exported.notExported).toEqual([{ key: live.key, id: live.id ?? 1, reasons }]);
    expect([...parsedFlags(exported).keys()].sort()).toEqual(['before', 'z']);
    expect(JSON.stringify(exported)).not.toContain('s3cret');
  });

  test('another flag with the same key: plans use the one with the lowest id', () => {
    const flags = [flag({ key: 'a', id: 7, name: 'second' }), flag({ key: 'a', id: 3, name: 'first' })];
    const exported = writeManifests({ flags, roleAccess: undefined, names: NAMES });
    expect(parsedFlags(exported).get('a')).toEqual({ active: true, description: 'first' });
    expect(exported.notExported).toEqual([{ key: 'a', id: 7, reasons: ['key-shared'] }]);
  });
});

describe('filters that break a rule are under fields, unchanged', () => {
  const gt: JsonObject = { key: 'age', type: 'person', operator: 'gt', value: 25, label: null };

  function exportOf(...flags: readonly Flag[]): ReturnType<typeof writeManifests> {
    return writeManifests({ flags, roleAccess: undefined, names: NAMES });
  }

  test('with a comment on the reason, and all else as usual', () => {
    const filters: JsonObject = {
      groups: [{ properties: [gt], rollout_percentage: null, sort_key: 'x' }],
      holdout: { id: 3 },
      aggregation_group_type_index: null,
    };
    const live = flag({ key: 'a', name: 'Adults', filters, evaluation_runtime: 'server' });
    const { files, unchecked, notes } = exportOf(live, flag({ key: 'b', id: 2 }));
    expect(files.map(({ text }) => text)).toEqual([
      `flags:
  # Unchecked filters, exactly as the service holds them, because they break rules: operator-value-unfit
  a:
    description: Adults
    active: true
    fields:
      evaluation_runtime: server
      filters:
        groups:
          - properties:
              - { key: age, type: person, operator: gt, value: 25, label: null }
            rollout_percentage: null
            sort_key: x
        aggregation_group_type_index: null

  b:
    active: true
`,
    ]);
    expect(unchecked).toEqual([{ key: 'a', reasons: ['operator-value-unfit'] }]);
    expect(notes).toEqual([{ kind: 'filters-unmanaged', key: 'a', members: ['holdout'] }]);
  });

  test('with other flags by key and cohorts by id', () => {
    const properties = [
      gt,
      { key: '2', type: 'flag', operator: 'flag_evaluates_to', value: true },
      { key: 4, type: 'flag', operator: 'flag_evaluates_to', value: true },
      { key: 'id', type: 'cohort', operator: 'in', value: 42 },
    ];
    const live = flag({ key: 'a', filters: { groups: [{ properties }] } as JsonObject });
    const read = parsedFlags(exportOf(live, flag({ key: 'b', id: 2 }))).get('a');
    expect(read?.['fields']).toEqual({
      filters: { groups: [{ properties: [gt, { ...properties[1], key: 'b' }, properties[2], properties[3]] }] },
    });
  });

  test('without secrets', () => {
    const live = flag({
      key: 'a',
      has_encrypted_payloads: true,
      filters: { groups: [{ properties: [gt] }], payloads: { true: '"s3cret"' } } as JsonObject,
    });
    const exported = exportOf(live);
    expect(JSON.stringify(exported)).not.toContain('s3cret');
    expect(parsedFlags(exported).get('a')?.['fields']).toEqual({
      has_encrypted_payloads: true,
      filters: { groups: [{ properties: [gt] }], payloads: { true: '"********* (encrypted)"' } },
    });
  });

  test('for one flag of a cycle of dependencies', () => {
    const on = (id: number): JsonObject => ({
      groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
    });
    const circle = [flag({ key: 'a', filters: on(2) }), flag({ key: 'b', id: 2, filters: on(1) })];
    expect(exportOf(...circle, flag({ key: 'c', id: 3, filters: on(3) })).unchecked).toEqual([
      { key: 'a', reasons: ['flag-depends-on-itself'] },
      { key: 'c', reasons: ['flag-depends-on-itself'] },
    ]);
  });
});

test('deleted flags are left out, and no flags make no file', () => {
  const flags = [flag({ key: 'a', deleted: true })];
  expect(writeManifests({ flags, roleAccess: undefined, names: NO_NAMES })).toEqual({
    files: [],
    flags: 0,
    notes: [],
    unchecked: [],
    notExported: [],
    unmanaged: [],
  });
});

test('the first line names the schema for editors', () => {
  const [file] = writeManifests(
    { flags: [flag({ key: 'a' })], roleAccess: undefined, names: NO_NAMES },
    { schemaPath: '../manifest.schema.json', groupBy: 'single' },
  ).files;
  expect(file).toEqual({
    path: 'flags.yaml',
    text: '# yaml-language-server: $schema=../manifest.schema.json\nflags:\n  a:\n    active: true\n',
  });
});

test('keys that are special in JavaScript are ordinary', () => {
  const flags = ['constructor', 'toString', '__proto'].map((key, id) => flag({ id, key }));
  const exported = writeManifests({ flags, roleAccess: {}, names: NAMES }, { groupBy: 'single' });
  const { flags: read } = parse(exported.files[0]?.text ?? '') as { flags: JsonObject };
  expect(Object.keys(read).sort()).toEqual(['__proto', 'constructor', 'toString']);
});
