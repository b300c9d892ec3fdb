/**
 * Flags of any form, live and declared, through everything that says what a change does: effects, policies, impact, named people,
 * tests, snapshots, and every format of their reports. Nothing throws but a refusal, and nothing prints a value that is none.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import { stringifyJson } from '../../src/base/json-text.ts';
import { findEffects } from '../../src/review/effects/find-effects.ts';
import { createComparison, type ChangedAnswers } from '../../src/review/expectations/compare-answers.ts';
import { judge as judgeTests } from '../../src/review/expectations/judge.ts';
import { findImpact } from '../../src/review/impact/find-impact.ts';
import type { Impact } from '../../src/review/effects/impact.ts';
import { countPersons } from '../../src/review/impact/persons/count-persons.ts';
import { readPersons } from '../../src/review/impact/persons/read-persons.ts';
import type { Finding } from '../../src/review/policy/finding.ts';
import { judge } from '../../src/review/policy/judge.ts';
import type { BuiltInPolicy, BuiltInRule, Policy, PolicyFor } from '../../src/review/policy/built-in.ts';
import { readFlag, UnexpectedShape } from '../../src/posthog/client/shape.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { disclose, snapshotDocument } from '../../src/posthog/snapshot-file/document.ts';
import { parseSnapshot, selectLive } from '../../src/posthog/snapshot-file/parse.ts';
import { selectionOf } from '../../src/posthog/live-selection.ts';
import { FORMATS, render, RENDERERS } from '../../src/report/formats/render.ts';
import type { Report } from '../../src/report/report.ts';
import { PROJECT, suiteOf } from '../review/expectations/support.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../helpers/states.ts';
import { VIEW } from '../report/samples.ts';
import { mutated } from './arbitraries.ts';
import { expectHarmless, HOSTILE, withoutAnnotations } from './hostile.ts';

const FILTERS: JsonObject = {
  groups: [
    {
      properties: [
        { key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' },
        { key: 'seats', type: 'person', operator: 'between', value: [1, 5] },
        { key: 'since', type: 'person', operator: 'is_date_after', value: '-7d' },
        { key: 'version', operator: 'semver_caret', value: '1.2.3' },
        { key: 'name', type: 'person', operator: 'regex', value: '^(a|b)+$' },
      ],
      rollout_percentage: 50,
    },
    { properties: [{ key: '2', type: 'flag', operator: 'flag_evaluates_to', value: true }], variant: 'a' },
    { properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 7 }], aggregation_group_type_index: null },
    { properties: [{ key: 'plan', type: 'group', group_type_index: 0, operator: 'exact', value: ['pro'] }] },
  ],
  multivariate: {
    variants: [
      { key: 'a', rollout_percentage: 50 },
      { key: 'b', rollout_percentage: 50, name: 'B' },
    ],
  },
  payloads: { a: { color: 'red' } },
  aggregation_group_type_index: null,
  super_groups: [{ properties: [{ key: 'beta', type: 'person', operator: 'exact', value: 'true' }] }],
  holdout: { id: 3, exclusion_percentage: 10 },
  early_exit: false,
};

const LIVE: JsonObject = {
  ...liveFlag(1, 'checkout', { filters: FILTERS as never, tags: ['expires:2026-12-31', 'team:growth'] }),
  experiment_set: [3],
  experiment_set_metadata: [{ id: 3, name: 'Basket', is_running: true }],
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
};

const HELP: JsonObject = { ...liveFlag(2, 'help', { filters: { groups: [{ rollout_percentage: 30 }] } }) };

/** What git may want of the flag, whatever is live. */
const WISHES: readonly DesiredState[] = [
  desiredState(
    declared('checkout', {
      name: 'x',
      active: false,
      tags: [],
      ensure_experience_continuity: true,
      filters: { groups: [{ rollout_percentage: 1 }], multivariate: null, payloads: null },
    }),
    declared('help', { filters: { groups: [{ rollout_percentage: 100 }] } }),
  ),
  desiredState(declared('checkout', { active: true }), declared('help', { filters: { groups: [{}] } })),
  desiredState({ ...declared('pay', { filters: FILTERS }), previousKeys: ['checkout'] }, retired('help')),
  desiredState(retired('checkout'), declared('new', { filters: FILTERS })),
];

