import { describe, expect, it } from 'vitest';
import { defined } from '../../../src/base/optional.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Facts, Finding } from '../../../src/review/policy/finding.ts';
import { judge } from '../../../src/review/policy/judge.ts';
import type { PolicyContext } from '../../../src/review/policy/basis/policy-kind.ts';
import type { BuiltInPolicy, BuiltInRule, Policy, PolicyFor } from '../../../src/review/policy/built-in.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Base } from '../../../src/posthog/planning/base.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { planDocument, parsePlanDocument } from '../../../src/posthog/planning/plan-document.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const SOURCE = { file: 'flagwright.yaml', line: 9, column: 7 };
const DAY = Date.parse('2026-06-15T10:00:00Z');
const AROUND: PolicyContext = { project: 'production', now: DAY };

type Options<Rule extends BuiltInRule> = Omit<PolicyFor<Rule>, 'rule' | 'level' | 'source'>;

function policy<Rule extends BuiltInRule>(rule: Rule, options: Options<Rule>): Policy {
  return { rule, level: 'error', source: SOURCE, ...options } as BuiltInPolicy;
}

interface Case {
  readonly live?: readonly Flag[];
  readonly desired: readonly DesiredFlag[];
  readonly around?: Partial<PolicyContext>;
}

function found(rule: Policy, { live = [], desired, around = {} }: Case): Finding[] {
  const plan = planFor(desiredState(...desired), liveState(live));
  return judge([rule], plan, { ...AROUND, ...around });
}

const facts = (rule: Policy, given: Case): Facts[] => found(rule, given).map((finding) => finding.facts);
const groups = (...list: readonly JsonObject[]): JsonObject => ({ filters: { groups: list } });
const change = (before: JsonObject, after: JsonObject): Case => ({
  live: [liveFlag(1, 'a', before)],
  desired: [declared('a', after)],
});
const created = (fields: JsonObject): Case => ({ desired: [declared('a', fields)] });
const OPAQUE = { filters: { version: 3, rules: [] } };
const holdout = (exclusion_percentage: number): JsonObject => ({ id: 7, exclusion_percentage });
const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const email = (value: string | readonly string[]): JsonObject =>
  groups({ properties: [{ key: 'email', type: 'person', operator: 'exact', value }] });

/** Conditions of which only the first that matches decides: people, and percentages. */
const exiting = (...parts: readonly (readonly [JsonObject | null, number])[]): JsonObject => {
  const groups = parts.map(([one, share]) => ({ properties: one === null ? [] : [one], rollout_percentage: share }));
  return { filters: { groups, early_exit: true } };
};

describe('max-widen', () => {
  const most25 = policy('max-widen', { points: 25 });
  const at = (percentage: number): JsonObject => groups({ properties: [US], rollout_percentage: percentage });
  const unreadable = groups({ properties: [US], rollout_percentage: [{ toString: 0 }] });

  it.each<[string, Case, { points: number; exact: boolean } | undefined]>([
    ['25 points', change(at(10), at(35)), undefined],
    ['26 points', change(at(10), at(36)), { points: 26, exact: true }],
    ['a decrease', change(at(90), at(10)), undefined],
    [
      'a new condition within',
      change(at(10), groups({ properties: [US], rollout_percentage: 10 }, { properties: [], rollout_percentage: 25 })),
      undefined,
    ],
    [
      'a new condition beyond',
      change(at(10), groups({ properties: [US], rollout_percentage: 10 }, { properties: [], rollout_percentage: 30 })),
      { points: 30, exact: true },
    ],
    [
      'a wider audience',
      change(at(50), groups({ properties: [], rollout_percentage: 50 })),
      { points: 50, exact: true },
    ],
    ['enabling', change({ ...at(80), active: false }, { ...at(80), active: true }), { points: 80, exact: true }],
    ['a flag that stays disabled', change({ ...at(10), active: false }, { ...at(90), active: false }), undefined],
    ['a new flag', created({ active: true, ...at(60) }), { points: 60, exact: true }],
    ['a new disabled flag', created({ active: false, ...at(60) }), undefined],
    [
      'another bucketing',
      change({ ...at(40), bucketing_identifier: 'distinct_id' }, { ...at(40), bucketing_identifier: 'device_id' }),
      { points: 40, exact: false },
    ],
    [
      'filters of an unknown format',
      change({ filters: { version: 3, groups: [] } }, { filters: { version: 3, groups: [{}] } }),
      undefined,
    ],
    ['an unknown field', change({ brand_new: 1 }, { brand_new: 2 }), { points: 100, exact: false }],
    ['a percentage that cannot be read', change(unreadable, at(10)), { points: 100, exact: false }],
    [
      'enabling a condition whose percentage cannot be read',
      change({ ...unreadable, active: false }, { active: true }),
      { points: 100, exact: false },
    ],
    [
      'enabling a flag of an unknown format',
      change({ ...OPAQUE, active: false }, { active: true }),
      { points: 100, exact: false },
    ],
    [
      'the larger of two steps',
      change(
        groups({ properties: [US], rollout_percentage: 10 }, { properties: [], rollout_percentage: 10 }),
        groups({ properties: [US], rollout_percentage: 20 }, { properties: [], rollout_percentage: 60 }),
      ),
      { points: 50, exact: true },
    ],
    [
      'the larger of two steps, the first',
      change(
        groups({ properties: [US], rollout_percentage: 10 }, { properties: [], rollout_percentage: 10 }),
        groups({ properties: [US], rollout_percentage: 90 }, { properties: [], rollout_percentage: 20 }),
      ),
      { points: 80, exact: true },
    ],
    [
      'restoring',
      {
        live: [liveFlag(1, 'a', { ...at(60), deleted: true })],
        desired: [declared('a', { ...at(60), active: true })],
      },
      { points: 60, exact: true },
    ],
    ['a description', change({ name: 'x' }, { name: 'y' }), undefined],
    ['disabling', change({ active: true }, { active: false }), undefined],
    [
      'a new flag with a holdout',
      created({ active: true, filters: { groups: [{ rollout_percentage: 25 }], holdout: holdout(90) } }),
      { points: 92.5, exact: true },
    ],
    [
      'enabling a flag with a holdout',
      change(
        { active: false, filters: { groups: [{ rollout_percentage: 25 }], holdout: holdout(90) } },
        { active: true },
      ),
      { points: 92.5, exact: true },
    ],
    [
      'a larger holdout',
      change(
        { filters: { groups: [{ rollout_percentage: 50 }], holdout: holdout(10) } },
        { filters: { groups: [{ rollout_percentage: 50 }], holdout: holdout(60) } },
      ),
      { points: 50, exact: true },
    ],
    [
      'conditions of several group types',
      created({
        active: true,
        ...groups(...[0, 1, 2, 3, 4].map((type) => ({ rollout_percentage: 25, aggregation_group_type_index: type }))),
      }),
      { points: 76.27, exact: true },
    ],
    [
      'steps of two hashes',
      change(
        groups({ rollout_percentage: 10 }, { rollout_percentage: 10, aggregation_group_type_index: 0 }),
        groups({ rollout_percentage: 30 }, { rollout_percentage: 30, aggregation_group_type_index: 0 }),
      ),
      { points: 36, exact: false },
    ],
    [
      'a new condition for people of another one',
      change(
        groups({ properties: [], rollout_percentage: 20 }),
        groups({ properties: [], rollout_percentage: 20 }, { properties: [US], rollout_percentage: 40 }),
      ),
      undefined,
    ],
    [
      'each step against the same condition where the first that matches decides',
      change(exiting([US, 50], [null, 10]), exiting([US, 60], [null, 40])),
      { points: 30, exact: true },
    ],
    [
      'a condition in front of a larger one where the first that matches decides: the people of the larger one lost it',
      change(exiting([null, 60]), exiting([US, 40], [null, 60])),
      { points: 60, exact: true },
    ],
    [
      'conditions in another order where the first that matches decides',
      change(exiting([US, 30], [null, 10]), exiting([null, 10], [US, 30])),
      { points: 30, exact: true },
    ],
    [
      'early access, whoever enrolled',
      created({ active: true, filters: { groups: [{ rollout_percentage: 5 }], feature_enrollment: true } }),
      { points: 100, exact: false },
    ],
    [
      'a step of a flag with early access',
      change(
        { filters: { groups: [{ rollout_percentage: 5 }], feature_enrollment: true } },
        { filters: { groups: [{ rollout_percentage: 25 }], feature_enrollment: true } },
      ),
      undefined,
    ],
  ])('judges %s', (_, given, expected) => {
    const { points, exact } = expected ?? {};
    expect(facts(most25, given)).toEqual(
      expected === undefined ? [] : [{ what: 'max-widen', points, limit: 25, exact }],
    );
  });
});

