/** People as the service lists them. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { rolloutHash } from '../../src/evaluation/hash.ts';
import { findImpact, type Circumstances } from '../../src/impact/find-impact.ts';
import type { Impact } from '../../src/impact/impact.ts';
import { countLivePersons, type LivePage } from '../../src/impact/persons/count-persons.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';
import { NOW } from './support.ts';

const conditions = (...groups: readonly JsonObject[]): JsonObject => ({ filters: { groups } });
const US = { key: 'country', type: 'person', operator: 'is_not', value: ['US'] };

async function counting(
  pages: readonly LivePage[],
  [before, after]: readonly [JsonObject, JsonObject],
): Promise<Impact> {
  const live = [liveFlag(1, 'a', before)];
  const plan = buildPlan(desiredState(declared('a', after)), liveState(live), planOptions());
  const circumstances: Circumstances = { generation: 'rust-2026', now: NOW };
  const planned = { ...plan, live };
  const given = (async function* () {
    yield* pages;
  })();
  return countLivePersons(findImpact(planned, circumstances), given, { planned, circumstances });
}

/** Ids whose hash for flag `a` is on the given side of one half. */
function idsBelow(isBelow: boolean, amount: number): string[] {
  const ids = Array.from({ length: 200 }, (_, index) => `u-${index}`);
  return ids.filter((id) => rolloutHash('a', id) <= 0.5 === isBelow).slice(0, amount);
}

const HALF = [conditions({ rollout_percentage: 0 }), conditions({ rollout_percentage: 50 })] as const;
const [IN = '', IN_TOO = ''] = idsBelow(true, 2);
const [OUT = ''] = idsBelow(false, 1);

describe('countLivePersons', () => {
  it.each<[string, JsonObject, Partial<Record<string, number>>]>([
    ['an id that turns on', { distinct_ids: [IN] }, { turnsOn: 1 }],
    ['ids that all turn on', { distinct_ids: [IN, IN_TOO] }, { turnsOn: 1 }],
    ['ids of which some turn on', { distinct_ids: [IN, OUT] }, { undecided: 1 }],
    ['more ids than are tried', { distinct_ids: Array.from({ length: 66 }, () => IN) }, { undecided: 1 }],
  ])('decides %s', async (_, record, expected) => {
    const { flags } = await counting([{ persons: [{ id: 1, properties: {}, ...record }] }], HALF);
    expect(flags[0]?.persons).toMatchObject({ undecided: 0, unchanged: 0, ...expected });
  });

  it('takes a property that the service does not have as absent, unless it tells no properties', async () => {
    const persons = [
      { id: 1, distinct_ids: ['a'], properties: {} },
      { id: 2, distinct_ids: ['b'], properties: { country: 'US' } },
      { id: 3, distinct_ids: ['c'] },
      { id: 4, distinct_ids: ['d'], properties: [] },
    ];
    const fields = [conditions({ properties: [US], rollout_percentage: 0 }), conditions({ properties: [US] })] as const;
    const { flags } = await counting([{ persons }], fields);
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 1, unchanged: 1, undecided: 2 });
  });

  it('knows neither groups nor cohorts', async () => {
    const persons = [{ id: 1, distinct_ids: ['a'], properties: {} }];
    const inCohort = { key: 'id', type: 'cohort', operator: 'in', value: 7 };
    const fields = [
      conditions({ properties: [inCohort], rollout_percentage: 0 }),
      conditions({ properties: [inCohort] }),
    ];
    const { flags } = await counting([{ persons }], fields as unknown as readonly [JsonObject, JsonObject]);
    expect(flags[0]?.persons).toMatchObject({ undecided: 1 });
  });

  it('counts each person once, and nobody without a distinct id', async () => {
    const pages: readonly LivePage[] = [
      {
        persons: [
          { id: 1, distinct_ids: ['a'] },
          { id: 2, distinct_ids: [] },
          { id: 3, distinct_ids: [7, ''] },
        ],
        next: 3,
      },
      { persons: [{ id: 1, distinct_ids: ['a'] }, { id: '1', distinct_ids: ['b'] }, { id: 4 }], total: 9 },
    ];
    expect((await counting(pages, HALF)).persons).toEqual({
      source: 'live',
      counted: 2,
      withoutId: 3,
      total: 9,
      isAll: true,
    });
    expect((await counting(pages.slice(0, 1), HALF)).persons).toMatchObject({ counted: 1, isAll: false });
    expect((await counting([], HALF)).persons).toMatchObject({ counted: 0, isAll: true });
  });
});
