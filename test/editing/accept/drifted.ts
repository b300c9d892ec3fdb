/** Manifests of two projects as people write them, and what users made of the flags in one of them. */

import fc from 'fast-check';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
import { mapReferences } from '../../../src/posthog/flag/references.ts';

const NAMES = { roles: { Growth: '11111111-1111-4111-8111-111111111111' }, cohorts: { beta: 42, staff: 43 } };
export const PRODUCTION = { name: 'production', ...NAMES };
export const STAGING = { name: 'staging', ...NAMES, cohorts: { beta: 7, staff: 8 } };

const KEYS = ['checkout', 'search-new', 'search-old', 'yes'] as const;

const rollout = fc.constantFrom(0, 5, 12.5, 50, 100);
const text = fc.constantFrom('', 'New search', 'yes', "it's 10%: half", 'a # b', 'two\nlines\n', ' ü "quoted"');
const tags = fc.uniqueArray(fc.constantFrom('beta', 'team-a', '2026-01-31', 'on'), { maxLength: 3 });

const property = fc.oneof(
  fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.constantFrom('beta', 'staff'),
  }),
  fc.record({
    key: fc.constantFrom('plan', 'email'),
    type: fc.constant('person'),
    operator: fc.constant('exact'),
    value: fc.uniqueArray(fc.constantFrom('pro', 'team', 'free'), { minLength: 1, maxLength: 3 }),
  }),
  fc.constant({ key: 'checkout', type: 'flag', operator: 'flag_evaluates_to', value: true }),
);

const condition = fc.record(
  {
    properties: fc.array(property, { minLength: 1, maxLength: 2 }),
    rollout_percentage: rollout,
    description: fc.constantFrom('staff', 'everyone else'),
  },
  { requiredKeys: ['rollout_percentage'] },
);

const multivariate = fc
  .constantFrom([50, 50], [20, 30, 50], [100])
  .map((parts) => ({ variants: parts.map((part, index) => ({ key: `v${index}`, rollout_percentage: part })) }));

/** A string is JSON text. */
const payload = fc.constantFrom<JsonValue>(
  { color: 'red', sizes: [1, 2] },
  '{"color": "blue", "sizes": []}',
  '"plain"',
  7,
  ['a', { b: 'c' }],
);

/** Without a dependency on itself. */
function filtersOf(key: string): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      groups: fc.array(condition, { minLength: 1, maxLength: 3 }),
      variants: fc.option(multivariate, { nil: undefined }),
      payload: fc.option(payload, { nil: undefined }),
    })
    .map(({ groups, variants, payload: value }) => ({
      groups: groups.map((one) => withoutDependency(one, key)),
      ...defined({ multivariate: variants }),
      ...(value === undefined ? {} : { payloads: { [variants === undefined ? 'true' : 'v0']: value } }),
    }));
}

function withoutDependency(one: JsonObject, key: string): JsonObject {
  const { properties, ...rest } = one;
  if (!isJsonArray(properties)) return one;
  const kept = properties.filter((each) => !isJsonObject(each) || each['type'] !== 'flag' || key !== 'checkout');
  return kept.length === 0 ? rest : { ...rest, properties: kept };
}

function overlayFor(hasFilters: boolean, conditions: number): fc.Arbitrary<JsonObject> {
  const targeting = hasFilters
    ? fc.oneof(
        fc.record({
          conditions: fc
            .tuple(fc.integer({ min: 1, max: conditions }), rollout)
            .map(([index, value]) => ({ [index]: { rollout_percentage: value } })),
        }),
        fc.record({ filters: fc.record({ groups: fc.array(condition, { minLength: 1, maxLength: 1 }) }) }),
        fc.constant({}),
      )
    : fc.oneof(fc.record({ rollout_percentage: rollout }), fc.constant({}));
  return fc
    .tuple(targeting, fc.record({ active: fc.boolean(), description: text }, { requiredKeys: [] }))
    .map(([target, own]) => ({ ...own, ...target }));
}

function declarationOf(key: string): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fc.record({ active: fc.boolean(), description: text, tags }, { requiredKeys: ['active'] }),
      fc.option(filtersOf(key), { nil: undefined }),
      rollout,
      fc.constantFrom(undefined, ['production'], ['staging', 'production']),
    )
    .chain(([members, filters, value, onlyIn]) => {
      const base: JsonObject = {
        ...members,
        ...(filters === undefined ? { rollout_percentage: value } : { filters }),
        ...defined({ only_in: onlyIn }),
      };
      const groups = filters?.['groups'];
      const count = isJsonArray(groups) ? groups.length : 0;
      const overlay = overlayFor(filters !== undefined, Math.max(count, 1)).map((own) =>
        key === 'checkout' ? withoutOwn(own, key) : own,
      );
      return fc
        .record({ production: overlay, staging: overlay }, { requiredKeys: [] })
        .map((projects) => (Object.keys(projects).length === 0 ? base : { ...base, projects }));
    });
}

