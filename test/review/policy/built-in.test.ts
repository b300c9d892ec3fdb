import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { isDefinition } from '../../../src/base/schema.ts';
import type { Wording } from '../../../src/review/policy/basis/policy-kind.ts';
import { POLICIES, policyKindOf, type BuiltInRule } from '../../../src/review/policy/built-in.ts';
import { OWN } from '../../../src/review/policy/rules/own.ts';
import { readSchema } from '../../helpers/published-schema.ts';

const RULES = Object.keys(POLICIES) as BuiltInRule[];

test('every file of rules is a policy, but for that of own rules', () => {
  const files = readdirSync('src/review/policy/rules').map((file) => file.replace(/\.ts$/, ''));
  expect(files.toSorted()).toEqual([...RULES, 'own'].toSorted());
});

describe.each(RULES)('%s', (rule) => {
  const kind = policyKindOf(rule);
  const options = Object.keys(kind.schema).map((name) => name.replace(/\?$/, ''));

  it('finds facts that name it', () => {
    const names = kind.facts.map(({ properties }) => (properties as { what: { const: string } }).what.const);
    expect(new Set(names)).toEqual(new Set([rule]));
  });

  it('checks only options that it has', () => {
    expect(options).toEqual(expect.arrayContaining(Object.keys(kind.contents ?? {})));
  });

  it('is in the schema of the configuration with its options, after those of every policy', () => {
    const name = `${rule.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Policy`;
    const { properties, description } = readSchema('config').$defs[name];
    expect(Object.keys(properties)).toEqual(['rule', 'level', 'projects', 'keys', ...options]);
    expect(description).toBe(kind.description);
  });

  it('has a section in docs/policies.md with an item for each option', () => {
    const [, section = ''] = readFileSync('docs/policies.md', 'utf8').split(`\n### ${rule}\n`);
    const items = section.split(/\n##/)[0]?.matchAll(/^- `(\w+)`:/gm) ?? [];
    expect([...items].map(([, name]) => name)).toEqual(expect.arrayContaining(options));
  });
});

test('an option that is checked as globs or times has their schema', () => {
  expect(RULES.flatMap((rule) => Object.entries(policyKindOf(rule).contents ?? {})).length).toBeGreaterThan(3);
  for (const rule of RULES) {
    const { schema, contents = {} } = policyKindOf(rule);
    for (const [option, content] of Object.entries(contents)) {
      const found = (schema[option] ?? schema[`${option}?`]) as { readonly $ref?: unknown };
      expect([rule, option, isDefinition(found.$ref)]).toEqual([rule, option, content !== 'project']);
    }
  }
});

test('every option with the schema of globs or times is checked as such', () => {
  for (const rule of RULES) {
    const { schema, contents = {} } = policyKindOf(rule);
    const shared = Object.entries(schema).filter(([, one]) => isDefinition((one as { readonly $ref?: unknown }).$ref));
    const checked = shared.map(([name]) => name.replace(/\?$/, ''));
    expect([rule, Object.keys(contents)]).toEqual([rule, expect.arrayContaining(checked)]);
  }
});

test('no-direct-production compares with the project that it names', () => {
  expect(POLICIES['no-direct-production'].comparesWith?.({ first: 'staging', what: 'flag' })).toBe('staging');
});

const WORDING: Wording = {
  resource: 'flag',
  quote: (text) => text,
  names: (names) => names.join(),
  count: (number, one) => `${number} ${one}`,
};

test.each<[string, string, readonly string[]]>([
  [
    'the days of a freeze',
    POLICIES.freeze.text(
      {
        what: 'freeze',
        denied: true,
        window: { kind: 'dates', from: '2026-12-20', to: '2027-01-03', zone: 'Europe/Berlin' },
        local: 'mon 2026-12-21 11:00',
      },
      WORDING,
    ),
    ['2026-12-20', '2027-01-03', 'Europe/Berlin', 'mon 2026-12-21 11:00'],
  ],
  [
    'the weekdays of a freeze',
    POLICIES.freeze.text(
      {
        what: 'freeze',
        denied: false,
        window: { kind: 'weekly', days: ['mon', 'tue'], from: '08:00', to: '16:00', zone: 'UTC' },
        local: 'fri 2026-12-25 17:03',
      },
      WORDING,
    ),
    ['mon, tue', '08:00', '16:00', 'UTC', 'fri 2026-12-25 17:03'],
  ],
  [
    'the number of the changes that an own rule did not judge, beside the first of them',
    OWN.text({ what: 'own_exhausted', judged: 2, changes: 5 }, WORDING),
    ['2 other change'],
  ],
  [
    'the points and the limit of max-widen, and that they are a bound',
    POLICIES['max-widen'].text({ what: 'max-widen', points: 60, limit: 25, exact: false, flags: ['b', 'c'] }, WORDING),
    ['b,c', 'up to 60%', '25%'],
  ],
  [
    'the values that the other project lacks',
    POLICIES['no-direct-production'].text(
      { what: 'no-direct-production', first: 'staging', problem: 'values', paths: ['/active'] },
      WORDING,
    ),
    ['staging', 'active'],
  ],
])('a sentence has %s', (_, text, facts) => {
  for (const fact of facts) expect(text).toContain(fact);
});

/** What the rest of flagwright asks a policy for. */
const ASKED = ['asksWidening', 'comparesWith', 'asksLiveState', 'judgesNames', 'concerns', 'stillHolds'] as const;

const ASKED_OF: Readonly<Record<BuiltInRule, readonly (typeof ASKED)[number][]>> = {
  'max-widen': ['asksWidening', 'concerns', 'stillHolds'],
  freeze: [],
  require: [],
  naming: ['judgesNames'],
  'no-personal-data': [],
  expires: [],
  'no-direct-production': ['comparesWith'],
  soaked: ['asksLiveState'],
  'experiment-running': ['asksLiveState', 'stillHolds'],
};

test.each(Object.keys(ASKED_OF) as BuiltInRule[])('what is asked of %s', (rule) => {
  expect(ASKED.filter((name) => policyKindOf(rule)[name] !== undefined)).toEqual(ASKED_OF[rule]);
});

test('what a saved plan recorded of max-widen holds while one of the policies of now allows less', () => {
  const holds = (points: number, ...limits: readonly number[]): boolean | undefined =>
    POLICIES['max-widen'].stillHolds?.(
      { what: 'max-widen', points, limit: 10, exact: false, flags: ['b'] },
      limits.map((limit) => ({ points: limit })),
    );
  expect([holds(25, 24), holds(25, 25), holds(25, 90, 24), holds(25)]).toEqual([true, false, true, false]);
});

test('what a saved plan recorded of experiment-running holds', () => {
  expect(POLICIES['experiment-running'].stillHolds?.({ what: 'experiment-running', experiments: [] }, [])).toBe(true);
});

const BERLIN = { zone: 'Europe/Berlin' } as const;

const OPTIONS: readonly (readonly [BuiltInRule, object, object])[] = [
  ['max-widen', { points: 25 }, { points: 25 }],
  ['require', {}, { description: false, tags: [] }],
  ['require', { description: true, tags: ['owner:*'] }, { description: true, tags: ['owner:*'] }],
  ['naming', { patterns: ['shop-*'] }, { patterns: ['shop-*'] }],
  ['no-personal-data', {}, { allow: [] }],
  ['no-personal-data', { allow: ['*@example.com'] }, { allow: ['*@example.com'] }],
  ['expires', {}, { tag: 'expires:' }],
  ['expires', { tag: 'until:', max_days: 90 }, { tag: 'until:', maxDays: 90 }],
  ['no-direct-production', { first: 'staging' }, { first: 'staging', what: 'value' }],
  ['no-direct-production', { first: 'staging', what: 'flag' }, { first: 'staging', what: 'flag' }],
  ['soaked', { in: 'staging', for: '3d' }, { in: 'staging', for: '3d' }],
  ['experiment-running', {}, {}],
  [
    'freeze',
    { deny: [{ from: '2026-12-20', to: '2027-01-03', ...BERLIN }] },
    { deny: [{ kind: 'dates', from: '2026-12-20', to: '2027-01-03', ...BERLIN }], except: [] },
  ],
  [
    'freeze',
    {
      allow: [
        { days: ['mon'], ...BERLIN },
        { days: ['fri'], from: '08:00', to: '12:00', ...BERLIN },
      ],
      except: ['kill'],
    },
    {
      deny: [],
      allow: [
        { kind: 'weekly', days: ['mon'], from: '00:00', to: '24:00', ...BERLIN },
        { kind: 'weekly', days: ['fri'], from: '08:00', to: '12:00', ...BERLIN },
      ],
      except: ['kill'],
    },
  ],
];

test('every policy has its options below', () => {
  expect(new Set(OPTIONS.map(([rule]) => rule))).toEqual(new Set(Object.keys(POLICIES)));
});

test.each(OPTIONS)('the options of %s are read, with what absent ones mean: %j', (rule, written, options) => {
  expect(policyKindOf(rule).read(written)).toEqual(options);
});