const source = { file: 'flagwright.yaml', line: 1, column: 1 };
const own = (name: string, when: string): Policy => ({
  rule: 'own',
  level: 'warning',
  source,
  whenSource: source,
  message: 'found',
  name,
  when,
});
/** Options of every policy. */
const BUILT_IN: { readonly [Rule in BuiltInRule]: Omit<PolicyFor<Rule>, 'rule' | 'level' | 'source'> } = {
  'max-widen': { points: 0 },
  freeze: { deny: [{ kind: 'dates', from: '2026-01-01', to: '2027-01-01', zone: 'UTC' }], except: [] },
  require: { description: true, tags: ['team:*'] },
  naming: { patterns: ['never-*'] },
  'no-personal-data': { allow: [] },
  expires: { tag: 'expires:', maxDays: 3 },
  'no-direct-production': { first: 'staging', what: 'value' },
  soaked: { in: 'staging', for: '3d' },
  'experiment-running': {},
};

const POLICIES: readonly Policy[] = [
  ...Object.entries(BUILT_IN).map(
    ([rule, options]) => ({ rule, level: 'error', source, ...options }) as unknown as BuiltInPolicy,
  ),
  own('all', 'change.widens >= 0.0'),
  own('effects', 'change.effects.all(e, e.points >= -100.0 && e.points <= 100.0 && e.condition >= 0)'),
  own(
    'sides',
    '[before, after].all(f, f.conditions.all(c, c.rollout >= 0.0 && c.rollout <= 100.0 && c.variant.size() >= 0))',
  ),
  own('variants', 'after.variants.all(v, v.rollout >= 0.0 && v.rollout <= 100.0 && v.key.size() >= 0)'),
  own(
    'properties',
    'after.conditions.all(c, c.properties.all(p, p.key.size() >= 0 && p.values.all(v, v.size() >= 0)))',
  ),
  own(
    'texts',
    'after.tags.all(t, t.size() >= 0) && after.payloads.all(p, p.size() >= 0) && change.experiments.all(x, x.size() > 0)',
  ),
];

const NOW = Date.parse('2026-03-01T12:00:00Z');
const TESTS = `people:
  Ann: { id: a, properties: { email: ann@acme.com, seats: 3, beta: true }, groups: { "0": { key: acme, properties: { plan: pro } } }, cohorts: [7] }
  Bob: {}
expect:
  - { person: [Ann, Bob], flags: { checkout: true, help: false } }
`;
const SUITE = suiteOf(TESTS);
const PERSONS = [
  '{"distinct_id":"a","properties":{"email":"ann@acme.com","seats":3},"groups":{"0":"acme"},"cohorts":[7]}',
  '{"distinct_id":"b"}',
  '{"distinct_id":"a"}',
  '{"id":""}',
  'no JSON',
].join('\n');

test('live flags of any form are judged, measured and reported', async () => {
  await holdsAsync(25, [mutated(LIVE), mutated(HELP), fc.nat(WISHES.length - 1)], async (one, other, wish) => {
    const flags = [...believed(one, LIVE), ...believed(other, HELP)];
    await expectSurvived(WISHES[wish] as DesiredState, flags);
  });
}, 1_800_000);

const MANIFEST: JsonObject = {
  flags: {
    checkout: {
      description: 'x',
      active: true,
      tags: ['a'],
      filters: {
        ...FILTERS,
        groups: [
          { properties: [{ key: 'email', type: 'person', operator: 'exact', value: ['ann@acme.com'] }] },
          { properties: [{ key: 'help', type: 'flag', operator: 'flag_evaluates_to', value: true }], variant: 'a' },
        ],
      },
    },
    help: { rollout_percentage: 10, fields: { evaluation_runtime: 'all' } },
  },
};

test('manifests of any form are judged, tested and reported', async () => {
  await holdsAsync(25, [mutated(MANIFEST)], async (manifest) => {
    const { file, diagnostics } = parseManifest('flags/a.yaml', JSON.stringify(manifest));
    const resolved = resolveManifests([file], PROJECT, ['production']);
    const found = [...diagnostics, ...resolved.diagnostics];
    if (found.some(({ severity }) => severity === 'error')) return;
    await expectTested(resolved.desired);
    await expectSurvived(resolved.desired, [LIVE as Flag, HELP as Flag]);
    await expectSurvived(resolved.desired, []);
  });
}, 1_800_000);

