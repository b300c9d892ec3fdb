/** The published schema refuses what `validate` refuses, as far as a schema can say it, and nothing that `validate` accepts. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { FLAG_FIELDS } from '../../../src/posthog/flag/model/fields.ts';
import { KNOWN_MEMBERS } from '../../../src/posthog/flag/model/flag.ts';
import { parseManifest } from '../../../src/posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../../src/posthog/manifests/problems.ts';
import { validateManifests } from '../../../src/posthog/manifests/load.ts';
import { holds, runs } from '../../helpers/runs.ts';
import { SHAPES, WITH_ARGUMENTS } from './bad-manifests.ts';
import { PRODUCTION } from './check.ts';
import { oddFilters } from './odd-filters.ts';
import { isSaid, NOT_IN_SCHEMA, schemaErrorsIn } from './published-schema.ts';
import { readSchema } from '../../helpers/published-schema.ts';

/** The errors of a manifest in any of two projects. */
function errorsIn(text: string): ManifestDiagnostic[] {
  const { file, diagnostics } = parseManifest('flags.yaml', text);
  const resolved = validateManifests([file], [PRODUCTION, { ...PRODUCTION, name: 'staging' }]);
  return [...diagnostics, ...resolved].filter(({ severity }) => severity === 'error');
}

const codesOf = (errors: readonly ManifestDiagnostic[]): string[] => errors.map(({ code }) => code);

describe('the tables of diagnostics', () => {
  const texts = [...SHAPES, ...WITH_ARGUMENTS].map(([text]) => text);

  it.each(texts)('%s', (text) => {
    const errors = errorsIn(text);
    const found = schemaErrorsIn(text);
    if (errors.length === 0) expect(found).toEqual([]);
    if (errors.some(isSaid)) expect([codesOf(errors), found]).not.toEqual([codesOf(errors), []]);
  });

  it('have most errors that a schema cannot find', () => {
    const codes = new Set(texts.flatMap((text) => codesOf(errorsIn(text))));
    expect(Object.keys(NOT_IN_SCHEMA).filter((code) => codes.has(code)).length).toBeGreaterThan(12);
  });
});

const flag = (text: string): string => `flags: { f: { ${text} } }`;
const property = (text: string): string => flag(`filters: { groups: [{ properties: [{ ${text} }] }] }`);
const overlay = (base: string, text: string): string => flag(`${base}, projects: { staging: { ${text} } }`);
const PLAIN = 'filters: { groups: [{}] }';

it.each([
  flag('filters: { groups: [{}] }, rollout_percentage: 5'),
  flag('filters: { groups: [{}] }, fields: { filters: { groups: [{}] } }'),
  flag('rollout_percentage: 5, fields: { filters: { groups: [{}] } }'),
  flag('filters: { payloads: {} }'),
  flag('filters: { groups: null }'),
  flag('filters: { groups: [{}], version: 1 }'),
  flag('filters: { groups: [{ rollout: 5 }] }'),
  flag('filters: { groups: [{}], rollout_percentage: 5 }'),
  flag('filters: { groups: [{ rollout_percentage: 101 }] }'),
  flag('filters: { groups: [{}], multivariate: { variants: [{ key: a, rollout_percentage: 100, payload: 1 }] } }'),
  flag('filters: { groups: [{}], multivariate: { variants: [{ key: a }] } }'),
  flag('filters: { groups: [{ variant: a }] }'),
  flag('filters: { groups: [{}], payloads: { a: 1 } }'),
  flag('filters: { groups: [{}], payloads: { true: red } }'),
  flag('filters: { groups: [{ aggregation_group_type_index: null }], aggregation_group_type_index: 0 }'),
  flag('fields: { version: 1 }'),
  flag('fields: { name: x }'),
  property('key: a, value: b, oprator: exact'),
  property('key: a, operator: gt, value: 5'),
  property('key: a, operator: in, value: 5'),
  property('key: a'),
  property('key: a, type: flag, value: true'),
  property('key: id, type: cohort, value: []'),
  property('key: a, type: group, value: b'),
  property('key: a, operator: is_date_before, value: tomorrow'),
  property('key: a, operator: is_date_before, value: 2024-13-01'),
  property('key: a, operator: semver_gt, value: latest'),
  property('key: a, operator: between, value: [1, x]'),
  overlay(PLAIN, 'filters: { groups: [{ rollout: 5 }] }'),
  overlay(PLAIN, 'filters: { groups: [{}] }, rollout_percentage: 5'),
  overlay(PLAIN, 'conditions: { 1: { rollout: 5 } }'),
  overlay(PLAIN, 'conditions: { 1: { properties: [{ key: a, operator: gt, value: 5 }] } }'),
  overlay(PLAIN, 'conditions: { 0: {} }'),
  overlay(PLAIN, 'conditions: { 1: { rollout_percentage: 101 } }'),
  overlay(PLAIN, 'conditions: { 1: {} }, filters: { groups: [{}] }'),
  overlay('active: true', 'variants: { a: {} }'),
  overlay(PLAIN, 'payloads: { true: red }'),
  overlay('filters: { groups: [{ properties: [{ key: a, value: b }] }] }', 'rollout_percentage: 5'),
  overlay('filters: { groups: [{}], payloads: { true: 1 } }', 'rollout_percentage: 5'),
  overlay('filters: { groups: [{ rollout: 5 }] }', 'conditions: { 1: { rollout_percentage: 5 } }'),
])('%s is refused by both', (text) => {
  expect(errorsIn(text)).not.toEqual([]);
  expect(schemaErrorsIn(text)).not.toEqual([]);
});