describe('max-widen of flags that do not change themselves', () => {
  const most25 = policy('max-widen', { points: 25 });
  const on = (value: boolean): JsonObject => ({ key: '1', type: 'flag', operator: 'flag_evaluates_to', value });
  const flag = (percentage: number, active = true): JsonObject => ({
    active,
    ...groups({ properties: [], rollout_percentage: percentage }),
  });
  const told = (wanted: JsonObject, others: readonly Flag[], rule: Policy = most25): unknown[] => {
    const live = [liveFlag(1, 'a', flag(10)), ...others];
    const found = facts(rule, { live, desired: [declared('a', wanted)], around: { flags: live } });
    return found.map((one) => (one.what === 'max-widen' ? [one.points, one.exact, one.flags] : []));
  };
  const dependent = (key: string, value: boolean, percentage: number): Flag =>
    liveFlag(2, key, groups({ properties: [on(value)], rollout_percentage: percentage }));

  it('finds whom a disabled flag turns on', () => {
    expect(told(flag(10, false), [dependent('b', false, 60)])).toEqual([]);
    const live = [liveFlag(1, 'a', flag(90)), dependent('b', false, 60)];
    const desired = [declared('a', flag(90, false))];
    const [found] = facts(most25, { live, desired, around: { flags: live } });
    expect(found).toEqual({ what: 'max-widen', points: 60, limit: 25, exact: false, flags: ['b'] });
  });

  it('is of no flag that asks for one that loses people', () => {
    const live = [
      ...[liveFlag(1, 'a', flag(90)), dependent('b', true, 100)],
      liveFlag(3, 'c', groups({ properties: [{ ...on(true), key: '2' }] })),
    ];
    const less = (wanted: JsonObject, others: readonly Flag[] = live): unknown[] =>
      facts(most25, { live: others, desired: [declared('a', wanted)], around: { flags: others } });
    expect([less(flag(20)), less(flag(90, false))]).toEqual([[], []]);
    const inTurn = liveFlag(3, 'c', groups({ properties: [{ ...on(false), key: '2' }] }));
    expect(less(flag(20), [...live.slice(0, 2), inTurn])).toMatchObject([{ points: 70, flags: ['c'] }]);
    // Whoever loses the first condition reaches the second.
    const exits = groups({ properties: [on(true)], rollout_percentage: 0 }, { rollout_percentage: 100 });
    const early = liveFlag(3, 'c', { filters: { ...(exits['filters'] as JsonObject), early_exit: true } });
    expect(less(flag(20), [live[0] as Flag, early])).toMatchObject([{ points: 70, flags: ['c'] }]);
  });

  it('adds up nothing beyond what changes', () => {
    expect(told(flag(35), [dependent('b', true, 100)])).toEqual([]);
    expect(told(flag(60), [dependent('b', true, 100)])).toEqual([
      [50, true, undefined],
      [50, false, ['b']],
    ]);
  });

  it('follows flags through others, and is about the flags that the rule names', () => {
    const through = liveFlag(3, 'c', groups({ properties: [{ ...on(true), key: '2' }] }));
    const others = [dependent('b', true, 100), through];
    expect(told(flag(60), others)).toEqual([
      [50, true, undefined],
      [50, false, ['b', 'c']],
    ]);
    expect(told(flag(60), others, { ...most25, keys: ['c'] })).toEqual([[50, false, ['c']]]);
  });

  it('names the dependent flags by key, whatever their order in the service is', () => {
    const both = [dependent('b', true, 100), { ...dependent('c', true, 100), id: 3 }];
    for (const others of [both, both.toReversed()]) {
      expect(told(flag(60), others)).toEqual([
        [50, true, undefined],
        [50, false, ['b', 'c']],
      ]);
    }
  });

  it('adds what a flag does itself to what its dependency does', () => {
    const both = [
      declared('a', flag(20)),
      declared('b', groups({ properties: [{ ...on(true), key: 'a' }], rollout_percentage: 30 })),
    ];
    const live = [liveFlag(1, 'a', flag(10)), dependent('b', true, 10)];
    const found = facts(most25, { live, desired: both, around: { flags: live } });
    expect(found).toEqual([{ what: 'max-widen', points: 30, limit: 25, exact: false }]);
  });

  it('counts whom a dependency on no flag kept off', () => {
    const kept = { properties: [], rollout_percentage: 60 };
    const live = [liveFlag(2, 'b', groups(kept, { properties: [{ ...on(true), key: '9' }] }))];
    const found = facts(most25, {
      live,
      desired: [declared('b', groups({ ...kept, rollout_percentage: 61 }))],
      around: { flags: live },
    });
    expect(found).toEqual([{ what: 'max-widen', points: 61, limit: 25, exact: false }]);
  });

  it('is of the change that turns the dependent flag on, not of another one before it', () => {
    const both = groups({ properties: [on(true), { ...on(true), key: '3' }] });
    const live = [liveFlag(1, 'a', flag(10)), liveFlag(2, 'b', both), liveFlag(3, 'c', flag(10))];
    const desired = [declared('a', { ...flag(10), name: 'new' }), declared('c', flag(60))];
    const told = found(most25, { live, desired, around: { flags: live } });
    expect(told.map(({ key, facts: one }) => [key, one.what === 'max-widen' && one.flags])).toEqual([
      ['c', undefined],
      ['c', ['b']],
    ]);
  });

  it('is of no flag that is disabled or does not depend on it', () => {
    const disabled = { ...dependent('b', true, 100), active: false };
    expect(told(flag(60), [disabled, liveFlag(3, 'c', flag(100))])).toEqual([[50, true, undefined]]);
  });
});

