import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Facts, Finding } from '../../../src/policy/finding.ts';
import { judge } from '../../../src/policy/judging/judge.ts';
import type { Surroundings } from '../../../src/policy/judged.ts';
import type { BuiltInPolicy, BuiltInRule, Policy, PolicyFor } from '../../../src/policy/policy.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import type { DesiredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Base } from '../../../src/posthog/base.ts';
import { planDocument } from '../../../src/posthog/plan-document.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { parsePlanDocument } from '../../../src/posthog/saved-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const SOURCE = { file: 'flagwright.yaml', line: 9, column: 7 };
const DAY = Date.parse('2026-06-15T10:00:00Z');
const AROUND: Surroundings = { project: 'production', now: DAY };

type Options<Rule extends BuiltInRule> = Omit<PolicyFor<Rule>, 'rule' | 'level' | 'source'>;

function policy<Rule extends BuiltInRule>(rule: Rule, options: Options<Rule>): Policy {
  return { rule, level: 'error', source: SOURCE, ...options } as BuiltInPolicy;
}

interface Case {
  readonly live?: readonly Flag[];
  readonly desired: readonly DesiredFlag[];
  readonly around?: Partial<Surroundings>;
}

function found(rule: Policy, { live = [], desired, around = {} }: Case): Finding[] {
  const plan = buildPlan(desiredState(...desired), liveState(live), planOptions());
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
const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const email = (value: string | readonly string[]): JsonObject =>
  groups({ properties: [{ key: 'email', type: 'person', operator: 'exact', value }] });

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
    ['a description', change({ name: 'x' }, { name: 'y' }), undefined],
    ['disabling', change({ active: true }, { active: false }), undefined],
  ])('judges %s', (_, given, expected) => {
    const { points, exact } = expected ?? {};
    expect(facts(most25, given)).toEqual(
      expected === undefined ? [] : [{ what: 'max-widen', points, limit: 25, exact }],
    );
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
  const at = (moment: string): Partial<Surroundings> => ({ now: Date.parse(moment) });

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
    ['a delete', { live: [liveFlag(1, 'a', full)], desired: [retired('a')] }, []],
  ])('judges %s', (_, given, missing) => {
    const told = facts(rule, given).flatMap((one) =>
      one.what === 'require' ? [one.missing === 'tag' ? one.pattern : one.missing] : [],
    );
    expect(told).toEqual(missing);
  });
});

describe('naming', () => {
  const rule = policy('naming', { patterns: ['shop-*', 'ops-?'] });

  it.each<[string, Case, number]>([
    ['a new key that matches', { desired: [declared('shop-x')] }, 0],
    ['a new key that does not', { desired: [declared('shopx')] }, 1],
    ['an old key', change({ active: true }, { active: false }), 0],
    ['a rename', { live: [liveFlag(1, 'b')], desired: [declared('c', {}, { previousKeys: ['b'] })] }, 1],
  ])('judges %s', (_, given, amount) => {
    expect(facts(rule, given)).toHaveLength(amount);
  });
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

  it('never holds the data, and names the condition', () => {
    const told = found(rule, change(email('US'), email(['ann@corp.test', 'bob@corp.test'])));
    expect(told[0]?.facts).toEqual({ what: 'no-personal-data', data: 'email', amount: 2, condition: 1 });
    expect(JSON.stringify(told)).not.toContain('corp.test');
  });

  it('does not find what was there before', () => {
    const both = email(['ann@corp.test']);
    expect(facts(rule, change({ ...both, active: true }, { ...both, active: false }))).toEqual([]);
  });

  it('takes time in proportion to the length of a hostile text', () => {
    const texts = ['@'.repeat(200_000), 'a@'.repeat(100_000), `a@${'a.'.repeat(100_000)}`, '+1'.repeat(100_000)];
    for (const text of texts) facts(rule, created(email(text)));
  });
});

describe('expires', () => {
  const rule = policy('expires', { tag: 'expires:', maxDays: 90 });
  const on = (date: string, more: JsonObject = {}): JsonObject => ({ tags: [`expires:${date}`], ...more });

  it.each<[string, Case, string | undefined]>([
    ['a flag without a last day', change({}, { active: false }), undefined],
    [
      'widening on the last day',
      change(on('2026-06-15', { active: false }), on('2026-06-15', { active: true })),
      undefined,
    ],
    ['widening after it', change(on('2026-06-14', { active: false }), on('2026-06-14', { active: true })), 'passed'],
    ['disabling after it', change(on('2026-06-14', { active: true }), on('2026-06-14', { active: false })), undefined],
    ['a description after it', change(on('2026-06-14'), on('2026-06-14', { name: 'x' })), undefined],
    ['a later last day', change(on('2026-06-14'), on('2026-09-13')), undefined],
    ['one too far', change(on('2026-06-14'), on('2026-09-14')), 'too_far'],
    ['an old one that is too far', change(on('2030-01-01'), on('2030-01-01', { name: 'x' })), undefined],
    ['none of the calendar', created(on('2026-02-30')), 'invalid'],
    ['a new flag whose last day has passed', created(on('2026-01-01')), 'passed'],
  ])('judges %s', (_, given, problem) => {
    const told = facts(rule, given).map((one) => 'problem' in one && one.problem);
    expect(told).toEqual(problem === undefined ? [] : [problem]);
  });
});

describe('no-direct-production', () => {
  const staging = (fields: JsonObject | undefined): Partial<Surroundings> => ({
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

  it.each<[string, Case, number]>([
    ['a change of its people', change({ active: true }, { active: false }), 1],
    ['a description', change({ name: 'x' }, { name: 'y' }), 0],
    ['a delete', { live: [liveFlag(1, 'a')], desired: [retired('a')] }, 1],
    ['a rename', { live: [liveFlag(1, 'a')], desired: [declared('b', {}, { previousKeys: ['a'] })] }, 1],
    ['another flag', { desired: [declared('b')] }, 0],
  ])('judges %s', (_, given, amount) => {
    expect(facts(rule, { ...given, around })).toHaveLength(amount);
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