function withoutOwn(overlay: JsonObject, key: string): JsonObject {
  const { filters } = overlay;
  if (!isJsonObject(filters) || !isJsonArray(filters['groups'])) return overlay;
  return { ...overlay, filters: { groups: filters['groups'].map((one) => withoutDependency(one as JsonObject, key)) } };
}

/** One document for all flags, with `checkout` always there, since others depend on it. */
export const manifestValues: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.subarray([...KEYS.slice(1)]), fc.tuple(...KEYS.map(declarationOf)))
  .map(([keys, declared]) => ({
    flags: Object.fromEntries(
      KEYS.flatMap((key, index): [string, JsonObject][] => {
        const declaration = declared[index] ?? {};
        if (key !== 'checkout') return keys.includes(key) ? [[key, declaration]] : [];
        const { only_in: _, ...everywhere } = declaration;
        return [[key, { ...everywhere, active: true }]];
      }),
    ),
  }));

/** What a user changes in one flag. */
type UserEdit = (flag: Flag) => Flag;

function editing(name: string, value: JsonValue): UserEdit {
  return (flag) => ({ ...flag, [name]: value });
}

function inGroups(change: (groups: readonly JsonValue[]) => readonly JsonValue[]): UserEdit {
  return (flag) => {
    const filters: JsonObject = flag.filters ?? {};
    const groups = isJsonArray(filters['groups']) ? filters['groups'] : [];
    return { ...flag, filters: { ...filters, groups: change(groups) } } as Flag;
  };
}

const userEdit: fc.Arbitrary<UserEdit> = fc.oneof(
  fc.boolean().map((active) => editing('active', active)),
  text.map((name) => editing('name', name.trim())),
  tags.map((all) => editing('tags', all)),
  fc
    .tuple(fc.nat(2), rollout)
    .map(([index, value]) =>
      inGroups((groups) =>
        groups.map((group, at) =>
          at === index % groups.length ? { ...(group as JsonObject), rollout_percentage: value } : group,
        ),
      ),
    ),
  fc
    .tuple(fc.nat(3), rollout)
    .map(([index, value]) =>
      inGroups((groups) => groups.toSpliced(index, 0, { properties: [], rollout_percentage: value })),
    ),
  fc
    .nat(2)
    .map((index) => inGroups((groups) => (groups.length < 2 ? groups : groups.toSpliced(index % groups.length, 1)))),
  fc.constant(inGroups((groups) => groups.toReversed())),
  payload.map(
    (value): UserEdit =>
      (flag) =>
        ({ ...flag, filters: { ...flag.filters, payloads: payloadsWith(flag, value) } }) as Flag,
  ),
);

function payloadsWith({ filters }: Flag, value: JsonValue): JsonObject {
  const variants = filters?.multivariate?.variants ?? [];
  return { [variants[0]?.key ?? 'true']: typeof value === 'string' ? value : JSON.stringify(value) };
}

export const userEdits = fc.array(fc.tuple(fc.nat(3), userEdit), { minLength: 1, maxLength: 5 });

/** The flags as an apply leaves them. */
export function appliedFlags(manifest: string): readonly Flag[] {
  const { desired, diagnostics } = readTexts(
    [{ file: 'flags.yaml', text: manifest }],
    ['production', 'staging'],
  ).resolve(PRODUCTION);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const ids = new Map(desired.flags.map(({ key }, index) => [key, index + 1]));
  return desired.flags.flatMap((flag): Flag[] => {
    if (flag.kind !== 'declared') return [];
    const filters = mapReferences(flag.fields['filters'] as JsonObject, {
      flag: (key) => String(ids.get(String(key))),
    });
    return [
      {
        id: ids.get(flag.key) ?? 0,
        key: flag.key,
        name: '',
        tags: [],
        deleted: false,
        ...flag.fields,
        filters,
      } as Flag,
    ];
  });
}

export function editedFlags(
  applied: readonly Flag[],
  edits: readonly (readonly [number, UserEdit])[],
): readonly Flag[] {
  return edits.reduce(
    (flags, [index, edit]) => flags.map((flag, at) => (at === index % flags.length ? edit(flag) : flag)),
    applied,
  );
}
