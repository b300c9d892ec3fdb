/** What only the service moved stays as it is live, and everything that only git moved is applied: over real HTTP, in both profiles. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import type { DeclaredFlag } from '../../src/posthog/desired.ts';
import { kindFor } from '../../src/posthog/kinds.ts';
import type { FieldChange, Plan } from '../../src/posthog/plan.ts';
import { filters } from '../helpers/arbitraries.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { allowing, declared, desiredState, planFor, planOptions } from '../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';

const FACTS = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;
const ANYTHING = { deletes: 99, updates: 99, disables: 99, protected: ['*'], risky: ['*'] };

/** One edit of a flag, in git or in the service. */
type Edit = (fields: JsonObject) => JsonObject;

const setField =
  (name: string, value: JsonValue): Edit =>
  (fields) => ({ ...fields, [name]: value });

function inFilters(change: (filters: JsonObject) => JsonObject): Edit {
  return (fields) => (isJsonObject(fields['filters']) ? { ...fields, filters: change(fields['filters']) } : fields);
}

function inConditions(change: (groups: readonly JsonObject[]) => readonly JsonValue[]): Edit {
  return inFilters((all) =>
    isJsonArray(all['groups']) ? { ...all, groups: change(all['groups'] as unknown as readonly JsonObject[]) } : all,
  );
}

function variantsOf({ multivariate }: JsonObject): readonly JsonObject[] {
  const variants = isJsonObject(multivariate) ? multivariate['variants'] : undefined;
  return isJsonArray(variants) ? variants.filter((one) => isJsonObject(one)) : [];
}

function payloadsOf({ payloads }: JsonObject, keeps: (key: string) => boolean): JsonObject {
  const entries = isJsonObject(payloads) ? Object.entries(payloads) : [];
  return Object.fromEntries(entries.filter(([key]) => keeps(key)));
}

/** The last variant goes, with its payload and what forces it. */
function withoutVariant(all: JsonObject): JsonObject {
  const variants = variantsOf(all);
  const gone = variants.at(-1)?.['key'];
  const [first, ...others] = variants.slice(0, -1);
  if (first === undefined) return all;
  const rest = [{ ...first, rollout_percentage: 100 }, ...others.map((one) => ({ ...one, rollout_percentage: 0 }))];
  const groups = isJsonArray(all['groups']) ? all['groups'] : [];
  return {
    ...all,
    multivariate: { variants: rest },
    payloads: payloadsOf(all, (key) => key !== gone),
    groups: groups.map((one) => (isJsonObject(one) && one['variant'] === gone ? { ...one, variant: null } : one)),
  };
}

/** For groups of the first type; no property of a person is left. */
function forGroups(all: JsonObject): JsonObject {
  const groups = isJsonArray(all['groups']) ? all['groups'].filter((one) => isJsonObject(one)) : [];
  return { ...all, aggregation_group_type_index: 0, groups: groups.map((one) => ({ ...one, properties: [] })) };
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.constantFrom('X', 'Y').map((name) => setField('name', name)),
  fc.boolean().map((active) => setField('active', active)),
  fc.subarray(['web', 'api']).map((tags) => setField('tags', tags)),
  fc.boolean().map((sticky) => setField('ensure_experience_continuity', sticky)),
  fc
    .tuple(fc.nat(3), fc.constantFrom(5, 15, 35))
    .map(([at, percent]) =>
      inConditions((groups) =>
        groups.map((one, index) => (index === at ? { ...one, rollout_percentage: percent } : one)),
      ),
    ),
  fc.constantFrom(1, 2).map((percent) => inConditions((groups) => [...groups, { rollout_percentage: percent }])),
  fc.constant(inConditions((groups) => (groups.length > 1 ? groups.slice(1) : groups))),
  fc.constant(inConditions((groups) => groups.toReversed())),
  fc.constantFrom<JsonValue>('1', { a: 1 }).map((payload) =>
    inFilters((all) => {
      const { multivariate } = all;
      const [first] =
        isJsonObject(multivariate) && isJsonArray(multivariate['variants']) ? multivariate['variants'] : [];
      const key = isJsonObject(first) ? (first['key'] as string) : 'true';
      return { ...all, payloads: { ...(isJsonObject(all['payloads']) ? all['payloads'] : {}), [key]: payload } };
    }),
  ),
  fc.constant(inFilters(withoutVariant)),
  fc.constant(inFilters((all) => ({ ...all, payloads: payloadsOf(all, (key) => key === 'none') }))),
  fc.nat(2).map((at) =>
    inFilters((all) => {
      const variant = variantsOf(all).at(-1)?.['key'];
      if (variant === undefined || !isJsonArray(all['groups'])) return all;
      return {
        ...all,
        groups: all['groups'].map((one, index) => (index === at ? { ...(one as JsonObject), variant } : one)),
      };
    }),
  ),
  fc.constant(inFilters(forGroups)),
  fc.constant(
    inFilters((all) =>
      isJsonObject(all['multivariate']) ? { ...all, multivariate: null, payloads: {}, groups: [{}] } : all,
    ),
  ),
);