describe('max-widen of cohorts', () => {
  const most25 = policy('max-widen', { points: 25 });
  const cohorts = (value: string): DesiredState['cohorts'] => [
    {
      kind: 'declared',
      key: 'vips',
      previousKeys: [],
      names: ['Vips'],
      fields: {
        name: 'Vips',
        filters: { properties: { type: 'AND', values: [{ key: 'plan', value, type: 'person' }] } },
      },
      places: { place: SOURCE },
    },
  ];
  const live = (percentage: number): LiveState => ({
    flags: [
      liveFlag(
        1,
        'a',
        groups({ properties: [{ key: 'id', type: 'cohort', value: 7 }], rollout_percentage: percentage }),
      ),
    ],
    roleAccess: {},
    cohorts: [
      {
        id: 7,
        name: 'Vips',
        filters: { properties: { type: 'AND', values: [{ key: 'plan', value: 'x', type: 'person' }] } },
      },
    ],
  });
  const told = (state: LiveState, flags: readonly Flag[] | undefined): Facts[] => {
    const plan = buildPlan({ flags: [], ...defined({ cohorts: cohorts('y') }) }, state);
    return judge([most25], plan, { ...AROUND, ...defined({ flags }) }).map((one) => one.facts);
  };

  it('is of nobody for a new cohort that no flag uses', () => {
    expect(told({ flags: [], roleAccess: {}, cohorts: [] }, [])).toEqual([]);
    expect(told({ flags: [], roleAccess: {}, cohorts: [] }, undefined)).toEqual([]);
  });

  it('is that of the flags that use it, also where a flag of the same name changes', () => {
    const state = live(60);
    const flags = [...state.flags, liveFlag(2, 'vips', groups({ rollout_percentage: 10 }))];
    const wanted = declared('vips', groups({ rollout_percentage: 20 }));
    const plan = buildPlan({ flags: [wanted], ...defined({ cohorts: cohorts('y') }) }, { ...state, flags });
    expect(judge([most25], plan, { ...AROUND, flags }).map((one) => [one.resource, one.facts])).toEqual([
      ['cohort', { what: 'max-widen', points: 60, limit: 25, exact: false, flags: ['a'] }],
    ]);
  });

  it('is not that of a flag that a new cohort narrows', () => {
    const everyone = liveFlag(1, 'a', groups({ properties: [], rollout_percentage: 60 }));
    const members = groups({ properties: [{ key: 'id', type: 'cohort', value: 'vips' }], rollout_percentage: 60 });
    const plan = buildPlan(
      { flags: [declared('a', members)], ...defined({ cohorts: cohorts('y') }) },
      { flags: [everyone], roleAccess: {}, cohorts: [] },
    );
    expect(plan.changes.map(({ action }) => action)).toEqual(['create', 'update']);
    expect(judge([most25], plan, { ...AROUND, flags: [everyone] })).toEqual([]);
  });

  it('is that of the flags that use it', () => {
    expect(told(live(20), live(20).flags)).toEqual([]);
    expect(told(live(60), live(60).flags)).toEqual([
      { what: 'max-widen', points: 60, limit: 25, exact: false, flags: ['a'] },
    ]);
  });

  it('names the flags where nothing tells how they use it', () => {
    expect(told(live(20), undefined)).toEqual([
      { what: 'max-widen', points: 100, limit: 25, exact: false, flags: ['a'] },
    ]);
  });
});

