import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Effect, ResourceEffects } from '../../../src/review/effects/effect.ts';
import { findDriftEffects, findEffects } from '../../../src/review/effects/find-effects.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const PRO = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };
const WIDER = ['widen', 'narrow'];
const SPLIT = { variants: [variant('control', 50), variant('test', 50)] };

function variant(key: string, share: number): JsonObject {
  return { key, rollout_percentage: share };
}

function planOf(live: JsonObject, wanted: JsonObject): Plan {
  return planFor(desiredState(declared('a', wanted)), liveState([liveFlag(1, 'a', live)]));
}

function beta(operator: string, value: JsonValue): JsonObject {
  return { key: 'beta', type: 'person', operator, value };
}

/** Conditions on one property. */
const one = (operator: string, value: JsonValue): JsonObject => ({ properties: [beta(operator, value)] });
const flagIs = (value: JsonValue): JsonObject => ({
  properties: [{ key: 'other', type: 'flag', operator: 'flag_evaluates_to', value }],
});
const cohortIs = (operator: string, value: JsonValue): JsonObject => ({
  properties: [{ key: 'id', type: 'cohort', operator, value }],
});

/** The effects of a change from one value of the fields to the other. */
function effectsOf(live: JsonObject, wanted: JsonObject): ResourceEffects {
  const [found, ...others] = findEffects(planOf(live, wanted));
  expect(others).toEqual([]);
  expect(found).toBeDefined();
  return found as ResourceEffects;
}

const filtersWith = (...groups: readonly JsonObject[]): JsonObject => ({ filters: { groups } });
const effectsOfConditions = (live: readonly JsonObject[], wanted: readonly JsonObject[]): ResourceEffects =>
  effectsOf(filtersWith(...live), filtersWith(...wanted));

