import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { FlagImpact, Shares } from '../../../src/review/effects/impact.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { impactTexts } from '../../../src/report/words/effects.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, retired } from '../../helpers/states.ts';
import { audiencesOf, impactOf, impactOfFields, impactOfPlan, summarize } from './support.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const STAFF = { key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' };
const split = (control: number, test: number): JsonObject => ({
  variants: [
    { key: 'control', rollout_percentage: control },
    { key: 'test', rollout_percentage: test },
  ],
});
const conditions = (...groups: readonly JsonObject[]): JsonObject => ({ filters: { groups } });
const rollout = (share: number): JsonObject => conditions({ rollout_percentage: share });

describe('findImpact', () => {
  it.each<[string, JsonObject, JsonObject, Record<string, Partial<Shares>>]>([
    ['a wider rollout', rollout(10), rollout(35), { others: { turnsOn: 25 } }],
    ['a narrower rollout', rollout(35), rollout(10), { others: { turnsOff: 25 } }],
    ['a share that is nearly nobody', rollout(0), rollout(1e-7), { others: { turnsOn: 1e-6 } }],
    [
      'a wider condition among others',
      conditions({ properties: [STAFF] }, { properties: [US], rollout_percentage: 10 }),
      conditions({ properties: [STAFF] }, { properties: [US], rollout_percentage: 35.5 }),
      { '2, up to': { turnsOn: 25.5 }, others: {} },
    ],
    [
      'a condition that is removed, in front of one for everybody',
      conditions({ properties: [US] }, { rollout_percentage: 40 }),
      rollout(40),
      { 'former 1': { turnsOff: 60 }, others: {} },
    ],
    ['a flag that is enabled', { ...rollout(30), active: false }, { active: true }, { others: { turnsOn: 30 } }],
    ['a flag that is disabled', rollout(30), { active: false }, { others: { turnsOff: 30 } }],
    [
      'everybody hashed anew',
      { ...rollout(30), ensure_experience_continuity: false },
      { ensure_experience_continuity: true },
      { 'others, up to': { turnsOn: 21, turnsOff: 21 } },
    ],
    [
      'another split of variants',
      { filters: { groups: [{ rollout_percentage: 50 }], multivariate: split(50, 50) } },
      { filters: { groups: [{ rollout_percentage: 50 }], multivariate: split(90, 10) } },
      { others: { changesVariant: 20 } },
    ],
    [
      'a forced variant',
      { filters: { groups: [{ properties: [US], variant: 'control' }, {}], multivariate: split(50, 50) } },
      { filters: { groups: [{ properties: [US], variant: 'test' }, {}], multivariate: split(50, 50) } },
      { 1: { changesVariant: 100 }, others: {} },
    ],
    [
      'a payload of one variant, which is on for some',
      {
        filters: { groups: [{ rollout_percentage: 50 }], multivariate: split(75, 25), payloads: { test: '1' } },
      },
      {
        filters: { groups: [{ rollout_percentage: 50 }], multivariate: split(75, 25), payloads: { test: '2' } },
      },
      { others: { changesPayload: 12.5 } },
    ],
    [
      'a holdout',
      { filters: { groups: [{ rollout_percentage: 50 }], holdout: { id: 1, exclusion_percentage: 0 } } },
      { filters: { groups: [{ rollout_percentage: 50 }], holdout: { id: 1, exclusion_percentage: 10 } } },
      { others: { turnsOn: 5, changesVariant: 5 } },
    ],
    [
      'early access, for those who enrolled',
      { filters: { groups: [{ rollout_percentage: 0 }], feature_enrollment: false } },
      { filters: { groups: [{ rollout_percentage: 0 }], feature_enrollment: true } },
      { enrolled: { turnsOn: 100 }, others: {} },
    ],
    [
      'the older form of early access',
      { filters: { groups: [{ rollout_percentage: 0 }] } },
      {
        filters: {
          groups: [{ rollout_percentage: 0 }],
          super_groups: [{ properties: [{ ...US, key: '$feature_enrollment/a', value: ['true'] }] }],
        },
      },
      { enrolled: { turnsOn: 100 }, others: {} },
    ],
    [
      'a condition on groups',
      { filters: { groups: [{ rollout_percentage: 20 }], aggregation_group_type_index: null } },
      { filters: { groups: [{ rollout_percentage: 20 }], aggregation_group_type_index: 1 } },
      { 1: { turnsOn: 16, turnsOff: 16 }, 'not 1': { turnsOff: 20 } },
    ],
    [
      'a value more in a list, for whom it names',
      conditions({ properties: [US] }),
      conditions({ properties: [{ ...US, value: ['US', 'DE'] }] }),
      { '1, not former 1': { turnsOn: 100 }, others: {} },
    ],
    [
      'a value more that is left out, for whom it names',
      conditions({ properties: [{ ...US, operator: 'is_not' }] }),
      conditions({ properties: [{ ...US, operator: 'is_not', value: ['US', 'DE'] }] }),
      { 'former 1, not 1': { turnsOff: 100 }, others: {} },
    ],
    [
      'a rollout to people of whom an earlier condition has only some',
      conditions({ properties: [US] }, { properties: [{ ...US, value: ['US', 'DE'] }], rollout_percentage: 10 }),
      conditions({ properties: [US] }, { properties: [{ ...US, value: ['US', 'DE'] }], rollout_percentage: 35 }),
      { '2, up to': { turnsOn: 25 }, others: {} },
    ],
    [
      'a condition that leaves people out who nobody asks for',
      conditions({ properties: [{ ...US, operator: 'is_not' }], rollout_percentage: 30 }),
      rollout(30),
      { 'not former 1': { turnsOn: 30 }, others: {} },
    ],
    [
      'a condition that leaves the members of a cohort out',
      conditions({ properties: [{ key: 'id', type: 'cohort', operator: 'not_in', value: 42 }] }),
      rollout(100),
      { 'not former 1': { turnsOn: 100 }, others: {} },
    ],
    [
      'a condition on people beside one on groups, also for those without a group',
      { filters: { aggregation_group_type_index: 0, groups: [{}] } },
      {
        filters: {
          groups: [{ aggregation_group_type_index: 0 }, { properties: [US], rollout_percentage: 5 }],
        },
      },
      { '2, up to': { turnsOn: 5 }, others: {} },
    ],
    [
      'a cohort in place of everybody',
      rollout(50),
      conditions({ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 42 }], rollout_percentage: 50 }),
      { 'not 1': { turnsOff: 50 }, others: {} },
    ],
    [
      'conditions in place of everybody, of which one is a part of the other',
      rollout(50),
      conditions({ properties: [US], rollout_percentage: 50 }, { properties: [US, STAFF], rollout_percentage: 50 }),
      { 'not 1': { turnsOff: 50 }, others: {} },
    ],
  ])('integrates %s', (_, live, wanted, expected) => {
    const found = impactOfFields(live, wanted);
    expect(summarize(found)).toEqual(expected);
    for (const { method } of audiencesOf(found)) expect(method).toEqual({ kind: 'exact' });
  });

  it('names the flags that conditions depend on', () => {
    const live = [liveFlag(1, 'gone', rollout(1)), liveFlag(2, 'base', rollout(50)), liveFlag(3, 'a', rollout(10))];
    const onBase = { ...conditionOn('base'), rollout_percentage: 10 };
    const wanted = conditions({ ...onBase, properties: [US, ...onBase.properties] });
    const [found] = impactOf(live, declared('base', rollout(50)), declared('a', wanted)).flags;
    expect(
      audiencesOf(found).flatMap(({ without }) => (without?.conditions ?? []).map(({ condition }) => condition)),
    ).toEqual([{ ...onBase, properties: [US, ...onBase.properties] }]);
  });

  it('names the flags that removed conditions and unmatched ones depend on', () => {
    const strange = { ...STAFF, operator: 'brand_new' };
    const on = (key: string, ...properties: readonly JsonObject[]): JsonObject => ({
      properties: [...properties, ...conditionOn(key).properties],
      rollout_percentage: 100,
    });
    const live = [liveFlag(1, 'base', rollout(100)), liveFlag(2, 'a', conditions(on('1', US), on('1', strange)))];
    const [found] = impactOf(live, declared('a', conditions(on('base', strange)))).flags;
    const conditionsIn = (numbered: readonly { readonly condition: JsonObject }[]): readonly JsonObject[] =>
      numbered.map(({ condition }) => condition);
    expect(audiencesOf(found).flatMap(({ former }) => conditionsIn(former))).toEqual([on('base', US)]);
    expect(found?.estimate).toMatchObject({ unmatched: [{ number: 1, condition: on('base', strange) }] });
  });

  it('says nothing of a change that no evaluation reads', () => {
    expect(impactOfFields({ name: 'old' }, { name: 'new' })).toBeUndefined();
  });

  it('says that a flag is disabled before and after', () => {
    expect(impactOfFields({ ...rollout(10), active: false }, rollout(20))?.estimate).toEqual({ kind: 'dormant' });
  });

  it('knows nothing of filters that only the service reads', () => {
    const live = { filters: { version: 2, rules: [] } };
    expect(impactOfFields(live, { active: false })?.estimate).toEqual({ kind: 'unknown', why: 'format' });
  });

  it('counts creates, deletes and renames', () => {
    const live = [liveFlag(1, 'gone', rollout(30)), liveFlag(2, 'old', rollout(40))];
    const { flags } = impactOf(
      live,
      retired('gone'),
      declared('new', rollout(20)),
      declared('renamed', rollout(40), { previousKeys: ['old'] }),
    );
    expect(Object.fromEntries(flags.map((found) => [found.key, summarize(found)]))).toEqual({
      gone: { others: { turnsOff: 30 } },
      new: { others: { turnsOn: 20 } },
      renamed: { others: { turnsOn: 24, turnsOff: 24 } },
    });
  });

  it('follows dependencies, also to flags that the plan leaves alone', () => {
    const live = [
      liveFlag(1, 'base', rollout(50)),
      liveFlag(2, 'middle', { filters: { groups: [{ ...conditionOn('1'), rollout_percentage: 40 }] } }),
      liveFlag(3, 'top', { filters: dependsOn('2') }),
      liveFlag(4, 'apart', rollout(10)),
    ];
    const { flags } = impactOf(live, declared('base', rollout(75)));
    expect(flags.map(({ key, by }) => [key, by])).toEqual([
      ['base', 'change'],
      ['middle', 'dependency'],
      ['top', 'dependency'],
    ]);
    const shares = flags.map((found) => audiencesOf(found).map(({ shares: { turnsOn } }) => turnsOn));
    expect(shares).toEqual([[25], [10], [10]]);
  });

  it('follows a dependency with properties of its own to the people who have them', () => {
    const live = [
      liveFlag(1, 'base', conditions({ properties: [US], rollout_percentage: 10 })),
      liveFlag(2, 'top', { filters: dependsOn('1') }),
    ];
    const { flags } = impactOf(live, declared('base', conditions({ properties: [US], rollout_percentage: 30 })));
    expect(summarize(flags[1])).toEqual({ '1 of base': { turnsOn: 20 }, others: {} });
  });

  it('has an audience for each condition by which people get a flag that another depends on', () => {
    const groups = (share: number): JsonObject[] => [
      { properties: [STAFF] },
      { properties: [US], rollout_percentage: share },
    ];
    const live = [liveFlag(1, 'base', conditions(...groups(10))), liveFlag(2, 'top', { filters: dependsOn('1') })];
    const { flags } = impactOf(live, declared('base', conditions(...groups(30))));
    expect(summarize(flags[1])).toEqual({ '2 of base, up to': { turnsOn: 20 }, others: {} });
  });

  it.each([
    ['a runtime', 'evaluation_runtime', 'all', 'server', 'evaluation_runtime'],
    ['an unknown field', 'brand_new', 1, 2, '/brand_new'],
  ])('does not promise that nobody is affected by %s', (_, field, live, wanted, name) => {
    const found = impactOfFields({ [field]: live, ...rollout(10) }, { [field]: wanted, ...rollout(20) });
    expect(found?.estimate).toMatchObject({ kind: 'audiences', uncounted: [name] });
    expect(impactOfFields(rollout(10), rollout(20))?.estimate).not.toHaveProperty('uncounted');
    const flags = [liveFlag(1, 'a', { [field]: live })];
    const desired = desiredState(declared('a', { [field]: wanted }, { roles: ['r'] }));
    const others = impactOfPlan(buildPlan(desired, liveState(flags, { 1: [] })), flags);
    expect(others.flags[0]?.estimate).toMatchObject({ uncounted: [name] });
  });

  it('integrates over the hashes of many flags', () => {
    const coins = Array.from({ length: 14 }, (_, index) => liveFlag(index + 1, `coin${index}`, rollout(10)));
    const any = coins.map(({ id }) => conditionOn(String(id)));
    const { flags } = impactOf(
      [...coins, liveFlag(20, 'any', { filters: { groups: any } })],
      declared('coin0', rollout(50)),
    );
    const [audience] = audiencesOf(flags[1]);
    expect(audience?.shares.turnsOn).toBeCloseTo(40 * 0.9 ** 13, 5);
    expect(audience?.shares.turnsOff).toBe(0);
  });

  it('does not say of whom it does not know the filter', () => {
    const strange = { ...STAFF, operator: 'brand_new' };
    const found = impactOfFields(
      conditions({ properties: [strange] }, {}),
      conditions({ properties: [strange] }, { rollout_percentage: 0 }),
    );
    expect(found?.estimate).toMatchObject({ unmatched: [{ number: 1 }] });
    expect(impactTexts(found as FlagImpact).join()).not.toContain('nobody');
    const live = [
      liveFlag(1, 'base', conditions({ properties: [strange] })),
      liveFlag(2, 'top', { filters: dependsOn('1') }),
    ];
    const { flags } = impactOf(live, declared('base', conditions({ properties: [US] })));
    expect(flags[1]?.estimate).toEqual({ kind: 'unknown', why: 'filter' });
  });

  it.each<[string, JsonObject]>([
    ['their distinct id', { properties: [{ ...US, key: 'distinct_id', value: ['ada'] }] }],
    [
      'the key of their group',
      {
        properties: [{ ...US, type: 'group', group_type_index: 0, key: '$group_key', value: ['acme'] }],
        aggregation_group_type_index: 0,
      },
    ],
  ])('bounds what people see of whom a filter names %s', (_, named) => {
    const found = impactOfFields(
      conditions({ ...named, rollout_percentage: 10 }),
      conditions({ ...named, rollout_percentage: 20 }),
    );
    expect(summarize(found)).toEqual({ '1, up to': { turnsOn: 100 }, others: {} });
  });

  it.each<[string, JsonObject]>([
    ['a property of their group whose name begins like its key', { key: '$group_key_of_2025', type: 'group' }],
    ['a property of theirs that is called like the key of a group', { key: 'group 0 $group_key', type: 'person' }],
  ])('knows the share of people whom a filter selects by %s', (_, named) => {
    const on = (share: number): JsonObject => ({
      ...{ properties: [{ ...US, ...named, group_type_index: 0 }], rollout_percentage: share },
      ...(named['type'] === 'group' ? { aggregation_group_type_index: 0 } : {}),
    });
    const found = impactOfFields(conditions(on(10)), conditions(on(20)));
    expect(summarize(found)).toEqual({ 1: { turnsOn: 10 }, others: {} });
  });

  it('says who loses a flag that goes and that depended on another', () => {
    const live = [liveFlag(1, 'base', rollout(50)), liveFlag(2, 'gone', { filters: dependsOn('1') })];
    const found = impactOf(live, retired('gone')).flags.find(({ key }) => key === 'gone');
    expect(audiencesOf(found).map(({ shares: { turnsOn, turnsOff } }) => [turnsOn, turnsOff])).toEqual([[0, 50]]);
  });

  it.each([
    ['before and after', 'is_date_before', '2026-01-01', 'is_date_after', '2026-02-01', {}],
    ['that overlap', 'is_date_before', '2026-02-01', 'is_date_after', '2026-01-01', { '1': { turnsOn: 30 } }],
  ])('knows whether one date can be in two ranges: %s', (_, one, first, other, second, expected) => {
    const when = (operator: string, value: string) => ({ key: 'born', type: 'person', operator, value });
    const both = { properties: [when(one, first), when(other, second)] };
    const found = impactOfFields(
      conditions({ rollout_percentage: 0 }),
      conditions({ ...both, rollout_percentage: 30 }),
    );
    expect(summarize(found)).toEqual({ ...expected, others: {} });
  });

  it('knows that a number can be between any two that filters compare with', () => {
    const seats = (operator: string, value: string): JsonObject => ({ key: 'seats', type: 'person', operator, value });
    const within = (share: number): JsonObject =>
      conditions(
        { properties: [seats('gt', '1')], rollout_percentage: 0 },
        { properties: [seats('gt', '10')], rollout_percentage: 0 },
        { properties: [seats('gt', '1'), seats('lt', '5')], rollout_percentage: share },
      );
    expect(summarize(impactOfFields(within(0), within(30)))).toEqual({ 3: { turnsOn: 30 }, others: {} });
  });

  it('names those who enrolled first, then the conditions as they are, then those that go, then those of other flags', () => {
    const of = (country: string, share: number, ...more: readonly JsonObject[]): JsonObject => ({
      properties: [{ ...US, value: [country] }, ...more],
      rollout_percentage: share,
    });
    const live = [
      liveFlag(1, 'base', conditions(of('IT', 10))),
      liveFlag(2, 'a', conditions(of('ES', 100), of('PT', 90), conditionOf('1'))),
    ];
    const wanted = conditions(of('DE', 30), of('FR', 80), conditionOf('base'));
    const early = { filters: { ...(wanted['filters'] as JsonObject), feature_enrollment: true } };
    const { flags } = impactOf(live, declared('base', conditions(of('IT', 60))), declared('a', early));
    const own = flags.find(({ key }) => key === 'a');
    expect(Object.keys(summarize(own)).map((name) => name.replace(/, not.*|, up to/, ''))).toEqual([
      ...['former 1, declined', 'enrolled', 'former 2, declined'],
      ...['1', '2', 'former 1', 'former 2', '1 of base', 'others'],
    ]);
  });

  it('merges audiences beyond those that a reader takes in', () => {
    const ofCountries = (share: number): JsonObject =>
      conditions(
        ...Array.from({ length: 20 }, (_, index) => ({
          properties: [{ ...US, value: [`${index}`] }],
          rollout_percentage: share + index,
        })),
      );
    const found = impactOfFields(conditions({ rollout_percentage: 0 }), ofCountries(1));
    expect(audiencesOf(found)).toHaveLength(9);
    expect(audiencesOf(found).at(-1)).toMatchObject({ others: true, upTo: true, shares: { turnsOn: 12 } });
  });
});

function conditionOf(id: string): JsonObject {
  return { ...conditionOn(id), rollout_percentage: 100 };
}

function conditionOn(id: string): { readonly properties: readonly JsonObject[] } {
  return { properties: [{ key: id, type: 'flag', operator: 'flag_evaluates_to', value: true }] };
}