describe('freeze', () => {
  const holidays = { kind: 'dates', from: '2026-12-20', to: '2027-01-03', zone: 'Europe/Berlin' } as const;
  const office = {
    kind: 'weekly',
    days: ['mon', 'tue', 'wed', 'thu'],
    from: '08:00',
    to: '16:00',
    zone: 'Europe/Berlin',
  } as const;
  const nights = { kind: 'weekly', days: ['fri'], from: '22:00', to: '06:00', zone: 'America/New_York' } as const;
  const edit = change({ active: false }, { active: true });
  const at = (moment: string): Partial<PolicyContext> => ({ now: Date.parse(moment) });

  it.each<[string, string, boolean]>([
    ['before the window', '2026-12-19T22:59:59Z', false],
    ['from midnight in Berlin', '2026-12-19T23:00:00Z', true],
    ['until its end', '2027-01-02T22:59:59Z', true],
    ['after it', '2027-01-02T23:00:00Z', false],
  ])('denies between days: %s', (_, moment, denied) => {
    const rule = policy('freeze', { deny: [holidays], except: [] });
    expect(facts(rule, { ...edit, around: at(moment) })).toHaveLength(denied ? 1 : 0);
  });

  it.each<[string, string, boolean]>([
    ['a Monday morning in winter', '2026-01-12T07:00:00Z', false],
    ['one minute before', '2026-01-12T06:59:59Z', true],
    ['the same hour in summer', '2026-06-15T06:00:00Z', false],
    ['the end of the day', '2026-06-15T14:00:00Z', true],
    ['a Friday', '2026-06-19T10:00:00Z', true],
  ])('allows in office hours only: %s', (_, moment, denied) => {
    const rule = policy('freeze', { deny: [], allow: [office], except: [] });
    const list = facts(rule, { ...edit, around: at(moment) });
    expect(list.map((one) => 'denied' in one && one.denied)).toEqual(denied ? [false] : []);
  });

  it.each<[string, string, boolean]>([
    ['on Friday evening', '2026-06-20T02:00:00Z', true],
    ['after midnight', '2026-06-20T09:59:00Z', true],
    ['in the morning', '2026-06-20T10:00:00Z', false],
    ['on Saturday evening', '2026-06-21T02:30:00Z', false],
  ])('has windows over midnight: %s', (_, moment, denied) => {
    const rule = policy('freeze', { deny: [nights], except: [] });
    expect(facts(rule, { ...edit, around: at(moment) })).toHaveLength(denied ? 1 : 0);
  });

  it.each<[string, string, boolean]>([
    ['on Friday before it', '2026-06-20T01:59:59Z', false],
    ['on Friday evening', '2026-06-20T02:00:00Z', true],
    ['on Saturday before its end', '2026-06-21T01:59:59Z', true],
    ['at its end', '2026-06-21T02:00:00Z', false],
  ])('has windows of a whole day, which end at the time at which they begin: %s', (_, moment, denied) => {
    const rule = policy('freeze', { deny: [{ ...nights, to: nights.from }], except: [] });
    expect(facts(rule, { ...edit, around: at(moment) })).toHaveLength(denied ? 1 : 0);
  });

  const small = { kind: 'weekly', days: ['sun'], from: '02:00', to: '03:00' } as const;

  it.each<[string, string, string, boolean]>([
    ['an hour that summer time skips', 'Europe/Berlin', '2026-03-29T01:00:00Z', false],
    ['the minute before it', 'Europe/Berlin', '2026-03-29T00:59:59Z', false],
    ['the first of an hour that comes twice', 'Europe/Berlin', '2026-10-25T00:30:00Z', true],
    ['the second of it', 'Europe/Berlin', '2026-10-25T01:30:00Z', true],
    ['after both', 'Europe/Berlin', '2026-10-25T02:00:00Z', false],
    ['another day for the same moment', 'Pacific/Kiritimati', '2026-10-24T12:30:00Z', true],
    ['its end there', 'Pacific/Kiritimati', '2026-10-24T13:00:00Z', false],
    ['a zone that is 45 minutes off', 'Asia/Kathmandu', '2026-10-24T20:15:00Z', true],
    ['the minute before there', 'Asia/Kathmandu', '2026-10-24T20:14:59Z', false],
  ])('reads the clock of the zone: %s (%s)', (_, zone, moment, denied) => {
    const rule = policy('freeze', { deny: [{ ...small, zone }], except: [] });
    expect(facts(rule, { ...edit, around: at(moment) })).toHaveLength(denied ? 1 : 0);
  });

  it('denies inside a window that allows, and says when it was', () => {
    const rule = policy('freeze', { deny: [holidays], allow: [{ ...office, days: ['mon', 'tue'] }], except: [] });
    expect(facts(rule, { ...edit, around: at('2026-12-21T10:00:00Z') })).toEqual([
      { what: 'freeze', denied: true, window: holidays, local: 'mon 2026-12-21 11:00' },
    ]);
  });

  it('lets changes of excepted classes pass, and only those', () => {
    const rule = policy('freeze', { deny: [holidays], except: ['kill', 'metadata'] });
    const during = at('2026-12-24T10:00:00Z');
    expect(facts(rule, { ...change({ active: true }, { active: false }), around: during })).toEqual([]);
    const both = change(
      { active: true, ...groups({ rollout_percentage: 1 }) },
      { active: false, ...groups({ rollout_percentage: 2 }) },
    );
    expect(facts(rule, { ...both, around: during })).toHaveLength(1);
  });
});

describe('require', () => {
  const rule = policy('require', { description: true, tags: ['owner:*'] });
  const full = { name: 'Checkout', tags: ['owner:shop'] };

  it.each<[string, Case, readonly string[]]>([
    ['a new flag with all', created(full), []],
    ['a new flag without', created({}), ['description', 'owner:*']],
    ['a new flag with a blank description', created({ name: ' ', tags: ['owner:a'] }), ['description']],
    ['a change that takes the tag away', change(full, { ...full, tags: [] }), ['owner:*']],
    ['a change of a flag that never had any', change({ name: '', tags: [] }, { active: false }), []],
    [
      'a restored flag without',
      { live: [liveFlag(1, 'a', { deleted: true })], desired: [declared('a', { name: '', tags: [] })] },
      ['description', 'owner:*'],
    ],
    ['a delete', { live: [liveFlag(1, 'a', full)], desired: [retired('a')] }, []],
  ])('judges %s', (_, given, missing) => {
    const told = facts(rule, given).flatMap((one) =>
      one.what === 'require' ? [one.missing === 'tag' ? one.pattern : one.missing] : [],
    );
    expect(told).toEqual(missing);
  });
});

describe('require with an owner', () => {
  const rule = policy('require', { description: false, tags: [], owner: true });
  const ofFile = { prefixes: ['squad:'], ownersOf: () => ['@acme/shop'] };
  const ofNobody = { prefixes: ['squad:'], ownersOf: () => [] };
  const none = { what: 'require', missing: 'owner', prefixes: ['squad:'] };

  it.each<[string, Case, Partial<PolicyContext>, unknown[]]>([
    ['a new flag with a tag', created({ tags: ['squad:shop'] }), { owners: ofNobody }, []],
    ['a new flag with an empty tag', created({ tags: ['squad: '] }), { owners: ofNobody }, [none]],
    ['a new flag with the tag of another prefix', created({ tags: ['owner:shop'] }), { owners: ofNobody }, [none]],
    ['a new flag in a file of somebody', created({}), { owners: ofFile }, []],
    ['a change that takes the tag away', change({ tags: ['squad:a'] }, { tags: [] }), { owners: ofNobody }, [none]],
    ['a change of a flag without', change({ tags: [] }, { active: false }), { owners: ofNobody }, []],
    [
      'a run that cannot read it',
      created({}),
      { owners: { ...ofNobody, isUnread: true } },
      [{ ...none, unread: true }],
    ],
    ['a run without files', created({ tags: ['owner:a'] }), {}, []],
    ['a run without files and tags', created({}), {}, [{ ...none, prefixes: ['owner:', 'team:'], unread: true }]],
  ])('judges %s', (_, given, around, missing) => {
    expect(facts(rule, { ...given, around })).toEqual(missing);
  });
});

it('each of two required tags is asked for by itself', () => {
  const both = policy('require', { description: false, tags: ['owner:*', 'team:*'] });
  const told = (before: readonly string[], after: readonly string[]): unknown[] =>
    facts(both, change({ tags: before }, { tags: after })).map((one) => ('pattern' in one ? one.pattern : one));
  expect(told(['owner:a'], [])).toEqual(['owner:*']);
  expect(told(['team:a'], [])).toEqual(['team:*']);
  expect(told(['owner:a'], ['team:a'])).toEqual(['owner:*']);
});

describe('naming', () => {
  const rule = policy('naming', { patterns: ['shop-*', 'ops-?'] });

  it.each<[string, Case, number]>([
    ['a new key that matches', { desired: [declared('shop-x')] }, 0],
    ['a new key that does not', { desired: [declared('shopx')] }, 1],
    ['an old key', change({ active: true }, { active: false }), 0],
    ['a rename', { live: [liveFlag(1, 'b')], desired: [declared('c', {}, { previousKeys: ['b'] })] }, 1],
    ['a delete', { live: [liveFlag(1, 'a')], desired: [retired('a')] }, 0],
  ])('judges %s', (_, given, amount) => {
    expect(facts(rule, given)).toHaveLength(amount);
  });
});