const history = fc.record({
  fields: fc.record({ name: fc.constant('N'), active: fc.boolean(), tags: fc.constant(['t']), filters: filters() }),
  git: fc.array(edit, { maxLength: 3 }),
  people: fc.array(edit, { maxLength: 3 }),
  roles: fc.tuple(fc.subarray([...ROLE_IDS]), fc.subarray([...ROLE_IDS]), fc.subarray([...ROLE_IDS])),
});

function partsOf({ changes }: Pick<Plan, 'changes'>): Map<string, FieldChange> {
  const parts = changes.flatMap((change) =>
    kindFor(change)
      .parts(change)
      .map(
        ({ path, before, after, divergence }) =>
          [`${change.ref} ${path}`, { path, before, after, divergence }] as const,
      ),
  );
  return new Map(parts as [string, FieldChange][]);
}

function leftOf({ left = [] }: Pick<Plan, 'left'>): Map<string, FieldChange> {
  return new Map(
    left.flatMap(({ ref, fields }) =>
      fields.map(({ path, before, after, divergence }): [string, FieldChange] => [
        `${ref} ${path}`,
        { path, before, after, divergence } as FieldChange,
      ]),
    ),
  );
}

let serial = 0;

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  async function makeSo(flag: DeclaredFlag): Promise<void> {
    const desired = desiredState(flag);
    const result = await world.apply(planFor(desired, await world.live(desired)));
    expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
  }

  async function planAgainst(base: DeclaredFlag, flag: DeclaredFlag, keepDrift: boolean): Promise<Plan> {
    const desired = desiredState(flag);
    return buildPlan(desired, await world.live(desired), {
      ...planOptions({ exceptions: allowing(ANYTHING) }),
      base: { facts: FACTS, desired: desiredState(base) },
      keepDrift,
    });
  }

  it('after --only-pending, the plan has the drift and nothing else', () =>
    holdsAsync(40, [history], async ({ fields, git, people, roles: [before, wanted, given] }) => {
      serial += 1;
      const key = `flag-${serial}`;
      const flagOf = (edits: readonly Edit[], roles: readonly string[]): DeclaredFlag =>
        declared(
          key,
          edits.reduce((all, one) => one(all), fields as JsonObject),
          { roles: roles.toSorted() },
        );
      const [base, live, desired] = [flagOf([], before), flagOf(people, given), flagOf(git, wanted)];
      await makeSo(base);
      await makeSo(live);
      const full = await planAgainst(base, desired, false);
      const plan = await planAgainst(base, desired, true);
      const drift = new Map([...partsOf(full)].filter(([, { divergence }]) => divergence === 'drifted'));
      expect(leftOf(plan)).toEqual(drift);
      expect([...partsOf(plan).values()].filter(({ divergence }) => divergence === 'drifted')).toEqual([]);
      if (plan.hazards.length > 0) {
        expect(plan.hazards.map(({ code }) => code)).toEqual(['conflict']);
        return;
      }
      const result = await world.apply(plan);
      expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
      expect(result).toMatchObject({ remainder: [] });
      expect(partsOf(await planAgainst(base, desired, false))).toEqual(drift);
      expect(await planAgainst(base, desired, true)).toMatchObject({ changes: [] });
    }));
});