describe('findEffects', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['a description', { name: 'old' }, { name: 'new' }, ['metadata']],
    ['tags', { tags: ['x'] }, { tags: ['y'] }, ['metadata']],
    ['switching on', { active: false }, { active: true }, ['enable']],
    ['switching off', { active: true }, { active: false }, ['kill']],
    ['continuity', { ensure_experience_continuity: false }, { ensure_experience_continuity: true }, ['re-bucket']],
    [
      'another identifier',
      { bucketing_identifier: 'distinct_id' },
      { bucketing_identifier: 'device_id' },
      ['re-bucket'],
    ],
    ['a runtime', { evaluation_runtime: 'all' }, { evaluation_runtime: 'server' }, ['narrow']],
    ['every runtime', { evaluation_runtime: 'server' }, { evaluation_runtime: 'all' }, ['widen']],
    ['another runtime', { evaluation_runtime: 'server' }, { evaluation_runtime: 'client' }, ['widen', 'narrow']],
    ['contexts', { evaluation_contexts: [] }, { evaluation_contexts: ['web'] }, ['narrow']],
    ['how its payload is read', { is_remote_configuration: false }, { is_remote_configuration: true }, ['payload']],
    ['its encryption', { has_encrypted_payloads: false }, { has_encrypted_payloads: true }, ['payload']],
    ['an archive', { active: false, archived: false }, { active: false, archived: true }, ['metadata']],
    ['an unknown field', { brand_new: 1 }, { brand_new: 2 }, ['opaque']],
  ])('classifies %s', (_, live, wanted, classes) => {
    expect(effectsOf(live, wanted).classes).toEqual(classes);
  });

  it.each<[string, readonly JsonObject[], readonly JsonObject[], readonly string[]]>([
    ['more of a condition', [{ rollout_percentage: 10 }], [{ rollout_percentage: 35 }], ['widen']],
    ['less of a condition', [{ rollout_percentage: 35 }], [{ rollout_percentage: 10 }], ['narrow']],
    ['one more property', [{ properties: [US] }], [{ properties: [US, PRO] }], ['narrow']],
    ['one property less', [{ properties: [US, PRO] }], [{ properties: [PRO] }], ['widen']],
    ['one value more', [{ properties: [US] }], [{ properties: [{ ...US, value: ['US', 'DE'] }] }], ['widen']],
    ['other values', [{ properties: [US] }], [{ properties: [{ ...US, value: ['DE'] }] }], ['widen', 'narrow']],
    ['other people', [{ properties: [US] }], [{ properties: [PRO] }], ['widen', 'narrow']],
    ['a further condition', [{ properties: [US] }], [{ properties: [US] }, { properties: [PRO] }], ['widen']],
    ['a condition less', [{ properties: [US] }, { properties: [PRO] }], [{ properties: [PRO] }], ['narrow']],
    ['a new description', [{ description: 'a' }], [{ description: 'b' }], ['metadata']],
    [
      'an order',
      [{ properties: [US] }, { properties: [PRO] }],
      [{ properties: [PRO] }, { properties: [US] }],
      ['metadata'],
    ],
    [
      'a dependency',
      [{}],
      [{ properties: [{ key: 'other', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
      ['narrow', 'dependency'],
    ],
    ['an unknown operator', [{}], [{ properties: [{ ...US, operator: 'sounds_like' }] }], ['opaque']],
    ['an unknown member', [{ shiny: 1 }], [{ shiny: 2 }], ['opaque']],
    ['a new condition with an unknown member', [{}], [{}, { properties: [US], shiny: 1 }], ['opaque']],
    ['a former condition with an unknown member', [{}, { properties: [US], shiny: 1 }], [{}], ['opaque']],
    [
      'an unknown member of a property',
      [{ properties: [{ ...US, shiny: 1 }] }],
      [{ properties: [{ ...US, shiny: 2 }] }],
      ['opaque'],
    ],
    // A list of `true` and `false` only is compared as truth: with `false` in it, it asks for what is not true.
    ['false beside true', [one('exact', ['true'])], [one('exact', ['true', 'false'])], ['widen', 'narrow']],
    ['a word beside false', [one('exact', ['false'])], [one('exact', ['false', 'pro'])], ['widen', 'narrow']],
    ['the first value', [one('exact', [])], [one('exact', ['pro'])], ['widen', 'narrow']],
    ['not false beside true', [one('is_not', ['true'])], [one('is_not', ['true', 'false'])], ['widen', 'narrow']],
    ['a list of null', [one('is_not', null)], [one('is_not', [null])], ['widen', 'narrow']],
    ['one value more to exclude', [one('is_not', ['a'])], [one('is_not', ['a', 'b'])], ['narrow']],
    ['one part more', [one('icontains_multi', ['a'])], [one('icontains_multi', ['a', 'b'])], ['widen']],
    [
      'one part more to exclude',
      [one('not_icontains_multi', ['a'])],
      [one('not_icontains_multi', ['a', 'b'])],
      ['narrow'],
    ],
    ['any variant', [flagIs('test')], [flagIs(true)], ['widen', 'dependency']],
    ['one variant', [flagIs(true)], [flagIs('test')], ['narrow', 'dependency']],
    ['another variant', [flagIs('control')], [flagIs('test')], ['widen', 'narrow', 'dependency']],
    ['a flag that was off', [flagIs(false)], [flagIs(true)], ['widen', 'narrow', 'dependency']],
    [
      'a negated list',
      [{ properties: [{ ...US, negation: true }] }],
      [{ properties: [{ ...US, value: ['US', 'DE'], negation: true }] }],
      ['widen', 'narrow'],
    ],
    ['a negation', [{ properties: [US] }], [{ properties: [{ ...US, negation: true }] }], ['widen', 'narrow']],
    ['the opposite', [one('exact', ['a'])], [one('is_not', ['a'])], ['widen', 'narrow']],
    ['cohorts as a list', [cohortIs('exact', 7)], [cohortIs('exact', [7, 8])], ['widen', 'narrow']],
    ['a value twice', [one('exact', ['a'])], [one('exact', ['a', 'a'])], ['metadata']],
    [
      'properties in another order beside a rollout',
      [{ properties: [US, PRO], rollout_percentage: 10 }],
      [{ properties: [PRO, US], rollout_percentage: 20 }],
      ['widen', 'metadata'],
    ],
    ['a list and a property more', [one('exact', 'a')], [{ properties: [beta('exact', ['a']), US] }], ['narrow']],
  ])('classifies %s', (_, live, wanted, classes) => {
    expect(effectsOfConditions(live, wanted).classes).toEqual(classes);
  });

  it('names the condition, and how far it is rolled out', () => {
    const effects = effectsOfConditions(
      [{}, { properties: [US], rollout_percentage: 10 }],
      [{}, { properties: [US], rollout_percentage: 35 }],
    );
    expect(effects.effects).toMatchObject([
      { what: 'rollout', classes: ['widen'], condition: { number: 2 }, before: 10, after: 35, points: 25 },
    ]);
  });

  it('pairs conditions by what they say', () => {
    const staff = { description: 'staff', properties: [US], rollout_percentage: 10 };
    const { effects } = effectsOfConditions(
      [staff, { properties: [PRO] }],
      [
        { properties: [PRO], rollout_percentage: 50 },
        { ...staff, rollout_percentage: 20 },
      ],
    );
    expect(effects.map(({ what, classes }) => [what, classes])).toEqual([
      ['rollout', ['narrow']],
      ['rollout', ['widen']],
      ['condition_moved', ['metadata']],
    ]);
  });

  it.each<[string, JsonObject, boolean, readonly string[]]>([
    ['no variants', {}, false, ['metadata']],
    ['forced variants', { multivariate: SPLIT }, true, ['re-split']],
    ['early exit', { early_exit: true }, true, ['widen', 'narrow']],
  ])('says whether the order matters: %s', (name, parts, matters, classes) => {
    const forced = name === 'forced variants' ? { variant: 'test' } : {};
    const [one, other] = [{ properties: [US], ...forced }, { properties: [PRO] }];
    const { effects } = effectsOf(
      { filters: { groups: [one, other], ...parts } },
      { filters: { groups: [other, one], ...parts } },
    );
    expect(effects).toMatchObject([{ what: 'condition_moved', matters, classes }]);
  });

  it.each<[string, string, readonly string[]]>([
    ['abcd', 'bcad', ['a']],
    ['abcd', 'dabc', ['d']],
    ['abcd', 'acbd', ['b']],
    ['abcde', 'cdeab', ['a', 'b']],
    ['abcde', 'baced', ['a', 'd']],
    ['abc', 'xbac', ['a']],
    ['abcd', 'bxcad', ['a']],
    ['abc', 'bc', []],
  ])('says of the fewest conditions that they moved: from %s to %s', (before, after, moved) => {
    const conditions = (keys: string): JsonObject[] =>
      Array.from(keys, (key) => ({ description: key, properties: [{ ...US, value: [key] }] }));
    const { effects } = effectsOfConditions(conditions(before), conditions(after));
    const found = effects.flatMap((effect) =>
      effect.what === 'condition_moved' ? [effect.condition.condition['description']] : [],
    );
    expect(found).toEqual(moved);
  });

  it('says nothing of conditions that cannot be read and stay as they are', () => {
    const side = (early: boolean): JsonObject => ({ filters: { groups: [null], early_exit: early } });
    const { effects } = effectsOf(side(false), side(true));
    expect(effects.map(({ what }) => what)).toEqual(['setting']);
    const other = effectsOf(side(false), { filters: { groups: [7], early_exit: false } }).effects;
    expect(other).toMatchObject([{ what: 'unknown', classes: ['opaque'], path: '/filters/groups' }]);
  });

  describe('of whom conditions hash', () => {
    const groups = { aggregation_group_type_index: 0 };
    const persons = { aggregation_group_type_index: null };
    const field = 'aggregation_group_type_index';
    const facts = (live: JsonObject, wanted: JsonObject): unknown =>
      effectsOf({ filters: live }, { filters: wanted }).effects.map((effect) => [
        effect.what,
        effect.classes.join(', '),
        'condition' in effect ? effect.condition?.number : undefined,
      ]);

    it('says that everyone is reassigned where all conditions follow the flag', () => {
      expect(facts({ groups: [{}, { properties: [US] }] }, { groups: [{}, { properties: [US] }], ...groups })).toEqual([
        ['bucketing', 're-bucket', undefined],
      ]);
    });

    it('says so of one condition that has its own', () => {
      const flagOf = (own: JsonObject): JsonObject => ({ groups: [{}, { properties: [US], ...own }] });
      expect(facts(flagOf({}), flagOf(groups))).toEqual([['bucketing', 're-bucket', 2]]);
    });

    it("takes null in a condition for persons, beside the flag's groups", () => {
      const flagOf = (own: JsonObject): JsonObject => ({ groups: [{ ...own }], ...groups });
      expect(effectsOf({ filters: flagOf(persons) }, { filters: flagOf({}) }).effects).toMatchObject([
        { what: 'bucketing', field, before: null, after: 0, condition: { number: 1 } },
      ]);
    });

    it('says nothing of everybody where conditions keep theirs', () => {
      expect(facts({ groups: [{}], ...groups }, { groups: [groups, { properties: [US] }] })).toEqual([
        ['setting', 'widen, narrow, re-split', undefined],
        ['condition_added', 'widen', 2],
      ]);
    });

    it.each<[string, readonly JsonObject[], JsonObject, boolean]>([
      ['persons and groups', [{ properties: [US] }, { ...groups }], { multivariate: SPLIT }, true],
      ['persons and groups, without variants', [{ properties: [US] }, { ...groups }], {}, false],
      [
        'persons and groups, with one variant for all',
        [
          { properties: [US], variant: 'test' },
          { ...groups, variant: 'test' },
        ],
        { multivariate: SPLIT },
        false,
      ],
      [
        'two variants that are forced',
        [
          { properties: [US], variant: 'test' },
          { properties: [PRO], variant: 'control' },
        ],
        { multivariate: SPLIT },
        true,
      ],
      ['a variant that the flag lacks', [{ properties: [US], variant: 'gone' }, {}], { multivariate: SPLIT }, false],
    ])('knows whether the order decides the variant: %s', (_, conditions, parts, matters) => {
      const { effects } = effectsOf(
        { filters: { groups: conditions, ...parts } },
        { filters: { groups: conditions.toReversed(), ...parts } },
      );
      expect(effects).toMatchObject([{ what: 'condition_moved', matters }]);
    });
  });

  it.each<[string, JsonValue, JsonValue, number]>([
    ['other shares', SPLIT, { variants: [variant('control', 25), variant('test', 75)] }, 25],
    ['another order', SPLIT, { variants: [variant('test', 50), variant('control', 50)] }, 100],
    ['a renamed variant', SPLIT, { variants: [variant('control', 50), variant('blue', 50)] }, 50],
    ['first variants', null, SPLIT, 100],
    ['a gap', SPLIT, { variants: [variant('control', 50), variant('test', 40)] }, 10],
    ['a variant for nobody', SPLIT, { variants: [...SPLIT.variants, variant('blue', 0)] }, 0],
  ])('measures what a new split moves: %s', (_, before, after, moved) => {
    const withVariants = (multivariate: JsonValue): JsonObject => ({ filters: { groups: [{}], multivariate } });
    expect(effectsOf(withVariants(before), withVariants(after))).toMatchObject({
      classes: [moved === 0 ? 'metadata' : 're-split'],
      effects: [{ what: 'variants', moved }],
    });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject, readonly string[]]>([
    ['a string in place of a truth', { value: ['true'] }, { value: true }, {}, ['metadata']],
    ['the same for a service that may compare types', { value: ['true'] }, { value: true }, { version: null }, WIDER],
    ['other letters', { value: ['PRO'] }, { value: 'pro' }, {}, ['metadata']],
    [
      'other letters of a part',
      { operator: 'icontains', value: 'PRO' },
      { operator: 'icontains', value: 'pro' },
      {},
      ['metadata'],
    ],
    ['another word', { value: ['pro'] }, { value: 'free' }, {}, WIDER],
  ])('claims nothing of people where every answer stays: %s', (_, before, after, live, classes) => {
    const withProperty = (own: JsonObject): JsonObject => ({
      filters: { groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', ...own }] }] },
    });
    expect(effectsOf({ ...withProperty(before), ...live }, withProperty(after)).classes).toEqual(classes);
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['an enrollment of nobody', { feature_enrollment: false }, { feature_enrollment: null }, ['metadata']],
    ['a forced variant that does not exist', { groups: [{ variant: 'gone' }] }, { groups: [{}] }, ['metadata']],
    [
      'shares where every condition forces a variant',
      { groups: [{ variant: 'test' }], multivariate: SPLIT },
      { groups: [{ variant: 'test' }], multivariate: { variants: [variant('control', 10), variant('test', 90)] } },
      ['metadata'],
    ],
    [
      'a property that occurs twice',
      { groups: [{ properties: [US, US] }] },
      { groups: [{ properties: [US] }] },
      ['metadata'],
    ],
  ])('claims nothing of people for %s', (_, before, after, classes) => {
    const withFilters = (own: JsonObject): JsonObject => ({ filters: { groups: [{}], ...own } });
    expect(effectsOf(withFilters(before), withFilters(after)).classes).toEqual(classes);
  });

  it('says who gets no variant, on both sides, and nobody where the variants are for everybody', () => {
    const withVariants = (...variants: readonly JsonObject[]): JsonObject => ({
      filters: { groups: [{}], multivariate: { variants } },
    });
    const sharesOf = (before: JsonObject, after: JsonObject): unknown =>
      effectsOf(before, after).effects.map((effect) =>
        effect.what === 'variants' ? [effect.before, effect.after] : [],
      );
    const partly = withVariants(variant('control', 30), variant('test', 30));
    const control = { key: 'control', percentage: 30 };
    expect(sharesOf(partly, withVariants(variant('control', 30), variant('test', 70)))).toEqual([
      [
        [control, { key: 'test', percentage: 30 }, { percentage: 40 }],
        [control, { key: 'test', percentage: 70 }],
      ],
    ]);
    expect(sharesOf(partly, withVariants(variant('control', 30)))).toEqual([
      [
        [control, { key: 'test', percentage: 30 }, { percentage: 40 }],
        [control, { percentage: 70 }],
      ],
    ]);
  });

  it('takes the name of a variant for metadata', () => {
    const named = { variants: [{ ...variant('control', 50), name: 'Control' }, variant('test', 50)] };
    const flagOf = (multivariate: JsonValue): JsonObject => ({ filters: { groups: [{}], multivariate } });
    expect(effectsOf(flagOf(SPLIT), flagOf(named)).effects).toEqual([
      { what: 'metadata', classes: ['metadata'], field: 'filters.multivariate' },
    ]);
  });

  it.each<[string, JsonObject, JsonObject, string, string]>([
    ['added', {}, { true: '1' }, 'true', 'added'],
    ['removed', { true: '1' }, {}, 'true', 'removed'],
    ['changed', { true: '1' }, { true: '2' }, 'true', 'changed'],
    ['changed inside', { true: '{"a":1}' }, { true: { a: 2 } }, 'true', 'changed'],
    ['removed, and was null', { true: null }, {}, 'true', 'removed'],
  ])('names the payload that is %s, and shows none', (_, before, after, payload, how) => {
    const flagOf = (payloads: JsonObject): JsonObject => ({ filters: { groups: [{}], payloads } });
    const found = effectsOf(flagOf(before), flagOf(after));
    expect(found).toMatchObject({ classes: ['payload'], effects: [{ what: 'payload', payload, how }] });
    expect(Object.keys(found.effects[0] ?? {})).toEqual(['what', 'classes', 'payload', 'how']);
  });

  it('says what becomes of encrypted payloads without holding them', () => {
    const flagOf = (payload: string): JsonObject => ({
      has_encrypted_payloads: true,
      filters: { groups: [{}], payloads: { true: payload } },
    });
    const found = effectsOf(flagOf('"old secret"'), flagOf('"new secret"'));
    expect(found.classes).toEqual(['payload']);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('never guesses about filters of another format', () => {
    const rules = { version: 2, rules: [] };
    const live = liveState([liveFlag(1, 'a', { filters: rules, name: 'old' })]);
    const plan = planFor(desiredState(declared('a', { filters: { groups: [] }, name: 'new' })), live);
    expect(findEffects(plan).flatMap(({ classes }) => classes)).not.toContain('narrow');
  });

  describe('of values that no manifest may have', () => {
    /** No string can be made of it, and no number. */
    const hostile: JsonValue = [{ toString: 0, valueOf: 0 }];

    it.each<[string, JsonObject, JsonObject, string]>([
      [
        'a percentage that is no number',
        { groups: [{ rollout_percentage: hostile }] },
        { groups: [{}] },
        '/groups/0/rollout_percentage',
      ],
      [
        'a percentage as a string',
        { groups: [{ rollout_percentage: '50' }] },
        { groups: [{}] },
        '/groups/0/rollout_percentage',
      ],
      [
        'a percentage above 100',
        { groups: [{ rollout_percentage: 1e308 }] },
        { groups: [{}] },
        '/groups/0/rollout_percentage',
      ],
      [
        'a percentage below 0',
        { groups: [{ rollout_percentage: -1 }] },
        { groups: [{}] },
        '/groups/0/rollout_percentage',
      ],
      [
        'a percentage beyond doubles',
        { groups: [{ rollout_percentage: 10n ** 400n }] },
        { groups: [{}] },
        '/groups/0/rollout_percentage',
      ],
      [
        'properties that are no list',
        { groups: [{ properties: { type: 'AND', values: [] } }] },
        { groups: [{}] },
        '/groups/0/properties',
      ],
      [
        'a property that is no object',
        { groups: [{ properties: ['email'] }] },
        { groups: [{}] },
        '/groups/0/properties',
      ],
      ['a member with a slash', { groups: [{ 'a/b': 1 }] }, { groups: [{}] }, '/groups/0/a~1b'],
      ['conditions that are no list', { groups: 'all' }, { groups: [{}] }, '/groups'],
      ['a condition that is no object', { groups: ['all', {}] }, { groups: [{}] }, '/groups'],
      ['variants that are no object', { groups: [{}], multivariate: 'all' }, { groups: [{}] }, '/multivariate'],
      [
        'variants that are no list',
        { groups: [{}], multivariate: { variants: {} } },
        { groups: [{}] },
        '/multivariate',
      ],
      [
        'a variant that is no object',
        { groups: [{}], multivariate: { variants: ['a'] } },
        { groups: [{}] },
        '/multivariate',
      ],
      [
        'a variant without a key',
        { groups: [{}], multivariate: { variants: [{ rollout_percentage: 100 }] } },
        { groups: [{}] },
        '/multivariate',
      ],
      [
        'a share that is no number',
        { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: hostile }] } },
        { groups: [{}] },
        '/multivariate',
      ],
      [
        'an unknown member of a variant',
        { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 100, shiny: 1 }] } },
        { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] } },
        '/multivariate',
      ],
      [
        'an unknown member beside the variants',
        { groups: [{}], multivariate: { ...SPLIT, shiny: 1 } },
        { groups: [{}], multivariate: SPLIT },
        '/multivariate',
      ],
    ])('is opaque when it goes and when it comes: %s', (_, live, wanted, path) => {
      const pathOf = (found: ResourceEffects): unknown =>
        found.effects.map((effect) => [effect.what, 'path' in effect && effect.path]);
      for (const found of [
        effectsOf({ filters: live }, { filters: wanted }),
        effectsOf({ filters: wanted }, { filters: live }),
      ]) {
        expect(found.classes).toContain('opaque');
        expect(pathOf(found)).toContainEqual(['unknown', `/filters${path}`]);
      }
    });

    it('shows what the variants were and become', () => {
      const [before, after] = [{ ...SPLIT, shiny: 1 }, SPLIT];
      const flagOf = (multivariate: JsonValue): JsonObject => ({ filters: { groups: [{}], multivariate } });
      expect(effectsOf(flagOf(before), flagOf(after)).effects).toMatchObject([{ what: 'unknown', before, after }]);
    });

    it.each<[string, JsonObject]>([
      ['a percentage', { rollout_percentage: hostile }],
      ['a list of properties', { properties: { values: [] } }],
      ['a name of a property', { properties: [{ ...US, key: hostile }] }],
    ])('takes a condition for opaque that comes or goes without %s', (_, condition) => {
      const gone = effectsOfConditions([condition, {}], [{}]);
      expect(gone.effects).toMatchObject([{ what: 'condition_removed', classes: ['opaque'] }]);
    });

    it('says nothing of values that stay', () => {
      const odd = { groups: ['all', { rollout_percentage: hostile }], multivariate: hostile };
      const flagOf = (name: string): JsonObject => ({ name, filters: odd });
      expect(effectsOf(flagOf('old'), flagOf('new')).effects.map(({ what }) => what)).toEqual(['metadata']);
    });

    it('shows no payloads, also of an unknown form', () => {
      const { effects } = effectsOf(
        { filters: { groups: [{}], payloads: 'secret' } },
        { filters: { groups: [{}], payloads: { true: '1' } } },
      );
      expect(effects).toEqual([{ what: 'unknown', classes: ['opaque'], path: '/filters/payloads' }]);
    });
  });

  it('describes what comes, goes and comes back', () => {
    const plan = planFor(
      desiredState(declared('new', { active: false }), declared('back', { name: 'x' }), retired('old')),
      liveState([liveFlag(1, 'old'), liveFlag(2, 'back', { deleted: true })]),
    );
    const found = findEffects(plan).map(({ key, classes, dormant }) => [key, classes, dormant]);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        ['back', ['restore'], undefined],
        ['new', ['create'], true],
        ['old', ['delete'], undefined],
      ]),
    );
  });

  describe('of a cohort', () => {
    const definition = (value: string): JsonObject => ({
      properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
    });
    const user = { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 7 }] }] } };

    it.each<[string, JsonObject, readonly JsonObject[], readonly string[]]>([
      [
        'a definition that a flag uses',
        { name: 'Beta', filters: definition('pro') },
        [user],
        ['widen', 'narrow', 're-split'],
      ],
      [
        'a definition for more people',
        {
          name: 'Beta',
          filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: ['free', 'pro'] }] } },
        },
        [user],
        ['widen'],
      ],
      ['a definition that no flag uses', { name: 'Beta', filters: definition('pro') }, [{}], ['metadata']],
      ['a name', { name: 'Testers', previous_names: ['Beta'], filters: definition('free') }, [user], ['metadata']],
      ['its deletion', { deleted: true }, [{}], ['delete']],
    ])('classifies %s', (_, declaration, flags, classes) => {
      const desired = desiredOf({ flags: {}, cohorts: { beta: declaration } }, { beta: 7 });
      const live = {
        flags: flags.map((fields, index) => liveFlag(index + 1, `flag-${index}`, fields)),
        roleAccess: {},
        cohorts: [cohort(7, 'Beta', { filters: definition('free') })],
      };
      expect(findEffects(planFor(desired, live))).toMatchObject([{ resource: 'cohort', classes }]);
    });

    it('names the fields that change nobody, each for itself', () => {
      const renamed = { name: 'Testers', description: 'new', previous_names: ['Beta'], filters: definition('free') };
      const desired = desiredOf({ flags: {}, cohorts: { beta: renamed } }, { beta: 7 });
      const live = { flags: [], roleAccess: {}, cohorts: [cohort(7, 'Beta', { filters: definition('free') })] };
      const metadata = { what: 'metadata', classes: ['metadata'] };
      expect(findEffects(planFor(desired, live))[0]?.effects).toEqual([
        { ...metadata, field: 'name' },
        { ...metadata, field: 'description' },
      ]);
    });

    it('classifies a new one', () => {
      const desired = desiredOf({ flags: {}, cohorts: { beta: { filters: definition('pro') } } });
      const plan = planFor(desired, { flags: [], roleAccess: {}, cohorts: [] });
      expect(findEffects(plan)).toMatchObject([{ key: 'beta', classes: ['create'] }]);
    });
  });

  it('says who may enrol once a feature is announced and once it ends, and calls the rest of it metadata', () => {
    const flag = liveFlag(1, 'one');
    const feature = { id: 1, feature_id: 'f', name: 'One', description: '', documentation_url: '' };
    const changeOf = (from: string, wanted: JsonObject) => {
      const desired = desiredOf({ flags: {}, early_access: { one: wanted } });
      const live = { flags: [flag], roleAccess: {}, early_access: [{ ...feature, stage: from }] };
      const plan = planFor(desired, live);
      return [findEffects(plan), findDriftEffects(plan)].map((found) =>
        found.flatMap(({ effects }) =>
          effects.map((effect) => [
            effect.what,
            'field' in effect ? effect.field : undefined,
            ...('before' in effect ? [effect.before, effect.after] : []),
          ]),
        ),
      );
    };
    const [name, stage] = ['name', 'stage'].map((field) => ['metadata', field]);
    const [starts, ends] = [true, false].map((isOn) => ['setting', 'feature_enrollment', !isOn, isOn]);
    expect(changeOf('draft', { name: 'Two', stage: 'beta' })).toEqual([
      [starts, name, stage],
      [ends, name, stage],
    ]);
    expect(changeOf('beta', { name: 'One', stage: 'draft' })).toEqual([
      [ends, stage],
      [starts, stage],
    ]);
    expect(changeOf('alpha', { name: 'One', stage: 'beta' })).toEqual([[stage], [stage]]);
  });

  it('renames', () => {
    const renamed = { ...declared('new'), previousKeys: ['old'] };
    const plan = planFor(desiredState(renamed), liveState([liveFlag(1, 'old')]));
    expect(findEffects(plan)).toMatchObject([
      { key: 'new', classes: ['re-bucket'], effects: [{ what: 'renamed', from: 'old', to: 'new' }] },
    ]);
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['begins', { early_exit: false }, { early_exit: true }, ['narrow']],
    ['ends', { early_exit: true }, { early_exit: false }, ['widen']],
    ['was no truth value', { early_exit: 'yes' }, { early_exit: false }, ['metadata']],
  ])('knows who reaches the next condition: early exit %s', (_, before, after, classes) => {
    const flagOf = (parts: JsonObject): JsonObject => ({ filters: { groups: [{ properties: [US] }, {}], ...parts } });
    expect(effectsOf(flagOf(before), flagOf(after)).classes).toEqual(classes);
  });

  it('knows that a forced variant may change who reaches the next condition, where it comes first', () => {
    const flagOf = (variant: JsonValue): JsonObject => ({
      filters: { groups: [{ properties: [US] }, { variant }], multivariate: SPLIT, early_exit: true },
    });
    expect(effectsOf(flagOf(null), flagOf('test')).classes).toEqual(['widen', 'narrow', 're-split']);
  });

  it('says that nobody notices a deleted flag that comes back disabled', () => {
    const plan = planFor(
      desiredState(declared('a', { active: false })),
      liveState([liveFlag(1, 'a', { deleted: true })]),
    );
    expect(findEffects(plan)).toMatchObject([{ classes: ['restore'], dormant: true }]);
  });

  it('says that nobody notices while a flag is disabled', () => {
    const off = { active: false };
    expect(effectsOf({ ...off, name: 'a' }, { ...off, name: 'b' }).dormant).toBe(true);
    expect(effectsOf({ ...off }, { active: true }).dormant).toBeUndefined();
  });
});