it('a rule about the names of flags is not about those of early access features', () => {
  const desired = desiredOf({
    flags: { 'shop-a': { active: true } },
    early_access: { search: { name: 'Search', stage: 'draft', flag: 'shop-a' } },
  });
  const plan = planFor(desired, { flags: [], roleAccess: {}, cohorts: [], early_access: [] });
  expect(plan.changes.map(({ resource }) => resource)).toEqual(['flag', 'early_access']);
  expect(judge([policy('naming', { patterns: ['shop-*'] })], plan, AROUND)).toEqual([]);
});

it('a rule about names is not about role access', () => {
  const state = liveState([liveFlag(1, 'a')], { 1: [] });
  const plan = planFor(desiredState(declared('a', {}, { roles: ['r'] })), state);
  expect(plan.changes).toHaveLength(1);
  expect(judge([policy('naming', { patterns: ['shop-*'] })], plan, AROUND)).toEqual([]);
});

describe('no-personal-data', () => {
  const rule = policy('no-personal-data', { allow: ['*@example.com'] });

  it.each<[string, string | readonly string[], readonly string[]]>([
    ['an address', 'ann@corp.test', ['email']],
    ['several', ['ann@corp.test', 'bob@corp.test', 'US'], ['email']],
    ['an address in a pattern', '^ann\\.b@corp\\.test$', ['email']],
    ['a domain', '@corp.test', []],
    ['a pattern of a domain', '.*@corp\\.test$', []],
    ['an allowed address', 'ann@example.com', []],
    ['a phone number', '+49 170 1234567', ['phone']],
    ['a number', '1701234567', []],
    ['a version', '+1.2.3', []],
    ['a mention', 'ask @ann', []],
  ])('judges %s', (_, value, data) => {
    const told = facts(rule, change(email('US'), email(value)));
    expect(told.flatMap((one) => (one.what === 'no-personal-data' ? one.data : []))).toEqual(data);
  });

  const filter = (operator: string, value: JsonValue): JsonObject =>
    groups({ properties: [{ key: 'email', type: 'person', operator, value }] });
  const dataIn = (fields: JsonObject): unknown[] =>
    facts(rule, change(email('US'), fields)).map((one) => (one.what === 'no-personal-data' ? one.data : one));

  it.each<[operator: string, value: string]>([
    ['exact', 'ada+@acme.com'],
    ['exact', 'ada+test@acme.com'],
    ['exact', 'ada.@acme.com'],
    ['exact', 'Ada Lovelace <ada@acme.com>'],
    ['icontains', 'ada%40acme.com'],
    ['exact', 'ada%2540acme%2Ecom'],
    ['exact', 'ada＠acme．com'],
    ['exact', 'ada@acme。com'],
    ['exact', 'ada\u200b@\u2060acme.com'],
    ['exact', 'a\u00adda@acme.com'],
    ['exact', 'ada @ acme.com'],
    ['exact', 'ada&#64;acme.com'],
    ['exact', 'mailto:ada@acme.com'],
    ['regex', '^ada\\@acme\\.com$'],
    ['regex', '^ada[@]acme[.]com$'],
    ['regex', 'ada@acme.com'],
    ['regex', 'ada\\x40acme\\x2ecom'],
    ['regex', 'ada\\u0040acme\\.com'],
    ['regex', 'ada\\x{40}acme\\.com'],
    ['regex', 'ada\\U00000040acme\\U0000002Ecom'],
    ['regex', 'ada\\U{40}acme\\u{2E}com'],
    ['regex', 'ada[]@]acme\\.com'],
    ['regex', `${'('.repeat(60)}ada@acme\\.com${')'.repeat(60)}`],
    ['regex', 'ada\\100acme\\.com'],
    ['regex', '(ada)(@)(acme)(\\.)(com)'],
    ['regex', '(?i)(?:ada|bob)@(?:acme|corp)\\.(?:com|org)'],
    ['regex', '[a]d[aA]@acme\\.com'],
    ['regex', '[Aa][Dd][Aa]@acme\\.(com)'],
    ['regex', 'ada{1}@{1}acme\\.com'],
    ['regex', 'ada()@acme\\.com'],
    ['regex', 'ada\\b@acme\\.com'],
    ['regex', 'ada.?@acme\\.com'],
    ['regex', 'ada(?=@)@acme\\.com'],
    ['regex', 'ada@acme\\.[a-z]+'],
    ['regex', 'ada@[a-z]+\\.com'],
    ['regex', 'ada@acme\\.\\w{2,3}'],
    ['regex', 'nobody|^$|ada@acme\\.com'],
    ['not_regex', '^(ada|eve)@acme\\.com'],
    ['regex', `${'(a|b)'.repeat(40)}@acme\\.com`],
  ])('finds an address however it is spelled: %s %s', (operator, value) => {
    expect(dataIn(filter(operator, value))).toEqual(['email']);
  });

  it.each<[operator: string, value: string]>([
    ['exact', '+49 (170) 123-4567'],
    ['exact', '0049 170 1234567'],
    ['exact', '00491701234567'],
    ['exact', '+49\u00a0170\u00a01234567'],
    ['exact', '＋４９１７０１２３４５６７'],
    ['exact', 'tel:+491701234567'],
    ['exact', '(+49) 170 1234567'],
    ['exact', '%2B491701234567'],
    ['regex', '^\\+491701234567$'],
    ['regex', '^[+]49 ?170 ?1234567$'],
    ['regex', '^(\\+|00)49(170)1234567$'],
  ])('finds a phone number however it is spelled: %s %s', (operator, value) => {
    expect(dataIn(filter(operator, value))).toEqual(['phone']);
  });

  it.each<[operator: string, value: JsonValue]>([
    ['icontains', '@'],
    ['icontains', '@acme.com'],
    ['exact', '.@acme.com'],
    ['exact', 'acme.com'],
    ['exact', 'ask @ann'],
    ['exact', 'a@b'],
    ['exact', 'git@github'],
    ['regex', '@acme\\.com$'],
    ['regex', '.*@acme\\.com$'],
    ['regex', '^.+@(acme|corp)\\.com$'],
    ['regex', '^[^@]+@acme\\.com$'],
    ['regex', '^[\\w.+-]+@acme\\.com$'],
    ['regex', '^\\S+@\\S+$'],
    ['regex', '^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$'],
    ['regex', '^test\\+.*@acme\\.com$'],
    ['regex', '^qa-\\d+@acme\\.com$'],
    ['regex', '^(alpha|beta)-\\d+$'],
    ['regex', '.?@acme\\.com$'],
    ['regex', '[a-z]{0,1}@acme\\.com$'],
    ['regex', '('],
    ['regex', '[a'],
    ['regex', 'a\\'],
    ['regex', 'ada\\U00110000acme\\.com'],
    ['exact', '1701234567'],
    ['exact', '0012345678'],
    ['exact', '2026-06-15'],
    ['exact', '+1.2.3'],
    ['exact', '100%'],
    ['exact', '%E0%A4%A'],
    ['exact', ['US', 'pro', 'ann@example.com', 'ann+1@example.com']],
    ['regex', '^ann@example\\.com$'],
    ['gt', 491701234567],
  ])('finds nobody in %s %j', (operator, value) => {
    expect(dataIn(filter(operator, value))).toEqual([]);
  });

  it('allows the address, not the text around it', () => {
    expect(dataIn(filter('exact', 'ada@corp.test x@example.com'))).toEqual(['email']);
    expect(dataIn(filter('regex', '^ada@corp\\.test$|x@example.com'))).toEqual(['email']);
  });

  it('looks at descriptions and names of conditions and cohorts', () => {
    expect(dataIn(groups({ properties: [], description: 'for ada@acme.com' }))).toEqual(['email']);
    expect(dataIn(groups({ properties: [{ key: 'ada@acme.com', type: 'person', operator: 'is_set' }] }))).toEqual([
      'email',
    ]);
    const cohort = (fields: JsonObject): Finding[] => {
      const filters = { properties: { type: 'AND', values: [{ key: 'email', type: 'person', ...fields }] } };
      const names = ['Vips'] as const;
      const wanted = {
        kind: 'declared',
        key: 'vips',
        previousKeys: [],
        names,
        fields: { name: 'Vips', ...fields, filters },
        places: { place: SOURCE },
      } as const;
      const plan = buildPlan({ flags: [], cohorts: [wanted] }, { flags: [], roleAccess: {}, cohorts: [] });
      return judge([rule], plan, AROUND);
    };
    expect(cohort({ operator: 'regex', value: 'ada[@]acme\\.com' })).toHaveLength(1);
    expect(cohort({ operator: 'exact', value: 'x', description: 'ada@acme.com' })).toHaveLength(1);
    expect(cohort({ operator: 'exact', value: 'x' })).toEqual([]);
  });

  it('never holds the data, and names the condition', () => {
    const told = found(rule, change(email('US'), email(['ann@corp.test', 'bob@corp.test'])));
    expect(told[0]?.facts).toEqual({ what: 'no-personal-data', data: 'email', amount: 2, condition: 1 });
    expect(JSON.stringify(told)).not.toContain('corp.test');
  });

  it('names the one of two conditions that has the data, and none for early access', () => {
    const one = { properties: [{ key: 'email', type: 'person', operator: 'exact', value: ['ann@corp.test'] }] };
    const told = (filters: JsonObject): unknown[] =>
      facts(rule, change({ filters: { groups: [{}, {}] } }, { filters })).map((found) => ({
        ...found,
        what: undefined,
      }));
    expect(told({ groups: [{}, one] })).toEqual([{ data: 'email', amount: 1, condition: 2 }]);
    expect(told({ groups: [{}, {}], super_groups: [one] })).toEqual([{ data: 'email', amount: 1 }]);
  });

  it('does not find what was there before', () => {
    const both = email(['ann@corp.test']);
    expect(facts(rule, change({ ...both, active: true }, { ...both, active: false }))).toEqual([]);
  });

  it('takes time in proportion to the length of a hostile text', () => {
    const texts = [
      ...['@', 'a@', 'a.', '+1', '(', '(a|', '[', '\\', '%40', '%', '&#64;', '(a|b)', 'a{1', '|', ' '].map((one) =>
        one.repeat(50_000),
      ),
      `a@${'a.'.repeat(100_000)}`,
      `a@${'a'.repeat(100_000)}`,
      // With the square of this number, the test would hang.
      `${' '.repeat(1_000_000)}a`,
    ];
    for (const text of texts) {
      facts(rule, created(email(text)));
      facts(rule, created(filter('regex', text)));
    }
  });
});

