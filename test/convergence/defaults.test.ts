/**
 * Every default that docs/manifest.md and docs/conditions.md promise, over real HTTP and in both profiles: what a manifest leaves out is sent complete,
 * and makes no difference to what it means, whichever of the two is declared and whichever is live.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import { planDocument, parsePlanDocument } from '../../src/posthog/planning/plan-document.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { sentForm } from '../../src/posthog/flag/find-changes.ts';
import { check } from '../core/manifest/check.ts';
import { planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

interface Default {
  readonly name: string;
  /** Where a page promises it. */
  readonly says: string;
  /** The members of a flag, with what has a default left out. */
  readonly omitted: string;
  /** The same written out: in each of the forms. */
  readonly written: readonly string[];
  /** Whether a flag that is live without it means something else: services of 2023 store filters as they are sent. */
  readonly differsLive?: true;
  /** What a create sends, in both cases. */
  readonly sent: JsonObject;
}

const property = (members: string, rest = ''): string =>
  `filters: { groups: [{ properties: [{ ${members} }] }]${rest} }`;
const sentProperty = (members: JsonObject): JsonObject => ({ filters: { groups: [{ properties: [members] }] } });
const groups = (members: string): string => `filters: { groups: [{ rollout_percentage: 50 }]${members} }`;
const condition = (members: string): string => `filters: { groups: [{ ${members} }] }`;

const DEFAULTS: readonly Default[] = [
  {
    name: 'the type of a property',
    says: 'The default `type` is `person`',
    omitted: property('key: plan, operator: is_not, value: pro'),
    written: [property('key: plan, type: person, operator: is_not, value: pro')],
    sent: sentProperty({ key: 'plan', type: 'person', operator: 'is_not', value: 'pro' }),
  },
  {
    name: 'the operator of a property',
    says: 'the default `operator` is `exact`',
    omitted: property('key: plan, type: person, value: [pro, team]'),
    written: [
      property('key: plan, type: person, operator: exact, value: [pro, team]'),
      property('key: plan, type: person, operator: null, value: [pro, team]'),
    ],
    sent: sentProperty({ key: 'plan', type: 'person', operator: 'exact', value: ['pro', 'team'] }),
  },
  {
    name: 'the type and the operator of a property',
    says: 'The default `type` is `person`; the default `operator` is `exact`',
    omitted: property('key: plan, value: pro'),
    written: [property('key: plan, type: person, operator: exact, value: pro')],
    sent: sentProperty({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }),
  },
  {
    name: 'the operator of a group property',
    says: 'the default `operator` is `exact`',
    omitted: property('key: name, type: group, group_type_index: 0, value: Acme', ', aggregation_group_type_index: 0'),
    written: [
      property(
        'key: name, type: group, group_type_index: 0, operator: exact, value: Acme',
        ', aggregation_group_type_index: 0',
      ),
    ],
    sent: sentProperty({ key: 'name', type: 'group', group_type_index: 0, operator: 'exact', value: 'Acme' }),
  },
  {
    name: 'the operator of a cohort',
    says: 'the default `operator` is `exact`, or `in` for a cohort',
    omitted: property('key: id, type: cohort, value: beta-testers'),
    written: [property('key: id, type: cohort, operator: in, value: 42')],
    sent: sentProperty({ key: 'id', type: 'cohort', operator: 'in', value: 42 }),
  },
  {
    name: 'the value of is_set',
    says: 'none; a value is ignored',
    omitted: property('key: plan, operator: is_set'),
    written: [
      property('key: plan, operator: is_set, value: is_set'),
      property('key: plan, operator: is_set, value: null'),
    ],
    sent: sentProperty({ key: 'plan', type: 'person', operator: 'is_set' }),
  },
  {
    name: 'the older name of an operator',
    says: '(`min`, `max`)',
    omitted: property('key: seats, operator: min, value: "5"'),
    written: [property('key: seats, operator: gte, value: "5"')],
    sent: sentProperty({ key: 'seats', type: 'person', value: '5' }),
  },
  {
    name: 'the rollout of a condition',
    says: '(default 100)',
    omitted: property('key: plan, value: pro'),
    written: [
      condition('properties: [{ key: plan, value: pro }], rollout_percentage: 100'),
      condition('properties: [{ key: plan, value: pro }], rollout_percentage: null'),
    ],
    sent: sentProperty({ key: 'plan' }),
  },
  {
    name: 'the properties of a condition',
    says: 'one condition without properties',
    omitted: condition('rollout_percentage: 10'),
    written: [
      condition('rollout_percentage: 10, properties: []'),
      condition('rollout_percentage: 10, properties: null'),
      'rollout_percentage: 10',
    ],
    sent: { filters: { groups: [{ rollout_percentage: 10 }] } },
  },
  {
    name: 'no forced variant, no description',
    says: '`variant` forces a variant',
    omitted: condition('rollout_percentage: 10'),
    written: [condition('rollout_percentage: 10, variant: null, description: null')],
    sent: { filters: { groups: [{ rollout_percentage: 10 }] } },
  },
  {
    name: 'no variants',
    says: 'Omit `multivariate` for a flag',
    omitted: groups(''),
    written: [groups(', multivariate: null')],
    sent: { filters: { groups: [{ rollout_percentage: 50 }] } },
  },
  {
    name: 'no payloads',
    says: '**`payloads`**',
    omitted: groups(''),
    written: [groups(', payloads: null'), groups(', payloads: {}')],
    sent: { filters: { groups: [{ rollout_percentage: 50 }] } },
  },
  {
    name: 'a payload as JSON text',
    says: 'A **string is parsed as JSON',
    omitted: groups(', payloads: { true: { color: red } }'),
    written: [groups(`, payloads: { true: '{"color": "red"}' }`)],
    sent: { filters: { groups: [{ rollout_percentage: 50 }] } },
  },
  {
    name: 'the aggregation that all conditions share',
    says: 'If all conditions have the same value, the flag gets it too',
    differsLive: true,
    omitted: condition('rollout_percentage: 50, aggregation_group_type_index: 0'),
    written: [
      'filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] }',
      'filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50, aggregation_group_type_index: 0 }] }',
    ],
    sent: { filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] } },
  },
  {
    name: 'persons as the aggregation',
    says: 'releases to groups of that type instead of persons',
    omitted: groups(''),
    written: [groups(', aggregation_group_type_index: null')],
    sent: { filters: { groups: [{ rollout_percentage: 50 }] } },
  },
  {
    name: 'tags as a set, in lower case',
    says: 'compared as a set, in lower case',
    omitted: 'tags: [Checkout, web]',
    written: ['tags: [web, checkout, WEB]'],
    sent: {},
  },
];