describe('a field of which nothing is known', () => {
  const changed = (resource: string, ...paths: string[]): Effect[] => {
    const fields = paths.map((path) => ({ path, before: 1, after: 2 }));
    const of = { action: 'update', ref: 'r', key: 'a', needs: [], base: { cohort: {} }, body: {} };
    const change = { ...of, resource, fields } as unknown as Plan['changes'][number];
    const uses = { code: 'cohort_flags', key: 'cohort:a', action: 'update', flags: ['f'], uses: ['in'] } as const;
    return [...(findEffects({ changes: [change], warnings: [uses] })[0]?.effects ?? [])];
  };

  it('may change what the people of a cohort get, beside a field that cannot and a definition that is the same', () => {
    const effect = { what: 'cohort', action: 'update', flags: ['f'], classes: ['widen', 'narrow', 're-split'] };
    expect(changed('cohort', '/name', '/new')).toEqual([effect]);
    expect(changed('cohort', '/filters', '/new')).toEqual([effect]);
    expect(changed('cohort', '/name')).toMatchObject([{ what: 'metadata', field: 'name' }]);
  });

  it('is shown whole for an early access feature', () => {
    expect(changed('early_access', '/stage', '/new')).toEqual([
      { what: 'metadata', classes: ['metadata'], field: 'stage' },
      { what: 'unknown', classes: ['opaque'], path: '/new', before: 1, after: 2 },
    ]);
  });
});