describe('expires', () => {
  const rule = policy('expires', { tag: 'expires:', maxDays: 90 });
  const on = (date: string, more: JsonObject = {}): JsonObject => ({ tags: [`expires:${date}`], ...more });
  const shares = (...percentages: readonly number[]): JsonObject => ({
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: {
      variants: percentages.map((rollout_percentage, index) => ({ key: `v${index}`, rollout_percentage })),
    },
  });

  it.each<[string, Case, string | undefined]>([
    ['a flag without a last day', change({}, { active: false }), undefined],
    [
      'widening on the last day',
      change(on('2026-06-15', { active: false }), on('2026-06-15', { active: true })),
      undefined,
    ],
    ['widening after it', change(on('2026-06-14', { active: false }), on('2026-06-14', { active: true })), 'passed'],
    ['disabling after it', change(on('2026-06-14', { active: true }), on('2026-06-14', { active: false })), undefined],
    [
      'other shares of variants after it',
      change(on('2026-06-14', { filters: shares(50, 50) }), on('2026-06-14', { filters: shares(90, 10) })),
      'passed',
    ],
    ['a description after it', change(on('2026-06-14'), on('2026-06-14', { name: 'x' })), undefined],
    ['a later last day', change(on('2026-06-14'), on('2026-09-13')), undefined],
    ['one too far', change(on('2026-06-14'), on('2026-09-14')), 'too_far'],
    ['an old one that is too far', change(on('2030-01-01'), on('2030-01-01', { name: 'x' })), undefined],
    ['none of the calendar', created(on('2026-02-30')), 'invalid'],
    ['a new flag whose last day has passed', created(on('2026-01-01')), 'passed'],
    ['the tag with the prefix, not the first one', created({ tags: ['area:growth', 'expires:2026-01-01'] }), 'passed'],
    [
      'restoring after it',
      {
        live: [liveFlag(1, 'a', { ...on('2026-06-14'), deleted: true })],
        desired: [declared('a', { ...on('2026-06-14'), active: true })],
      },
      'passed',
    ],
  ])('judges %s', (_, given, problem) => {
    const told = facts(rule, given).map((one) => 'problem' in one && one.problem);
    expect(told).toEqual(problem === undefined ? [] : [problem]);
  });
});

