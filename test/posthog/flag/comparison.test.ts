import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import { compareFlag } from '../../../src/posthog/flag/compare-flag.ts';
import {
  afterWrite,
  comparableFlag,
  compareFields,
  compareStored,
  withManifestKeys,
  writableFields,
} from '../../../src/posthog/flag/comparison.ts';
import { takeFlagSnapshot } from '../../../src/posthog/flag/snapshot.ts';
import { declared, liveFlag } from '../../helpers/states.ts';

const payloads = (payload: JsonObject): JsonObject => ({
  filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: payload } },
});
const condition = (members: JsonObject): JsonObject => ({
  filters: { groups: [{ rollout_percentage: 10, ...members }] },
});
const property = (members: JsonObject): JsonObject =>
  condition({ properties: [{ key: 'id', type: 'cohort', value: 42, ...members }] });

describe('the comparison of a stored flag with the sent fields', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['accepts equal payloads', payloads({ a: 1 }), payloads({ a: 1 }), []],
    [
      'accepts a payload as text',
      payloads({ a: 1 }),
      { filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: '{"a": 1}' } } },
      [],
    ],
    [
      'reports a missing member of a payload',
      payloads({ cohort_name: 1, a: 1 }),
      payloads({ a: 1 }),
      ['/filters/payloads/true/cohort_name'],
    ],
    ['reports a missing label', condition({ label: 'x' }), condition({}), ['/filters/groups/0/label']],
    [
      'reports a changed sort key',
      condition({ sort_key: 'a' }),
      condition({ sort_key: 'b' }),
      ['/filters/groups/0/sort_key'],
    ],
    ['accepts a sort key that the service added', condition({}), condition({ sort_key: 'b' }), []],
    [
      'reports a missing label of a property',
      property({ label: 'x' }),
      property({}),
      ['/filters/groups/0/properties/0/label'],
    ],
    ['accepts an added cohort name', property({}), property({ cohort_name: 'beta' }), []],
    [
      'reports a changed value',
      condition({ rollout_percentage: 20 }),
      condition({}),
      ['/filters/groups/0/rollout_percentage'],
    ],
    ['accepts an omitted null', condition({ variant: null }), condition({}), []],
    ['ignores a field that was not sent', { name: 'a' }, { name: 'a', tags: ['x'] }, []],
    ['reports a changed field', { name: 'a' }, { name: 'b' }, ['/name']],
  ])('%s', (_, sent, stored, paths) => {
    const found = compareStored(sent, liveFlag(1, 'a', stored), { keyOf: () => undefined });
    expect(found.map(({ path }) => path)).toEqual(paths);
  });
});

describe('the comparison of a live flag with the declared fields', () => {
  const names = { keyOf: (id: number): string | undefined => (id === 7 ? 'base' : undefined) };
  const on = (key: string | number): JsonObject => ({
    filters: { groups: [{ properties: [{ key, type: 'flag', value: true }], rollout_percentage: 100 }] },
  });
  const compare = (wanted: JsonObject, live: JsonObject): unknown =>
    compareFields(wanted, comparableFlag(liveFlag(1, 'a', live), names), names);

  it.each<[string, string | number, string | number]>([
    ['its key, for a live id as text', 'base', '7'],
    ['its key, for a live numeric id', 'base', 7],
    ['its id, for a live id as text', 7, '7'],
    ['the id of an unknown flag', 9, '9'],
    ['a key, for the same live key', 'base', 'base'],
    ['a key of many digits', '1234567890123456', '1234567890123456'],
  ])('accepts a dependency by %s', (_name, wanted, live) => expect(compare(on(wanted), on(live))).toEqual([]));

  it.each<[string | number, string | number]>([
    ['7', '7'],
    ['other', '7'],
    [8, '7'],
    ['9', '9'],
    ['123456789012345', '123456789012345'],
  ])('reports a change from the dependency %j to live %j', (wanted, live) =>
    expect(compare(on(wanted), on(live))).toHaveLength(1),
  );

  it('covers the declared fields, in their order', () => {
    expect(compare({ tags: ['x'], name: 'b' }, { name: 'a', active: false })).toEqual([
      { path: '/tags', after: ['x'] },
      { path: '/name', before: 'a', after: 'b' },
    ]);
    expect(compare({ name: undefined }, { name: 'a' })).toEqual([]);
    expect(compare({ filters: null }, { filters: { groups: [] } })).toEqual([
      { path: '/filters', before: { groups: [] }, after: null },
    ]);
    expect(compare({ filters: { groups: [] } }, { filters: 'x' as never })).toEqual([
      { path: '/filters', before: 'x', after: { groups: [] } },
    ]);
  });

  it('replaces ids of known dependencies by keys', () => {
    expect(withManifestKeys({ ...on(7), name: 'a' }, names)).toEqual({ ...on('base'), name: 'a' });
    expect(withManifestKeys(on('7'), names)).toEqual(on('7'));
    expect(withManifestKeys(on(9), names)).toEqual(on(9));
  });

  it('provides fields to write back as they were read, with dependencies by key', () => {
    const live = liveFlag(1, 'a', { ...on('7'), name: ' as read ' });
    expect(writableFields(live, ['name', 'filters', 'gone'], names)).toEqual({ name: ' as read ', ...on('base') });
  });

  it('provides fields of an encrypted flag to write back without its secrets', () => {
    const groups = [{ rollout_percentage: null, sort_key: 'x', properties: [] }];
    const secret = liveFlag(1, 'a', {
      has_encrypted_payloads: true,
      filters: { groups, payloads: { a: '{"b": 1}', c: { b: 1 }, d: 'SECRET' } },
    });
    const { filters } = writableFields(secret, ['filters'], names) as { filters: JsonObject };
    expect(filters['groups']).toEqual(groups);
    const payloads = filters['payloads'] as JsonObject;
    expect(payloads['a']).toEqual(payloads['c']);
    expect(JSON.stringify(payloads)).not.toContain('SECRET');
    for (const held of [{ groups }, { groups, payloads: null }, { groups, payloads: {} }]) {
      expect(writableFields({ ...secret, filters: held }, ['filters'], names)).toEqual({ filters: held });
    }
  });
});

