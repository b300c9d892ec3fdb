/** Cohorts that another process creates with the same name while a run creates them: none is made twice without a word. */

import { expect, test } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { FaultRule } from '../../service/src/index.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { expectConvergence, startRig, type Rig } from './rig.ts';

const definition = (value: string): JsonObject => ({
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
});
const OURS = { name: 'testers', filters: definition('pro') };
const THEIRS = { name: ' testers ', filters: definition('free') };

const WANTED: DesiredState = desiredOf({
  cohorts: { testers: { filters: definition('pro') } },
  flags: {
    checkout: { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 'testers' }] }] } },
    other: { rollout_percentage: 5 },
  },
});

/** Another user creates a cohort while the service handles a request, right before it or right after. */
function meanwhile(
  operation: 'createCohort' | 'listCohorts',
  from: number,
  body: JsonObject,
  when: 'before' | 'after',
): FaultRule {
  return { match: { operation }, from, edit: { when, method: 'POST', path: 'cohorts/', body } } as FaultRule;
}

interface Seen {
  readonly result: ApplyResult;
  /** Ids and definitions of the cohorts in use with the name, the first one first. */
  readonly held: readonly { readonly id: number; readonly plan: unknown }[];
  /** The cohorts on which the flag has conditions. */
  readonly used: unknown;
}

async function applied(rig: Rig, faults: readonly FaultRule[]): Promise<Seen> {
  const { honest } = rig;
  const plan = await honest.plan(WANTED);
  const faulty = await rig.startFaulty(faults);
  const result = await faulty.apply(plan);
  await rig.settle();
  const named = (await honest.client.listCohorts()).filter(({ name }) => name?.trim() === 'testers');
  const flag = (await honest.client.listFlags()).find(({ key }) => key === 'checkout');
  return {
    result,
    held: named
      .map(({ id, filters }) => ({ id, plan: /"value":"(\w+)"/.exec(JSON.stringify(filters))?.[1] }))
      .toSorted((a, b) => a.id - b.id),
    used: flag?.filters?.groups?.[0]?.properties?.map(({ value }) => value),
  };
}

const outcomeOf = ({ result }: Seen, ref: string): object | undefined =>
  result.changes.find(({ change }) => change.ref === ref)?.result;

interface Case {
  readonly faults: readonly FaultRule[];
  readonly outcome: object;
  readonly held: readonly string[];
  /** The flag that uses the cohort is written, with this one of them. */
  readonly used?: number;
}

const SHARED = { outcome: 'unknown', error: { code: 'name_shared' } };
/** Reads: the one before the apply, the look-up before the create, the one after it. */
const [BEFORE, AFTER] = [2, 3] as const;