describe('no-direct-production', () => {
  const staging = (fields: JsonObject | undefined): Partial<PolicyContext> => ({
    declared: new Map([['staging', new Map(fields === undefined ? [] : [['a', fields]])]]),
  });
  const values = policy('no-direct-production', { first: 'staging', what: 'value' });
  const at = (percentage: number): JsonObject => groups({ properties: [US], rollout_percentage: percentage });
  const told = (rule: Policy, given: Case): unknown[] =>
    facts(rule, given).map((one) => (one.what === 'no-direct-production' ? [one.problem, ...one.paths] : []));

  it('asks for the flag', () => {
    const flag = policy('no-direct-production', { first: 'staging', what: 'flag' });
    expect(told(flag, { ...created(at(5)), around: staging(undefined) })).toEqual([['flag']]);
    expect(told(flag, { ...created(at(5)), around: staging({}) })).toEqual([]);
  });

  it('asks for each value, wherever the condition is', () => {
    const there = { active: true, ...groups({ properties: [] }, { properties: [US], rollout_percentage: 50 }) };
    expect(told(values, { ...change(at(5), at(50)), around: staging(there) })).toEqual([]);
    expect(told(values, { ...change(at(5), at(60)), around: staging(there) })).toEqual([
      ['values', '/filters/groups/0/rollout_percentage'],
    ]);
    expect(told(values, { ...change({ active: false }, { active: true }), around: staging(there) })).toEqual([]);
  });

  const asks = (...properties: readonly JsonObject[]): JsonObject => groups({ properties, rollout_percentage: 50 });
  const PRO = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };
  const two = groups({ properties: [US], rollout_percentage: 50 }, { properties: [PRO], rollout_percentage: 50 });

  it.each<[string, JsonObject, JsonObject, JsonObject, readonly string[] | undefined]>([
    ['no properties any more', asks(US), asks(), asks(US), ['/filters/groups/0/properties']],
    ['no properties, as there', asks(US), asks(), asks(), undefined],
    ['a property less', asks(US, PRO), asks(US), asks(US, PRO), ['/filters/groups/0/properties']],
    ['a property less, as there', asks(US, PRO), asks(US), asks(US), undefined],
    [
      'no percentage any more',
      asks(US),
      groups({ properties: [US] }),
      asks(US),
      ['/filters/groups/0/rollout_percentage'],
    ],
    ['no percentage, as there', asks(US), groups({ properties: [US] }), groups({ properties: [US] }), undefined],
    ['a condition less', two, asks(US), two, ['/filters/groups/1']],
    ['a condition less, as there', two, asks(US), asks(US), undefined],
    ['no conditions', asks(US), groups(), asks(US), ['/filters/groups/0']],
    ['a condition more', asks(US), two, asks(US), ['/filters/groups/1']],
    ['a condition more, as there', asks(US), two, two, undefined],
    [
      'no holdout any more',
      { filters: { groups: [{}], holdout: holdout(20) } },
      { filters: { groups: [{}], holdout: null } },
      { filters: { groups: [{}], holdout: holdout(20) } },
      ['/filters/holdout'],
    ],
    [
      'people in place of groups',
      groups({ properties: [US], aggregation_group_type_index: 0 }),
      groups({ properties: [US] }),
      groups({ properties: [US], aggregation_group_type_index: 0 }),
      ['/filters/groups/0/aggregation_group_type_index'],
    ],
    [
      'another order that matters',
      { filters: { groups: [{ properties: [US] }, { properties: [PRO] }], early_exit: true } },
      { filters: { groups: [{ properties: [PRO] }, { properties: [US] }], early_exit: true } },
      { filters: { groups: [{ properties: [US] }, { properties: [PRO] }], early_exit: true } },
      ['/filters/groups'],
    ],
    [
      'another order that matters to nobody',
      groups({ properties: [US] }, { properties: [PRO] }),
      groups({ properties: [PRO] }, { properties: [US] }),
      groups({ properties: [US] }, { properties: [PRO] }),
      undefined,
    ],
  ])('asks for what is gone as well: %s', (_, before, after, there, paths) => {
    const found = told(values, { ...change(before, after), around: staging(canonicalFlag(there)) });
    expect(found).toEqual(paths === undefined ? [] : [['values', ...paths]]);
  });

  it('asks a new flag for all its conditions', () => {
    expect(told(values, { ...created({ active: true, ...two }), around: staging({ active: true, ...two }) })).toEqual(
      [],
    );
    expect(
      told(values, { ...created({ active: true, ...two }), around: staging({ active: true, ...asks(US) }) }),
    ).toEqual([['values', '/filters/groups/1']]);
  });

  it('asks each flag that has one of the names', () => {
    const renamed = {
      live: [liveFlag(1, 'a', at(5))],
      desired: [declared('b', at(90), { previousKeys: ['a'] })],
    };
    const both = new Map([
      ['a', canonicalFlag(at(5))],
      ['b', canonicalFlag(at(90))],
    ]);
    expect(told(values, { ...renamed, around: { declared: new Map([['staging', both]]) } })).toEqual([
      ['values', '/filters/groups/0/rollout_percentage'],
    ]);
    both.delete('a');
    expect(told(values, { ...renamed, around: { declared: new Map([['staging', both]]) } })).toEqual([]);
  });

  it('does not ask for what nobody is evaluated by, nor before a delete', () => {
    expect(told(values, { ...change({ name: 'x' }, { name: 'y' }), around: staging({ name: 'x' }) })).toEqual([]);
    expect(told(values, { live: [liveFlag(1, 'a')], desired: [retired('a')], around: staging(undefined) })).toEqual([]);
  });

  it('says that nothing tells what the other project declared', () => {
    expect(told(values, change(at(5), at(50)))).toEqual([['unknown']]);
  });
});

describe('experiment-running', () => {
  const rule = policy('experiment-running', {});
  const around = { experiments: new Map([['a', [{ id: 7, name: 'Checkout', is_running: true }]]]) };
  const halves = (first: number): JsonObject => ({
    groups: [{}],
    multivariate: {
      variants: [
        { key: 'x', rollout_percentage: first },
        { key: 'y', rollout_percentage: 100 - first },
      ],
    },
  });

  it.each<[string, Case, number]>([
    ['a change of its people', change({ active: true }, { active: false }), 1],
    ['a description', change({ name: 'x' }, { name: 'y' }), 0],
    ['a delete', { live: [liveFlag(1, 'a')], desired: [retired('a')] }, 1],
    ['a rename', { live: [liveFlag(1, 'a')], desired: [declared('b', {}, { previousKeys: ['a'] })] }, 1],
    ['another flag', { desired: [declared('b')] }, 0],
    ['people who turn on', change({ active: false }, { active: true }), 1],
    [
      'another payload',
      change(
        { filters: { groups: [{}], payloads: { true: '1' } } },
        { filters: { groups: [{}], payloads: { true: '2' } } },
      ),
      1,
    ],
    ['other shares of its variants', change({ filters: halves(50) }, { filters: halves(90) }), 1],
  ])('judges %s', (_, given, amount) => {
    expect(facts(rule, { ...given, around })).toHaveLength(amount);
  });

  it('says which experiments run, by name where they have one', () => {
    const two = new Map([['a', [...(around.experiments.get('a') ?? []), { id: 8, name: null, is_running: true }]]]);
    const told = facts(rule, { ...change({ active: true }, { active: false }), around: { experiments: two } });
    expect(told).toEqual([{ what: 'experiment-running', experiments: [{ id: 7, name: 'Checkout' }, { id: 8 }] }]);
  });

  it('finds nothing where nothing live was read', () => {
    expect(facts(rule, change({ active: true }, { active: false }))).toEqual([]);
  });
});