/** What the client accepts. */
function believed(value: JsonValue, { id, key }: JsonObject): Flag[] {
  try {
    return [readFlag({ ...(value as JsonObject), id: id ?? null, key: key ?? null })];
  } catch (error) {
    expect(error).toBeInstanceOf(UnexpectedShape);
    return [];
  }
}

async function expectSurvived(desired: DesiredState, flags: readonly Flag[]): Promise<void> {
  const live = liveState(flags);
  const plan = planFor(desired, live, { prune: true });
  for (const { effects } of findEffects(plan)) expect(effects).not.toEqual([]);
  const judgement = {
    source: { from: 'checkout', why: 'no_base' },
    findings: findingsOf(plan, flags),
    idle: [],
  } as const;
  const impact = await impactOf(plan, flags);
  const named = namedOf(plan, flags);
  await expectReported({ kind: 'plan', plan, judgement, impact, named });
  await expectReported({ kind: 'drift', plan });
  const policies = [{ project: 'production', judgement }];
  await expectReported({ kind: 'validation', files: 1, flags: 2, cohorts: 0, tests: 0, diagnostics: [], policies });
  expectKept(plan, desired, flags);
}

function findingsOf(plan: Plan, flags: readonly Flag[]): readonly Finding[] {
  const experiments = new Map(flags.map((flag) => [flag.key, flag.experiment_set_metadata ?? []]));
  const findings = judge(POLICIES, plan, { project: 'production', now: NOW, experiments });
  expect(findings.filter(({ facts }) => facts.what === 'own_failed')).toEqual([]);
  return findings;
}