const CASES: readonly (readonly [string, Case])[] = [
  [
    'before it is looked up: the same one is taken, and nothing is created',
    {
      faults: [meanwhile('listCohorts', BEFORE, OURS, 'before')],
      outcome: { outcome: 'applied', already: true },
      held: ['pro'],
      used: 0,
    },
  ],
  [
    'before it is looked up: another one makes the change stale',
    {
      faults: [meanwhile('listCohorts', BEFORE, THEIRS, 'before')],
      outcome: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name' }] } },
      held: ['free'],
    },
  ],
  [
    'between the look-up and the create: the same one stays, and our own is deleted',
    {
      faults: [meanwhile('createCohort', 1, OURS, 'before')],
      outcome: { outcome: 'applied', already: true },
      held: ['pro'],
      used: 0,
    },
  ],
  [
    'between the look-up and the create: another one stays beside ours, and the outcome says so',
    { faults: [meanwhile('createCohort', 1, THEIRS, 'before')], outcome: SHARED, held: ['free', 'pro'] },
  ],
  [
    'right after the create, and leaves it: the outcome says so',
    { faults: [meanwhile('createCohort', 1, OURS, 'after')], outcome: SHARED, held: ['pro', 'pro'] },
  ],
  [
    'after the look-up that follows the create: ours is the first one, and stands',
    {
      faults: [meanwhile('listCohorts', AFTER, OURS, 'after')],
      outcome: { outcome: 'applied' },
      held: ['pro', 'pro'],
      used: 0,
    },
  ],
  [
    'between the look-up and the create, and our own cannot be deleted: the outcome says so',
    {
      faults: [
        meanwhile('createCohort', 1, OURS, 'before'),
        { match: { operation: 'updateCohort' }, answer: { status: 400 } },
      ],
      outcome: SHARED,
      held: ['pro', 'pro'],
    },
  ],
  [
    'between the look-up and the create, and the answer to the delete of our own is lost',
    {
      faults: [
        meanwhile('createCohort', 1, OURS, 'before'),
        { match: { operation: 'updateCohort' }, reset: { when: 'after' } },
      ],
      outcome: { outcome: 'applied', already: true },
      held: ['pro'],
      used: 0,
    },
  ],
  [
    'between the look-up and the create, and the answer to the create is lost: nothing tells which is ours',
    {
      faults: [
        meanwhile('createCohort', 1, OURS, 'before'),
        { match: { operation: 'createCohort' }, reset: { when: 'after' } },
      ],
      outcome: { outcome: 'unknown' },
      held: ['pro', 'pro'],
    },
  ],
  [
    'never, and the look-up after the create fails: the answer stands',
    {
      faults: [{ match: { operation: 'listCohorts' }, from: AFTER, count: 20, answer: { status: 400 } }],
      outcome: { outcome: 'applied' },
      held: ['pro'],
      used: 0,
    },
  ],
  [
    'never, and the look-up before the create fails: nothing is sent',
    {
      faults: [{ match: { operation: 'listCohorts' }, from: BEFORE, count: 20, answer: { status: 400 } }],
      outcome: { outcome: 'failed' },
      held: [],
    },
  ],
];

test.concurrent.each(CASES)('another process creates it %s', async (_name, { faults, outcome, held, used }) => {
  const rig = await startRig('posthog');
  try {
    const seen = await applied(rig, faults);
    const context = JSON.stringify(seen.result.changes.map(({ result }) => result));
    expect(
      seen.held.map(({ plan }) => plan),
      context,
    ).toEqual(held);
    const own = outcomeOf(seen, 'cohort:testers');
    expect(own, context).toMatchObject(outcome);
    if (!('already' in outcome)) expect(own, context).not.toHaveProperty('already');
    expect(outcomeOf(seen, 'flag:other'), context).toMatchObject({ outcome: 'applied' });
    expect(seen.used, context).toEqual(used === undefined ? undefined : [seen.held[used]?.id]);
    const { changes, warnings } = await rig.honest.plan(WANTED);
    const isShared = held.length > 1;
    expect(warnings.some(({ code }) => code === 'cohort_name_shared')).toBe(isShared);
    if (isShared) expect(changes).toEqual([]);
    else await expectConvergence(rig.honest, WANTED);
  } finally {
    await rig.close();
  }
});

const RENAMED: DesiredState = desiredOf({
  cohorts: { testers: { name: 'probands', previous_names: ['testers'], filters: definition('pro') } },
  flags: {},
});

test('a cohort is not renamed to a name that another one got since the plan', async () => {
  const rig = await startRig('posthog');
  try {
    const { honest } = rig;
    await honest.apply(
      await honest.plan(desiredOf({ cohorts: { testers: { filters: definition('pro') } }, flags: {} })),
    );
    const plan = await honest.plan(RENAMED);
    expect(plan.changes).toMatchObject([{ action: 'update', fields: [{ path: '/name' }] }]);
    const faulty = await rig.startFaulty([meanwhile('listCohorts', BEFORE, { ...THEIRS, name: 'probands' }, 'before')]);
    expect((await faulty.apply(plan)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name', after: 'probands' }] } } },
    ]);
    await rig.settle();
    const names = (await honest.client.listCohorts()).map(({ name }) => name);
    expect(names.filter((name) => name === 'probands')).toHaveLength(1);
    expect(names).toContain('testers');
  } finally {
    await rig.close();
  }
});