describe('the comparison of live encrypted payloads with the declared ones', () => {
  const MARK = '"********* (encrypted)"';
  const flag = (payloads: JsonObject, more: JsonObject = {}): JsonObject => ({
    filters: { groups: [], payloads },
    ...more,
  });
  const on = { has_encrypted_payloads: true };
  const paths = (wanted: JsonObject, live: JsonObject): string[] =>
    compareFields(wanted, comparableFlag(liveFlag(1, 'a', live), { keyOf: () => undefined }), {
      keyOf: () => undefined,
    }).map(({ path }) => path);
  const PAYLOAD = '/filters/payloads/a';

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['accepts the mark for a live secret', flag({ a: MARK }), flag({ a: 'x' }, on), []],
    ['accepts a declared secret for the live mark', flag({ a: 'x' }), flag({ a: MARK }, on), []],
    ['reports the mark for an absent payload', flag({ a: MARK }), flag({}, on), ['/filters/payloads']],
    [
      'reports a changed payload beside the mark',
      flag({ a: MARK, b: 'y' }),
      flag({ a: 'x', b: 'z' }, on),
      ['/filters/payloads/b/encrypted_payload'],
    ],
    [
      'reports an undeclared payload beside the mark',
      flag({ a: MARK }),
      flag({ a: 'x', b: 'z' }, on),
      ['/filters/payloads/b'],
    ],
    ['reports the mark on a flag without encryption', flag({ a: MARK }), flag({ a: 'x' }), [PAYLOAD]],
    [
      'reports only the field if a manifest enables encryption and declares the mark',
      flag({ a: MARK }, on),
      flag({ a: 'x' }, { has_encrypted_payloads: false }),
      ['/has_encrypted_payloads'],
    ],
    [
      'reports only the field for equal payloads if the service does not report encryption',
      flag({ a: 'x' }, on),
      flag({ a: 'x' }),
      ['/has_encrypted_payloads'],
    ],
    [
      'reports a changed payload by its digest if the service does not report encryption',
      flag({ a: 'y' }, on),
      flag({ a: 'x' }),
      ['/filters/payloads/a/encrypted_payload', '/has_encrypted_payloads'],
    ],
    [
      'reports the payload if a manifest disables encryption',
      flag({ a: 'x' }, { has_encrypted_payloads: false }),
      flag({ a: 'x' }, on),
      [PAYLOAD, '/has_encrypted_payloads'],
    ],
  ])('%s', (_name, wanted, live, expected) => expect(paths(wanted, live).toSorted()).toEqual(expected.toSorted()));

  it('never shows a live payload that is declared encrypted', () => {
    const live = comparableFlag(liveFlag(1, 'a', flag({ a: 'OLD' })), { keyOf: () => undefined });
    expect(JSON.stringify(compareFields(flag({ a: 'NEW' }, on), live, { keyOf: () => undefined }))).not.toMatch(
      /OLD|NEW/,
    );
  });
});

it('a flag after a write has the sent fields in canonical form, and its others as they were', () => {
  const flag = { name: 'old', active: false, tags: ['x'], filters: { groups: [{ rollout_percentage: 5 }] } };
  expect(afterWrite(flag, { active: true, name: ' new ' })).toEqual({ ...flag, active: true, name: 'new' });
  expect(afterWrite(flag, { tags: [] })).not.toHaveProperty('tags');
  expect(afterWrite(flag, {})).toEqual(flag);
});

it.each<[string, DesiredFlag | null | undefined, number | undefined]>([
  ['no base', undefined, undefined],
  ['a base with the same declaration', declared('a', { name: 'same' }), undefined],
  ['a base that did not declare it', null, undefined],
  ['a base with another value', declared('a', { name: 'other' }), 1],
])('what git and the service changed alike is counted with %s', (_what, base, converged) => {
  const live = liveFlag(1, 'a', { name: 'same' });
  const match = { desired: declared('a', { name: 'same' }), live, ...(base === undefined ? {} : { base }) };
  const compared = compareFlag(match, takeFlagSnapshot({ flags: [live], roleAccess: {} }));
  expect([compared.differences, compared.converged]).toEqual([[], converged]);
});
