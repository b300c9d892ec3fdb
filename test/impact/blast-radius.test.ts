/** What the service is asked to count for the conditions that a plan changes: each question once, and no others. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { addBlastRadius, type RadiusQuery } from '../../src/impact/blast-radius.ts';
import type { FlagImpact, ServiceCount } from '../../src/impact/impact.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';
import { impactOfPlan } from './support.ts';

const country = (value: string): JsonObject => ({ key: 'country', type: 'person', operator: 'exact', value: [value] });
const conditions = (...groups: readonly JsonObject[]): JsonObject => ({ filters: { groups } });
const of = (value: string, rollout_percentage = 100): JsonObject => ({
  properties: [country(value)],
  rollout_percentage,
});

interface Counted {
  readonly asked: readonly RadiusQuery[];
  readonly flags: readonly FlagImpact[];
}

async function counted(live: readonly Flag[], desired: DesiredState, answer?: 'no answer'): Promise<Counted> {
  const plan = buildPlan(desired, liveState(live), planOptions());
  const asked: RadiusQuery[] = [];
  const ask = (query: RadiusQuery): Promise<ServiceCount | undefined> => {
    asked.push(query);
    return Promise.resolve(answer === undefined ? { kind: 'people', affected: asked.length, total: 100 } : undefined);
  };
  const { flags } = await addBlastRadius(impactOfPlan(plan, live), { changes: plan.changes, live }, ask);
  return { asked, flags };
}

const radiiOf = ({ flags }: Counted, key = 'a'): unknown =>
  flags
    .find((flag) => flag.key === key)
    ?.blastRadius?.map(({ side, condition, before, after }) => [
      side,
      condition.number,
      before && 'affected' in before ? before.affected : before?.kind,
      after && 'affected' in after ? after.affected : after?.kind,
    ]);
const propertiesOf = ({ asked }: Counted): unknown => asked.map(({ condition }) => condition['properties']);

describe('the service counts', () => {
  it('both sides of each changed condition, and none that stays or only gets another description', async () => {
    const found = await counted(
      [liveFlag(1, 'a', conditions(of('US', 10), of('DE', 10), { ...of('FR', 10), description: 'old' }))],
      desiredState(declared('a', conditions(of('US', 50), of('DE', 10), { ...of('FR', 10), description: 'new' }))),
    );
    expect(propertiesOf(found)).toEqual([[country('US')]]);
    expect(radiiOf(found)).toEqual([['wanted', 1, 1, 1]]);
  });

  it('a condition that comes, and one that goes, on the side that has it', async () => {
    const found = await counted(
      [liveFlag(1, 'a', conditions(of('US'), of('DE')))],
      desiredState(declared('a', conditions(of('US'), of('FR'), of('IT')))),
    );
    expect(propertiesOf(found)).toEqual([[country('FR')], [country('IT')], [country('DE')]]);
    expect(radiiOf(found)).toEqual([
      ['wanted', 2, undefined, 1],
      ['wanted', 3, undefined, 2],
      ['former', 2, 3, undefined],
    ]);
    const fewer = await counted(
      [liveFlag(1, 'a', conditions(of('US'), of('DE')))],
      desiredState(declared('a', conditions(of('US')))),
    );
    expect([propertiesOf(fewer), radiiOf(fewer)]).toEqual([[[country('DE')]], [['former', 2, 1, undefined]]]);
  });

  it.each<[string, Flag, DesiredState]>([
    [
      'is enabled',
      liveFlag(1, 'a', { active: false, ...conditions(of('US'), of('DE')) }),
      desiredState(declared('a', { active: true })),
    ],
    ['is deleted', liveFlag(1, 'a', conditions(of('US'), of('DE'))), desiredState(retired('a'))],
    [
      'comes back',
      liveFlag(1, 'a', { deleted: true, ...conditions(of('US'), of('DE')) }),
      desiredState(declared('a', conditions(of('US'), of('DE')))),
    ],
  ])('every condition of a flag that %s', async (_, live, desired) => {
    expect(propertiesOf(await counted([live], desired))).toEqual([[country('US')], [country('DE')]]);
  });

  it('people without their conditions on flags, and groups by their type', async () => {
    const dependency = { key: 'base', type: 'flag', operator: 'flag_evaluates_to', value: true };
    const found = await counted(
      [liveFlag(1, 'a', conditions({})), liveFlag(2, 'base')],
      desiredState(
        declared('a', conditions({ properties: [country('US'), dependency], aggregation_group_type_index: 1 })),
      ),
    );
    expect(found.asked).toEqual([
      { condition: { properties: [] } },
      { condition: { properties: [country('US')] }, groupTypeIndex: 1 },
    ]);
  });

  it('each question once, also for several flags', async () => {
    const found = await counted(
      [liveFlag(1, 'a', conditions(of('US', 10))), liveFlag(2, 'b', conditions(of('US', 20)))],
      desiredState(declared('a', conditions(of('US', 30))), declared('b', conditions(of('US', 30)))),
    );
    expect(found.asked).toHaveLength(1);
    expect([radiiOf(found, 'a'), radiiOf(found, 'b')]).toEqual([[['wanted', 1, 1, 1]], [['wanted', 1, 1, 1]]]);
  });
});

describe('the service is not asked', () => {
  it('who is in a cohort that the plan creates', async () => {
    const onCohort = { properties: [{ key: 'id', type: 'cohort', value: 'beta' }], rollout_percentage: 100 };
    const { filters } = conditions(onCohort);
    const desired = desiredOf({
      flags: { a: { filters } },
      cohorts: { beta: { filters: { properties: { type: 'AND', values: [country('US')] } } } },
    } as JsonObject);
    const found = await counted([liveFlag(1, 'a', conditions(of('DE')))], desired);
    expect(propertiesOf(found)).toEqual([[country('DE')]]);
    expect(radiiOf(found)).toEqual([['wanted', 1, 1, 'new_cohort']]);
  });

  it('about filters of another format, or flags without changes of their own', async () => {
    const rules = liveFlag(1, 'a', { filters: { version: 2, rules: [] } });
    expect(await counted([rules], desiredState(declared('a', { active: false })))).toMatchObject({ asked: [] });
    const dependent = liveFlag(
      2,
      'top',
      conditions({ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }),
    );
    const found = await counted(
      [liveFlag(1, 'a', conditions(of('US'))), dependent],
      desiredState(declared('a', conditions(of('DE')))),
    );
    expect(found.flags.map(({ key, blastRadius }) => [key, blastRadius?.length])).toEqual([
      ['a', 1],
      ['top', undefined],
    ]);
  });
});

it('a condition that the service does not count is left out', async () => {
  const live = [liveFlag(1, 'a', conditions(of('US', 10)))];
  expect(radiiOf(await counted(live, desiredState(declared('a', conditions(of('US', 30)))), 'no answer'))).toEqual([]);
});