describe('findDriftEffects', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['switched off in the service', { active: false }, { active: true }, ['kill']],
    ['a wider condition', filtersWith({ rollout_percentage: 35 }), filtersWith({ rollout_percentage: 10 }), ['widen']],
    [
      'a condition more',
      filtersWith({ properties: [US] }, { properties: [PRO] }),
      filtersWith({ properties: [US] }),
      ['widen'],
    ],
    ['a runtime', { evaluation_runtime: 'server' }, { evaluation_runtime: 'all' }, ['narrow']],
    ['a payload', { filters: { groups: [{}], payloads: { true: 'x' } } }, filtersWith({}), ['payload']],
  ])('classifies %s', (_, live, wanted, classes) => {
    expect(findDriftEffects(planOf(live, wanted))).toMatchObject([{ key: 'a', classes }]);
  });

  it('says how a payload came', () => {
    const live = { filters: { groups: [{}], payloads: { true: 'x' } } };
    const [found] = findDriftEffects(planOf(live, filtersWith({})));
    expect(found?.effects).toEqual([{ what: 'payload', classes: ['payload'], payload: 'true', how: 'added' }]);
  });

  it('classifies what is missing, soft-deleted, or not deleted', () => {
    const plan = planFor(
      desiredState(declared('missing'), retired('stray'), declared('soft')),
      liveState([liveFlag(1, 'stray'), liveFlag(2, 'soft', { deleted: true })]),
    );
    expect(findDriftEffects(plan).map(({ key, classes }) => [key, ...classes])).toEqual([
      ['missing', 'delete'],
      ['soft', 'delete'],
      ['stray', 'create'],
    ]);
  });

  it('classifies cohorts and access from the live side', () => {
    const desired = desiredOf({
      flags: {},
      cohorts: { beta: { filters: { properties: { type: 'AND', values: [PRO] } } } },
    });
    const plan = planFor(desired, { flags: [], roleAccess: {}, cohorts: [] });
    expect(findDriftEffects(plan)).toMatchObject([{ key: 'beta', effects: [{ what: 'cohort', action: 'delete' }] }]);
    const granted = {
      action: 'grant',
      resource: 'role_access',
      ref: 'r',
      key: 'a',
      needs: [],
      base: { roles: [] },
    } as const;
    const [access] = findDriftEffects({ changes: [granted as unknown as Plan['changes'][number]], warnings: [] });
    expect(access?.effects).toEqual([{ what: 'access', classes: ['access'], action: 'revoke' }]);
  });
});

it('finds the effects of the same changes once, and of others anew', () => {
  const plan = planOf({ active: false }, { active: true });
  const effects = findEffects(plan);
  expect(findEffects({ changes: plan.changes, warnings: plan.warnings })).toBe(effects);
  expect(findEffects({ ...plan, changes: [] })).toEqual([]);
  expect(findEffects({ ...plan, warnings: [...plan.warnings] })).not.toBe(effects);
  expect(findEffects(planOf({ active: true }, { active: false }))).not.toEqual(effects);
});