const NEW_MEMBERS = 'filters: { groups: [{ window: 1, properties: [{ key: a, value: b, bytecode: 1 }] }], bandit: {} }';

it.each([
  flag(`unknown_members: allow, ${NEW_MEMBERS}`),
  flag('filters: { groups: [{ x-owner: me }], x-note: 1 }'),
  flag('fields: { filters: { groups: [{ rollout: 10, properties: [{ key: a, operator: gt, value: 5 }] }] } }'),
  flag(`deleted: true, ${NEW_MEMBERS}`),
  overlay(PLAIN, `unknown_members: allow, ${NEW_MEMBERS}`),
  overlay(`unknown_members: allow, ${PLAIN}`, NEW_MEMBERS),
  overlay(PLAIN, 'filters: { window: null, payloads: { true: 1 } }'),
  overlay(PLAIN, 'conditions: { 1: { window: null, rollout_percentage: null } }, variants: {}, payloads: { true: 1 }'),
  overlay(PLAIN, `deleted: true, ${NEW_MEMBERS}`),
  overlay(PLAIN, 'rollout_percentage: 5'),
  flag(`only_in: [production], ${PLAIN}, projects: { staging: { ${NEW_MEMBERS} } }`),
  flag(
    'filters: { payloads: {} }, projects: { staging: { filters: { groups: [{}] } }, production: { filters: { groups: [{}] } } }',
  ),
  flag('projects: null'),
  flag('filters: { version: 2, return_type: boolean, rules: [{ id: a }] }'),
  overlay(PLAIN, 'filters: { version: 2, rules: [{ id: a }] }'),
  overlay('filters: { version: 2, rules: [] }', 'filters: { rules: [{ id: a }] }'),
  'flags: { f: null }',
])('%s is refused by neither', (text) => {
  expect(errorsIn(text)).toEqual([]);
  expect(schemaErrorsIn(text)).toEqual([]);
});

describe('manifests that people read', () => {
  const files = globSync(['examples/**/*.yaml', 'docs/*.md', 'README.md']).filter(
    (file) => !file.includes('node_modules') && !file.endsWith('flagwright.yaml'),
  );
  const texts = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.md')
      ? [...text.matchAll(/```yaml\n(flags:[\s\S]*?)```/g)].map(([, one = '']) => one)
      : [text];
  });

  it.each(texts.filter((text) => /^flags:/m.test(text)))('%s', (text) => {
    expect(schemaErrorsIn(text)).toEqual([]);
  });

  it.each(['flags-today', 'flags-2023'])('%s', (name) => {
    const { results } = JSON.parse(readFileSync(`test/fixtures/${name}.json`, 'utf8')) as { results: JsonObject[] };
    const flags = results.map(({ key, name: description, filters }) => [key, { description, filters }]);
    expect(schemaErrorsIn(JSON.stringify({ flags: Object.fromEntries(flags) as JsonObject }))).toEqual([]);
  });
});

