/** Which flags a plan concerns, why, and what is not counted of them. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import { findConcerned, pairOf } from '../../../src/review/effects/worlds.ts';
import { makeWorlds, type Worlds } from '../../../src/review/effects/worlds.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { dependsOn, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const needs = (key: string): JsonObject => ({ filters: dependsOn(key) });
const rollout = (share: number): JsonObject => ({ filters: { groups: [{ rollout_percentage: share }] } });
const onCohort = (value: number | string): JsonObject => ({
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value }] }] },
});
const definition = (plan: string): JsonObject => ({
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: plan }] } },
});

interface Planned {
  readonly concerned: ReturnType<typeof findConcerned>;
  readonly worlds: Worlds;
}

function planned(live: readonly Flag[], desired: DesiredState): Planned {
  const state = { ...liveState(live), cohorts: [cohort(7, 'Crew', definition('old'))] };
  const plan = planFor(desired, state);
  const worlds = makeWorlds(plan.changes, live);
  return { worlds, concerned: findConcerned(findEffects(plan), worlds) };
}

const told = ({ concerned }: Planned): unknown =>
  concerned.map(({ key, by, through, cohortChanges }) => [
    key,
    by,
    ...(through ?? []),
    ...(cohortChanges ? ['cohort'] : []),
  ]);

const CREW = { crew: { name: 'Crew', ...definition('new') } };

it('flags that change come in the order of the plan, then those that depend on them, by key, with the changed flags on the way', () => {
  const live = [
    liveFlag(1, 'z', rollout(10)),
    liveFlag(2, 'c', rollout(10)),
    liveFlag(3, 'b', needs('1')),
    liveFlag(4, 'a', {
      filters: {
        groups: [needs('3'), needs('2')].map(({ filters }) => (filters as { groups: JsonObject[] }).groups[0] ?? {}),
      },
    }),
    liveFlag(5, 'apart', rollout(10)),
  ];
  const found = planned(live, desiredOf({ flags: { z: rollout(20), c: rollout(20), apart: { description: 'New' } } }));
  expect(told(found)).toEqual([
    ['c', 'change'],
    ['z', 'change'],
    ['a', 'dependency', 'c', 'z'],
    ['b', 'dependency', 'z'],
  ]);
});

it('a flag that uses a cohort whose definition changes is concerned by that, and so is what depends on it', () => {
  const live = [
    liveFlag(1, 'user', onCohort(7)),
    liveFlag(2, 'top', needs('1')),
    liveFlag(3, 'changed', { ...onCohort(7), active: true }),
    liveFlag(4, 'of-changed', needs('3')),
    liveFlag(5, 'alone', rollout(10)),
    liveFlag(6, 'of-alone', needs('5')),
  ];
  const flags = { changed: { active: false }, alone: rollout(20) };
  const found = planned(live, desiredOf({ flags, cohorts: CREW }, { crew: 7 }));
  expect(told(found)).toEqual([
    ['alone', 'change'],
    ['changed', 'change', 'cohort'],
    ['of-alone', 'dependency', 'alone'],
    ['of-changed', 'dependency', 'changed', 'cohort'],
    ['top', 'cohort', 'cohort'],
    ['user', 'cohort', 'cohort'],
  ]);
});

it.each<
  [what: string, live: JsonObject, wanted: JsonObject, payloads: readonly string[], uncounted: readonly string[]]
>([
  ['another share', rollout(10), rollout(20), [], []],
  [
    'other payloads',
    { filters: { groups: [{}], payloads: { true: '1' } } },
    { filters: { groups: [{}], payloads: { true: '2' } } },
    ['true'],
    [],
  ],
  [
    'another runtime beside it',
    { ...rollout(10), evaluation_runtime: 'all' },
    { ...rollout(20), fields: { evaluation_runtime: 'server' } },
    [],
    ['evaluation_runtime'],
  ],
  [
    'other contexts beside it',
    { ...rollout(10), evaluation_contexts: [] },
    { ...rollout(20), fields: { evaluation_contexts: ['web'] } },
    [],
    ['evaluation_contexts'],
  ],
  [
    'other tags of evaluation beside it',
    { ...rollout(10), evaluation_tags: [] },
    { ...rollout(20), fields: { evaluation_tags: ['web'] } },
    [],
    ['evaluation_tags'],
  ],
  [
    'an unknown field beside it',
    { ...rollout(10), brand_new: 1 },
    { ...rollout(20), fields: { brand_new: 2 } },
    [],
    ['/brand_new'],
  ],
  [
    'another setting beside it',
    { ...rollout(10), tags: ['a'], archived: false },
    { ...rollout(20), tags: ['b'] },
    [],
    [],
  ],
])(
  'of a flag with %s it is known which payloads differ and what is not counted',
  (_what, live, wanted, payloads, uncounted) => {
    const { concerned } = planned([liveFlag(1, 'a', live)], desiredOf({ flags: { a: wanted } }));
    expect(concerned).toMatchObject([{ key: 'a', by: 'change', uncounted }]);
    expect([...(concerned[0]?.payloads ?? [])]).toEqual(payloads);
  },
);

it('a flag that only gets another description or another order of tags is not concerned', () => {
  const live = [liveFlag(1, 'a', { name: 'Old', tags: ['a'] })];
  expect(planned(live, desiredOf({ flags: { a: { description: 'New', tags: ['b'] } } })).concerned).toEqual([]);
});

it('a side has the flag with all that it depends on; one without the flag is none', () => {
  const live = [liveFlag(1, 'base'), liveFlag(2, 'middle', needs('1')), liveFlag(3, 'apart')];
  const desired = desiredOf({ flags: { top: needs('middle'), middle: {}, base: { active: false } } });
  const { concerned, worlds } = planned(live, desired);
  const top = concerned.find(({ key }) => key === 'top');
  const pair = top && pairOf(top, worlds);
  expect(pair?.before).toBeUndefined();
  expect(pair?.after?.flag.key).toBe('top');
  expect(pair?.after?.flags.map(({ key }) => key)).toEqual(['top', 'middle', 'base']);
});
