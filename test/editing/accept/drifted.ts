/** Manifests of two projects as people write them, and what users made of the flags in one of them. */

import fc from 'fast-check';
import { isJsonArray, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { mapReferences } from '../../../src/posthog/flag/model/references.ts';

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
      copied: fc.constantFrom(0, 0, 1, 2),
      variants: fc.option(multivariate, { nil: undefined }),
      payload: fc.option(payload, { nil: undefined }),
    })
    .map(({ groups, copied, variants, payload: value }) => ({
      // Some conditions are equal.
      groups: [...groups, ...groups.slice(0, copied)].map((one) => withoutDependency(one, key)),
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

/** `name`: of the payload that an overlay may have. */
function overlayFor(
  hasFilters: boolean,
  { conditions, name }: { readonly conditions: number; readonly name: string },
): fc.Arbitrary<JsonObject> {
  const targeting = hasFilters
    ? fc.oneof(
        fc.record({
          conditions: fc
            .tuple(fc.integer({ min: 1, max: conditions }), rollout)
            .map(([index, value]) => ({ [index]: { rollout_percentage: value } })),
        }),
        fc.record({ filters: fc.record({ groups: fc.array(condition, { minLength: 1, maxLength: 1 }) }) }),
        fc.record({ payloads: payload.map((value) => ({ [name]: value })) }),
        fc.record({ filters: payload.map((value) => ({ payloads: { [name]: value } })) }),
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
      const name = filters?.['multivariate'] === undefined ? 'true' : 'v0';
      const overlay = overlayFor(filters !== undefined, { conditions: Math.max(count, 1), name }).map((own) =>
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

/** The same declarations in a configuration with these projects only: commands refuse manifests that name another one. */
export function declaredFor(value: JsonObject, projects: readonly string[]): JsonObject {
  const flags = Object.entries(objectOrEmpty(value['flags'])).map(([key, declaration]): [string, JsonObject] => {
    const { projects: overlays, only_in: onlyIn, ...base } = objectOrEmpty(declaration);
    const own = Object.entries(objectOrEmpty(overlays)).filter(([name]) => projects.includes(name));
    return [
      key,
      {
        ...base,
        ...(isJsonArray(onlyIn) ? { only_in: onlyIn.filter((name) => projects.some((one) => one === name)) } : {}),
        ...(own.length === 0 ? {} : { projects: Object.fromEntries(own) }),
      },
    ];
  });
  return { flags: Object.fromEntries(flags) };
}

/** One flag with conditions, some of them equal, and without overlays, so that nothing is written in another form. */
export const plainManifests: fc.Arbitrary<JsonObject> = fc
  .tuple(
    filtersOf('checkout'),
    fc.array(fc.oneof(condition, fc.record({ rollout_percentage: rollout })), { minLength: 1, maxLength: 4 }),
  )
  .map(([filters, groups]) => ({
    flags: {
      checkout: {
        active: true,
        filters: { ...filters, groups: groups.map((one) => withoutDependency(one, 'checkout')) },
      },
    },
  }));

/** What a user changes in one flag. */
export type UserEdit = (flag: Flag) => Flag;

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

function inCondition(index: number, change: (condition: JsonObject) => JsonObject): UserEdit {
  return inGroups((groups) =>
    groups.map((group, at) => (at === index % groups.length ? change(group as JsonObject) : group)),
  );
}

function propertiesOf({ properties }: JsonObject): readonly JsonValue[] {
  return isJsonArray(properties) ? properties : [];
}

/** As the web interface makes it. */
const newProperty = fc.constantFrom<JsonObject>(
  { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] },
  { key: 'country', type: 'person', operator: 'is_not', value: ['de', 'fr'] },
  { key: 'id', type: 'cohort', operator: 'in', value: 42 },
);
const description = fc.constantFrom('staff', 'everyone else', 'new here');
const at = fc.nat(3);

/** Something in a condition that changes or comes: nothing goes. */
export const conditionGrowth: fc.Arbitrary<UserEdit> = fc.oneof(
  fc.tuple(at, rollout).map(([index, value]) => inCondition(index, (one) => ({ ...one, rollout_percentage: value }))),
  fc.tuple(at, description).map(([index, value]) => inCondition(index, (one) => ({ ...one, description: value }))),
  fc
    .tuple(at, description, rollout)
    .map(([index, value, percentage]) =>
      inCondition(index, (one) => ({ ...one, description: value, rollout_percentage: percentage })),
    ),
  fc
    .tuple(at, at, newProperty)
    .map(([index, place, value]) =>
      inCondition(index, (one) => ({ ...one, properties: propertiesOf(one).toSpliced(place, 0, value) })),
    ),
);

const conditionEdit: fc.Arbitrary<UserEdit> = fc.oneof(
  { weight: 4, arbitrary: conditionGrowth },
  at.map((index) => inCondition(index, (one) => ({ ...one, description: null }))),
  fc
    .tuple(at, at)
    .map(([index, place]) =>
      inCondition(index, (one) => ({ ...one, properties: propertiesOf(one).toSpliced(place, 1) })),
    ),
  fc
    .tuple(at, at, fc.uniqueArray(fc.constantFrom('pro', 'team', 'free', 'big'), { minLength: 1 }))
    .map(([index, place, value]) =>
      inCondition(index, (one) => ({
        ...one,
        properties: propertiesOf(one).map((property, own) =>
          own === place && isJsonObject(property) && property['type'] === 'person' ? { ...property, value } : property,
        ),
      })),
    ),
);

/** A condition that comes or moves. */
export const listGrowth: fc.Arbitrary<UserEdit> = fc.oneof(
  fc
    .tuple(at, rollout)
    .map(([index, value]) =>
      inGroups((groups) => groups.toSpliced(index, 0, { properties: [], rollout_percentage: value })),
    ),
  fc
    .tuple(at, newProperty)
    .map(([index, value]) =>
      inGroups((groups) => groups.toSpliced(index, 0, { properties: [value], rollout_percentage: 100 })),
    ),
  // The copy is below the original.
  at.map((index) => inGroups((groups) => groups.toSpliced(index + 1, 0, ...groups.slice(index, index + 1)))),
  fc
    .tuple(at, at)
    .map(([index, to]) => inGroups((groups) => moveTo(groups, index % groups.length, to % groups.length))),
  fc.constant(inGroups((groups) => groups.toReversed())),
);

const listEdit: fc.Arbitrary<UserEdit> = fc.oneof(
  { weight: 4, arbitrary: listGrowth },
  at.map((index) => inGroups((groups) => (groups.length < 2 ? groups : groups.toSpliced(index % groups.length, 1)))),
);

function moveTo(groups: readonly JsonValue[], from: number, to: number): readonly JsonValue[] {
  return groups.toSpliced(from, 1).toSpliced(to, 0, ...groups.slice(from, from + 1));
}

const userEdit: fc.Arbitrary<UserEdit> = fc.oneof(
  fc.boolean().map((active) => editing('active', active)),
  text.map((name) => editing('name', name.trim())),
  tags.map((all) => editing('tags', all)),
  { weight: 4, arbitrary: conditionEdit },
  { weight: 3, arbitrary: listEdit },
  payload.map(
    (value): UserEdit =>
      (flag) =>
        ({ ...flag, filters: { ...flag.filters, payloads: payloadsWith(flag, value) } }) as Flag,
  ),
  fc.constant((flag: Flag): Flag => ({ ...flag, filters: { ...flag.filters, payloads: {} } }) as Flag),
  fc.constant(withVariantMore),
  fc.constantFrom('renamed', 'other').map(
    (key): UserEdit =>
      (flag) =>
        withVariantNamed(flag, key),
  ),
);

function payloadsWith({ filters }: Flag, value: JsonValue): JsonObject {
  const variants = filters?.multivariate?.variants ?? [];
  return { [variants[0]?.key ?? 'true']: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** One variant more, which takes half of what the last one had. */
function withVariantMore(flag: Flag): Flag {
  const variants = flag.filters?.multivariate?.variants ?? [];
  const last = variants.at(-1);
  if (last === undefined || variants.some(({ key }) => key === 'more')) return flag;
  const half = Math.floor(last.rollout_percentage / 2);
  const changed = [
    ...variants.slice(0, -1),
    { ...last, rollout_percentage: last.rollout_percentage - half },
    { key: 'more', rollout_percentage: half },
  ];
  return { ...flag, filters: { ...flag.filters, multivariate: { variants: changed } } } as Flag;
}

/** The last variant with another key; its payload goes. */
function withVariantNamed(flag: Flag, key: string): Flag {
  const variants = flag.filters?.multivariate?.variants ?? [];
  const last = variants.at(-1);
  if (last === undefined || variants.some((one) => one.key === key)) return flag;
  const payloads = Object.fromEntries(
    Object.entries(flag.filters?.payloads ?? {}).filter(([name]) => name !== last.key),
  );
  const changed = [...variants.slice(0, -1), { ...last, key }];
  return { ...flag, filters: { ...flag.filters, payloads, multivariate: { variants: changed } } } as Flag;
}

/** As today's service stores a flag that it saved: with empty lists, nulls, and payloads as JSON text. */
function asSaved(flag: Flag): Flag {
  const filters: JsonObject = flag.filters ?? {};
  const groups = (isJsonArray(filters['groups']) ? filters['groups'] : []).map((one) => ({
    properties: [],
    description: null,
    ...(one as JsonObject),
    aggregation_group_type_index: null,
  }));
  const payloads = Object.entries(flag.filters?.payloads ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const stored = { multivariate: null, ...filters, groups, payloads: Object.fromEntries(payloads) };
  return { ...flag, filters: { ...stored, aggregation_group_type_index: null } } as Flag;
}

export const userEdits = fc.array(
  fc.tuple(
    fc.nat(3),
    fc.oneof(
      { weight: 3, arbitrary: userEdit },
      userEdit.map(
        (edit): UserEdit =>
          (flag) =>
            asSaved(edit(flag)),
      ),
    ),
  ),
  { minLength: 1, maxLength: 5 },
);

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
