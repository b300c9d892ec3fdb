import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEquals, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { indexResources } from '../../../src/core/engine/snapshot.ts';
import { canonicalFlag, withoutInjected } from '../../../src/posthog/flag/model/canonical.ts';
import { changeFlag, type FlagOutcome } from '../../../src/posthog/flag/find-changes.ts';
import { type Flag, viewFilters } from '../../../src/posthog/flag/model/flag.ts';
import { snapshotFlags } from '../../../src/posthog/flag/snapshot.ts';
import { declared, liveFlag } from '../../helpers/states.ts';
import { holds } from '../../helpers/runs.ts';

const RULES: JsonObject = {
  version: 2,
  return_type: 'boolean',
  default_value: false,
  rules: [{ id: 'r1', rule_type: 'targeted_release', targeting: { properties: [] }, value: true }],
};

function change(fields: JsonObject, live?: Flag): FlagOutcome {
  const flags = snapshotFlags(indexResources<Flag>(live === undefined ? [] : [live]));
  const desired = declared('a', fields);
  return changeFlag(live === undefined ? { desired } : { desired, live }, flags);
}

const ruled = (more: JsonObject = {}): Flag =>
  liveFlag(1, 'a', { name: 'old', active: true, tags: [], filters: RULES as never, ...more });

describe('opaque filters', () => {
  it.each<[JsonValue, boolean]>([
    [{ groups: [] }, false],
    [{ version: 1, groups: [] }, false],
    [{ version: 2 }, true],
    [{ version: 3 }, true],
    [{ version: '1' }, true],
    [{ version: true }, true],
    [{ version: null }, true],
  ])('%j: %s', (filters, expected) => {
    expect(viewFilters(filters).isOpaque).toBe(expected);
  });

  it('are equal only if they are the same JSON', () => {
    expect(change({ filters: RULES }, ruled())).toEqual({ changes: [], warnings: [] });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['other rules', { filters: { ...RULES, default_value: true } }, ['filters']],
    ['conditions', { filters: { groups: [{ rollout_percentage: 50 }] } }, ['filters']],
    ['a shorthand and a closed field', { filters: { groups: [{}] }, archived: true }, ['filters', 'archived']],
  ])('are never planned into: %s', (_name, fields, omitted) => {
    const live = ruled({ archived: false });
    const warning = { code: 'filters_opaque', key: 'a', format: '2', omitted, uncertain: [] };
    expect(change(fields, live)).toEqual({ changes: [], warnings: [warning] });
  });

  it('let the metadata change, with a warning', () => {
    const { changes, warnings } = change({ filters: { groups: [{}] }, name: 'new', active: false }, ruled());
    expect(changes).toMatchObject([{ action: 'update', body: { name: 'new', active: false } }]);
    expect(Object.keys(changes[0]?.action === 'update' ? changes[0].body : {})).not.toContain('filters');
    expect(warnings).toMatchObject([{ code: 'filters_opaque', omitted: ['filters'], uncertain: ['name'] }]);
  });

  it.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ['switched off', { active: false }, [], ['active']],
    ['switched on', { active: true }, ['active'], ['active']],
    ['deleted', { deleted: true }, [], ['deleted']],
    ['renamed', { name: 'new' }, ['name'], ['name']],
  ])('are %s with a warning of approval policies, which refuse it', (_name, fields, uncertain, gated) => {
    const live = ruled({ active: fields['active'] !== true });
    const { changes, warnings } = change(fields, live);
    expect(changes).toHaveLength(1);
    expect(warnings).toEqual([{ code: 'filters_opaque', key: 'a', format: '2', omitted: [], uncertain, gated }]);
  });

  it('are not sent to a flag with conditions, whose other fields change', () => {
    const live = liveFlag(1, 'a', { name: 'old', archived: false, filters: { groups: [] } });
    const { changes, warnings } = change({ filters: RULES, name: 'new', archived: true }, live);
    expect(changes).toMatchObject([{ body: { name: 'new', archived: true } }]);
    expect(warnings).toMatchObject([{ code: 'filters_opaque', omitted: ['filters'], uncertain: [] }]);
  });

  it('are not created', () => {
    expect(change({ filters: RULES })).toEqual({
      changes: [],
      warnings: [{ code: 'create_opaque', key: 'a', format: '2' }],
    });
  });
});

const document = fc.dictionary(
  fc.constantFrom('groups', 'rules', 'payloads', 'super_groups', 'cohort_name', 'aggregation_group_type_index', 'x'),
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
);
const opaque = fc
  .record({ version: fc.constantFrom<JsonValue>(2, 3, '2', null) })
  .chain(({ version }) => document.map((members): JsonObject => ({ ...members, version })));

it('a canonical form keeps opaque filters as they are, whatever they contain', () => {
  holds(100, [opaque], (filters) => {
    expect(canonicalFlag({ filters })['filters']).toBe(filters);
    expect(withoutInjected({ filters })['filters']).toBe(filters);
  });
});

it('no plan sends filters where either side is opaque, and none is silent about a difference', () => {
  const sound = fc.constantFrom<JsonObject>({ groups: [] }, { groups: [{ rollout_percentage: 5 }] });
  const pair = fc.oneof(fc.tuple(opaque, opaque), fc.tuple(opaque, sound), fc.tuple(sound, opaque));
  holds(100, [pair], ([wanted, stored]) => {
    const { changes, warnings } = change({ filters: wanted }, ruled({ filters: stored }));
    expect(changes).toEqual([]);
    expect(warnings.length).toBe(jsonEquals(wanted, stored) ? 0 : 1);
  });
});