describe('judge', () => {
  const rule = policy('max-widen', { points: 25 });
  const edit = {
    live: [liveFlag(1, 'a', { active: false })],
    desired: [declared('a', { active: true }), declared('b', groups({}))],
  };

  it('names the rule, the change, the line and the policy', () => {
    expect(found(rule, edit).find(({ key }) => key === 'a')).toEqual({
      rule: 'max-widen',
      level: 'error',
      resource: 'flag',
      key: 'a',
      ref: 'flag:a',
      facts: { what: 'max-widen', points: 100, limit: 25, exact: true },
      place: { file: 'flags/test.yaml', line: 1, column: 1 },
      policy: SOURCE,
    });
  });

  it('applies policies to the projects and keys that they name', () => {
    const keys = (changed: Partial<Policy>): string[] =>
      found({ ...rule, ...changed } as Policy, edit)
        .map(({ key }) => key)
        .toSorted();
    expect(keys({})).toEqual(['a', 'b']);
    expect(keys({ keys: ['b*'] })).toEqual(['b']);
    expect(keys({ projects: ['staging'] })).toEqual([]);
    expect(keys({ projects: ['staging', 'production'] })).toEqual(['a', 'b']);
  });

  describe('rules about a name hold for whoever has or had it', () => {
    const base = (desired: DesiredState): { readonly base: Base } => ({
      base: { facts: { kind: 'commit', commit: 'c'.repeat(40), from: 'option' }, desired },
    });
    const wider = groups({ rollout_percentage: 90 });
    const narrow = groups({ rollout_percentage: 10 });
    const vips = (alias: string, name: string, previous: readonly string[], value: string): DesiredState => ({
      flags: [],
      cohorts: [
        {
          kind: 'declared',
          key: alias,
          previousKeys: [],
          names: [name, ...previous],
          fields: { name, filters: { properties: { type: 'AND', values: [{ key: 'plan', value, type: 'person' }] } } },
          places: { place: SOURCE },
        },
      ],
    });
    const live = {
      id: 7,
      name: 'Vips',
      filters: vips('x', 'x', [], 'a').cohorts?.flatMap((one) =>
        one.kind === 'declared' ? [one.fields['filters']] : [],
      )[0],
    };
    const liveCohorts = { flags: [], roleAccess: {}, cohorts: [live] } as unknown as LiveState;

    it.each<[string, Plan, string, string]>([
      [
        'a flag that is renamed',
        buildPlan(
          desiredState(declared('new', wider, { previousKeys: ['old'] })),
          liveState([liveFlag(1, 'old', narrow)]),
        ),
        'old',
        'new',
      ],
      [
        'a flag that was renamed',
        buildPlan(
          desiredState(declared('new', wider, { previousKeys: ['old'] })),
          liveState([liveFlag(1, 'new', narrow)]),
        ),
        'old',
        'new',
      ],
      [
        'a flag whose previous key the change removes',
        buildPlan(
          desiredState(declared('new', wider)),
          liveState([liveFlag(1, 'new', narrow)]),
          base(desiredState(declared('new', narrow, { previousKeys: ['old'] }))),
        ),
        'old',
        'new',
      ],
      [
        'a flag that is renamed a second time',
        buildPlan(
          desiredState(declared('new', wider, { previousKeys: ['middle'] })),
          liveState([liveFlag(1, 'middle', narrow)]),
          base(desiredState(declared('middle', narrow, { previousKeys: ['old'] }))),
        ),
        'old',
        'new',
      ],
      [
        'the role access of a flag that is renamed',
        buildPlan(
          desiredState(declared('new', {}, { previousKeys: ['old'], roles: ['r'] })),
          liveState([liveFlag(1, 'old')], { 1: [] }),
        ),
        'old',
        'new',
      ],
      [
        'a cohort with another alias',
        buildPlan(vips('new', 'Vips', [], 'b'), liveCohorts, base(vips('old', 'Vips', [], 'a'))),
        'cohort:old',
        'cohort:new',
      ],
      [
        'a cohort with another alias and name',
        buildPlan(vips('new', 'New', ['Vips'], 'b'), liveCohorts, base(vips('old', 'Vips', [], 'a'))),
        'cohort:old',
        'cohort:new',
      ],
      [
        'a cohort with another name',
        buildPlan(vips('new', 'New', ['Vips'], 'b'), liveCohorts),
        'cohort:Vips',
        'cohort:new',
      ],
    ])('%s', (_, plan, old, name) => {
      const freeze = { kind: 'dates', from: '2026-01-01', to: '2027-01-01', zone: 'UTC' } as const;
      const frozen = policy('freeze', { deny: [freeze], except: [] });
      const own = { rule: 'own', name: 'mine', when: 'true', message: 'x', whenSource: SOURCE } as const;
      for (const one of [frozen, { ...own, level: 'error', source: SOURCE } as Policy]) {
        const amounts = [undefined, [old], [name], [`${old.slice(0, -1)}?`]].map(
          (keys) => judge([{ ...one, ...(keys && { keys }) }], plan, AROUND).length,
        );
        expect(amounts[0]).toBeGreaterThan(0);
        expect(new Set(amounts).size, JSON.stringify(amounts)).toBe(1);
        expect(judge([{ ...one, keys: ['other', 'cohort:other'] }], plan, AROUND)).toEqual([]);
      }
      expect(
        judge([{ ...frozen, keys: [old] }], parsePlanDocument(stringifyJson(planDocument(plan))), AROUND),
      ).not.toEqual([]);
    });

    it('asks own rules about the key that people know, and about the new one', () => {
      const plan = buildPlan(
        desiredState(declared('new', wider, { previousKeys: ['old', 'older'] })),
        liveState([liveFlag(1, 'old', narrow)]),
      );
      const asks = (when: string): number =>
        judge(
          [{ rule: 'own', level: 'error', source: SOURCE, name: 'mine', when, message: 'x', whenSource: SOURCE }],
          plan,
          AROUND,
        ).length;
      const whens = [
        'change.key == "old"',
        'change.key == "new"',
        'change.key == "older"',
        '"older" in change.keys',
        'size(change.keys) == 3',
      ];
      expect(whens.map(asks)).toEqual([1, 1, 0, 1, 1]);
    });
  });
});