/** A flag with filters that may have mistakes, in the base or in overlays. */
function oddFlag(): fc.Arbitrary<JsonObject> {
  const part = oddFilters().map((filters) => firstCondition(filters));
  const layer = fc.record<JsonObject>(
    {
      filters: oddFilters(),
      rollout_percentage: fc.constantFrom<JsonValue>(0, 50, null, 101),
      conditions: fc.dictionary(fc.constantFrom('1', '2', '0', 'staff'), fc.oneof(part, fc.constant(null)), {
        maxKeys: 2,
      }),
      variants: fc.dictionary(fc.constantFrom('a', 'control'), fc.record({ rollout_percentage: fc.nat(100) }), {
        maxKeys: 1,
      }),
      payloads: fc.dictionary(fc.constantFrom('true', 'a'), fc.constantFrom<JsonValue>(1, null, 'x', '"x"'), {
        maxKeys: 1,
      }),
      deleted: fc.boolean(),
      unknown_members: fc.constantFrom<JsonValue>('allow', null),
      fields: fc.constantFrom<JsonValue>(
        null,
        { filters: { groups: [{ rollout: 5 }] } },
        { version: 1 },
        { filters: null },
      ),
    },
    { requiredKeys: [] },
  );
  const few = fc.tuple(layer, fc.nat()).map(([members, seed]) => keepFew(members, seed));
  return fc
    .tuple(oddFilters(), few, fc.option(fc.dictionary(fc.constantFrom('staging', 'production'), few)), fc.nat(9))
    .map(([filters, { conditions: _1, variants: _2, payloads: _3, ...members }, projects, kind]) => ({
      ...(kind < 7 ? { filters } : members),
      ...(projects === null ? {} : { projects }),
      ...(kind === 3 ? { only_in: ['staging'] } : {}),
      ...(kind === 4 ? { unknown_members: 'allow' } : {}),
    }))
    .map((members) => ('unknown_members' in members && members.unknown_members === null ? {} : members));
}

function firstCondition(filters: JsonValue): JsonValue {
  const groups = isJsonObject(filters) ? filters['groups'] : undefined;
  return Array.isArray(groups) ? ((groups as readonly JsonValue[])[0] ?? {}) : {};
}

/** Overlays with many members are refused for their combination alone. */
function keepFew(members: JsonObject, seed: number): JsonObject {
  const names = Object.keys(members);
  const kept = new Set([names[seed % names.length], names[(seed >> 4) % names.length]]);
  return Object.fromEntries(Object.entries(members).filter(([name]) => kept.has(name)));
}

describe('random manifests', () => {
  it('that validate accepts are accepted by the schema', () => {
    let [accepted, refused] = [0, 0];
    holds(400, [oddFlag()], (f) => {
      const text = JSON.stringify({ flags: { f } });
      const isGood = errorsIn(text).length === 0;
      const found = schemaErrorsIn(text);
      if (isGood) expect([text, found]).toEqual([text, []]);
      if (found.length === 0) accepted += 1;
      else refused += 1;
    });
    expect(Math.min(accepted, refused)).toBeGreaterThan(runs(400) / 20);
  });

  it('that the schema accepts have only errors that it cannot find', () => {
    holds(400, [oddFilters()], (filters) => {
      const text = JSON.stringify({ flags: { f: { filters } } });
      if (schemaErrorsIn(text).length > 0) return;
      expect([text, codesOf(errorsIn(text).filter(isSaid))]).toEqual([text, []]);
    });
  });
});

describe('the names in the schema are those of the tables', () => {
  const { $defs } = readSchema('manifest') as {
    $defs: Record<string, { properties: JsonObject; allOf: { propertyNames: { not: { enum: string[] } } }[] }>;
  };

  it.each([
    ['knownFilters', [...KNOWN_MEMBERS.filters, 'version']],
    ['knownOverlayFilters', [...KNOWN_MEMBERS.filters, 'version']],
    ['knownCondition', KNOWN_MEMBERS.condition],
    ['knownOverlayCondition', KNOWN_MEMBERS.condition],
    ['knownProperty', KNOWN_MEMBERS.property],
    ['knownVariant', KNOWN_MEMBERS.variant],
    ['knownOverlayVariant', KNOWN_MEMBERS.variant],
  ])('%s', (name, members) => {
    expect(Object.keys($defs[name]?.properties ?? {}).toSorted()).toEqual([...members].toSorted());
  });

  it('fields that `fields` must not have', () => {
    const names = new Set($defs['fields']?.allOf[0]?.propertyNames.not.enum);
    const owned = FLAG_FIELDS.filter(
      (field) => field.ownership === 'computed' || field.manifest !== undefined || field.declaredBy !== undefined,
    ).map(({ api }) => api);
    expect(owned.filter((api) => !names.has(api))).toEqual(['filters']);
    for (const name of names) expect([name, codesOf(errorsIn(flag(`fields: { ${name}: 1 }`)))]).not.toEqual([name, []]);
  });
});