async function impactOf(plan: Plan, flags: readonly Flag[]): Promise<Impact> {
  const circumstances = { generation: 'rust-2026', now: new Date(NOW) } as const;
  const planned = { changes: plan.changes, warnings: plan.warnings, live: flags };
  return countPersons(findImpact(planned, circumstances), readPersons(bytesOf(PERSONS), 'people.jsonl'), {
    planned,
    circumstances,
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function namedOf(plan: Plan, flags: readonly Flag[]): ChangedAnswers {
  const surroundings = { generation: 'rust-2026', now: NOW } as const;
  const compare = createComparison({ plan, live: { flags }, project: PROJECT, surroundings });
  const answers = [...SUITE.people.values()].flatMap(compare);
  return { people: SUITE.people.size, changed: answers.length > 0 ? 1 : 0, total: answers.length, answers };
}

async function expectTested(desired: DesiredState): Promise<void> {
  const surroundings = { generation: 'rust-2026', now: NOW } as const;
  const cases = judgeTests(SUITE.expectations, { project: PROJECT, desired, surroundings });
  await expectReported({ kind: 'test', files: 1, people: 2, projects: ['production'], cases });
}

/** A plan against a snapshot is that against the service, or the snapshot is refused before it is written. */
function expectKept(plan: Plan, desired: DesiredState, flags: readonly Flag[]): void {
  const { project } = plan;
  const live = { ...disclose(liveState(flags), desired), traces: {} };
  const written = attempt(() => snapshotDocument({ project, takenAt: '2026-03-01T12:00:00Z', roles: {}, live }));
  if (written === undefined) return;
  const snapshot = parseSnapshot(stringifyJson(written));
  const again = planFor(desired, selectLive(snapshot.live, selectionOf(desired)), { prune: true });
  expect(again.changes.map(({ ref }) => ref)).toEqual(plan.changes.map(({ ref }) => ref));
}

function attempt<Result>(make: () => Result): Result | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    expect(error.code).toBe('snapshot_invalid');
    return undefined;
  }
}

test('people of any form in files are counted or left out', async () => {
  const person: JsonObject = {
    id: 1,
    distinct_id: 'a',
    properties: { email: 'ann@acme.com', seats: 3, since: '2026-02-28' },
    groups: { '0': { key: 'acme', properties: {} } },
    cohorts: [7],
  };
  const flags = [LIVE as Flag, HELP as Flag];
  const plan = planFor(WISHES[0] as DesiredState, liveState(flags));
  const circumstances = { generation: 'rust-2026', now: new Date(NOW) } as const;
  const planned = { changes: plan.changes, warnings: plan.warnings, live: flags };
  const estimate = findImpact(planned, circumstances);
  await holdsAsync(25, [fc.array(mutated(person), { minLength: 1, maxLength: 5 })], async (persons) => {
    const counting = { planned, circumstances };
    const lines = persons.map((one) => JSON.stringify(one)).join('\n');
    const impact = await countPersons(estimate, readPersons(bytesOf(lines), 'people.jsonl'), counting);
    await expectReported({ kind: 'plan', plan, impact });
  });
}, 1_800_000);

const NO_VALUE = /\bNaN\b|\bundefined\b|\[object |Infinity/;

async function expectReported(report: Report): Promise<void> {
  for (const format of FORMATS) {
    if (RENDERERS[format].forms[report.kind] === undefined) continue;
    for (const verbose of [false, true]) {
      const rendered = await render(report, format, { ...VIEW, verbose });
      const text = RENDERERS[format].seal(rendered as string);
      const found = NO_VALUE.exec(text);
      expect(found && text.slice(Math.max(0, found.index - 80), found.index + 80), format).toBeNull();
      // A message puts a character without width where a chat would begin a link.
      const others = format === 'message' ? text.replaceAll('\u2060', '') : text;
      expectHarmless(format === 'github' ? withoutAnnotations(text) : others);
      if (format === 'json' && (report.kind === 'plan' || report.kind === 'validation' || report.kind === 'test')) {
        expect(schemaErrors(report.kind, JSON.parse(text))).toEqual([]);
      }
    }
  }
}

/** What random flags have found, and what is like it. */
test.each<[string, JsonObject]>([
  ['a percentage of which no number can be made', { groups: [{ rollout_percentage: [{ toString: 0 }] }] }],
  ['percentages beyond everybody', { groups: [{ rollout_percentage: 1e308 }, { rollout_percentage: -1e308 }] }],
  ['a percentage that no double holds', { groups: [{ rollout_percentage: 10n ** 400n }] }],
  ['an operator of which no string can be made', propertyWith({ operator: { toString: null } })],
  ['a key of which no string can be made', propertyWith({ key: [{ toString: null }] })],
  ['a cohort whose key is an object', propertyWith({ key: { toString: 0 }, type: 'cohort', value: 7 })],
  ['a flag as a condition without a key', propertyWith({ type: 'flag', key: null, operator: 'flag_evaluates_to' })],
  ['bounds of which no number can be made', propertyWith({ operator: 'between', value: [[{ toString: 0 }], 5] })],
  ['a date at the end of time', propertyWith({ operator: 'is_date_after', value: '275760-09-13' })],
  [
    'an early access of any form',
    { groups: [], super_groups: [{ properties: [{ key: { toString: 0 }, type: 'cohort' }] }] },
  ],
  ['a group type that is no number', { groups: [{}], aggregation_group_type_index: { toString: 0 } }],
  [
    'a variant whose key is a number',
    { groups: [{}], multivariate: { variants: [{ key: 0, rollout_percentage: 100 }] } },
  ],
  ['members with the names of methods', { groups: [{ toString: 1 }], hasOwnProperty: false, payloads: { valueOf: 1 } }],
  ['payloads that are a list', { groups: [{}], payloads: ['a'] }],
  [
    'texts of an attacker',
    { groups: [{ description: HOSTILE, variant: HOSTILE, properties: [{ key: HOSTILE, value: HOSTILE }] }] },
  ],
])('a live flag with %s is judged, measured and reported', async (_, filters) => {
  for (const wish of WISHES) await expectSurvived(wish, [{ ...liveFlag(1, 'checkout'), filters }]);
});

test('a declared field with the name of a method is a field like any other', async () => {
  const desired = desiredState(declared('checkout', { toString: 'x', valueOf: 'y' }));
  const live = liveFlag(1, 'checkout', { toString: 'w' });
  await expectSurvived(desired, [live]);
  const [change] = planFor(desired, liveState([live])).changes;
  expect(change).toMatchObject({ fields: [{ path: '/toString', before: 'w', after: 'x' }], body: { toString: 'x' } });
});

function propertyWith(members: JsonObject): JsonObject {
  return { groups: [{ properties: [{ key: 'email', type: 'person', operator: 'exact', value: 'x', ...members }] }] };
}