/** What the rows begin from and go to, so that undo has something to write back. */
const OTHER = 'filters: { groups: [{ properties: [{ key: other, value: x }] }] }, tags: [other]';

it.each(DEFAULTS)('the pages promise $name', ({ says }) => {
  const pages = ['manifest', 'conditions'].map((name) => readFileSync(`docs/${name}.md`, 'utf8'));
  expect(pages.join('\n').replaceAll(/\s+/g, ' ')).toContain(says);
});

function desiredOf(key: string, members: string): DesiredState {
  const { desired, diagnostics } = check(`flags:\n  ${key}: { ${members} }\n`);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return desired;
}

function rawFields(key: string, members: string): JsonObject {
  const [flag] = desiredOf(key, members).flags;
  return flag?.kind === 'declared' ? flag.fields : {};
}

const CASES = DEFAULTS.flatMap((one, index) => one.written.map((written, form) => ({ ...one, written, index, form })));
type Case = (typeof CASES)[number];

const keyOf = (prefix: string, { index, form }: Case): string => `${prefix}-${index}-${form}`;
/** Flags as an old service stored them: as the manifest says, without checks. */
const SEED: JsonValue = CASES.map((one, index) => ({
  id: index + 1,
  ...rawFields('x', one.omitted),
  key: keyOf('live', one),
}));

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(profile, SEED);
  });
  afterAll(() => world.close());

  async function apply(plan: Plan): Promise<ApplyResult> {
    const result = await world.apply(plan);
    expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
    expect(result).toMatchObject({ remainder: [], verified: true });
    return result;
  }

  async function expectInSync(...states: DesiredState[]): Promise<void> {
    for (const state of states) expect((await world.plan(state)).changes).toEqual([]);
  }

  it.each(CASES)('$name: left out, it is sent complete and makes no difference ($form)', async (one) => {
    const key = keyOf('a', one);
    const [omitted, written] = [desiredOf(key, one.omitted), desiredOf(key, one.written)];
    const plan = await world.plan(omitted);
    expect(plan.changes).toMatchObject([{ action: 'create', body: one.sent }]);
    await apply(plan);
    await expectInSync(omitted, written);
  });

  it.each(CASES)('$name: written out, it makes no difference ($form)', async (one) => {
    const key = keyOf('b', one);
    const [omitted, written] = [desiredOf(key, one.omitted), desiredOf(key, one.written)];
    await apply(await world.plan(written));
    await expectInSync(omitted, written);
  });

  it.each(CASES.filter(({ differsLive }) => !differsLive))(
    '$name: live without it, both declare the same, and undo restores it ($form)',
    async (one) => {
      const key = keyOf('live', one);
      const [omitted, written] = [desiredOf(key, one.omitted), desiredOf(key, one.written)];
      await expectInSync(omitted, written);
      const made = await apply(await world.plan(desiredOf(key, OTHER)));
      const undo = invertPlan(
        made.changes.map(({ change }) => ({ change })),
        await world.live(omitted),
        planOptions(),
      );
      expect(undo.refused).toEqual([]);
      await apply(undo.plan);
      await expectInSync(omitted, written);
    },
  );

  it.each(CASES)('$name: a saved plan applies after another user wrote it out ($form)', async (one) => {
    const key = keyOf('c', one);
    await apply(await world.plan(desiredOf(key, one.omitted)));
    const after = desiredOf(key, `${one.omitted}, description: new`);
    const saved = parsePlanDocument(JSON.stringify(planDocument(await world.plan(after))));
    const [fields, active] = [rawFields(key, one.written), { active: true }];
    await world.edit(key, sentForm({ ...fields, ...active }));
    await apply(saved);
    await expectInSync(after);
  });
});
