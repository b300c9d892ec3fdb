/** Plans of flags of which others decide a part. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Ownership } from '../../../src/core/engine/ownership.ts';
import { ENCRYPTED_PAYLOAD } from '../../../src/posthog/flag/model/encrypted-payloads.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { findMovedFields } from '../../../src/posthog/flag/write.ts';
import type { Plan, UpdateFlag } from '../../../src/posthog/plan.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';

type Written = Readonly<Record<string, Ownership>>;

interface Case {
  readonly wanted: JsonObject;
  readonly live: JsonObject;
  readonly ownership: Written;
}

const source = { file: 'flagwright.yaml', line: 1, column: 1 };

function planOf({ wanted, live, ownership }: Case): Plan {
  const rules = Object.entries(ownership).map(([text, owner]) => {
    const path = parseFieldPath(text);
    if ('problem' in path) throw new Error(text);
    return { path, ownership: owner, source };
  });
  const desired = desiredState({ ...declared('a', wanted), ownership: rules });
  return planFor(desired, liveState([liveFlag(1, 'a', live)]));
}

function updateOf(given: Case): UpdateFlag {
  const [change] = planOf(given).changes;
  if (change?.action !== 'update' || change.resource !== 'flag') throw new Error('no update');
  return change;
}

function condition(people: string, rollout?: number, more: JsonObject = {}): JsonObject {
  const properties = [{ key: 'plan', type: 'person', operator: 'exact', value: [people] }];
  return { properties, ...(rollout === undefined ? {} : { rollout_percentage: rollout }), ...more };
}

const of = (...groups: JsonObject[]): JsonObject => ({ filters: { groups } });
const groupsOf = ({ body }: UpdateFlag): unknown => (body['filters'] as JsonObject)['groups'];
const EVERY = { rollout_percentage: 'observed' } as const;

describe('which live condition a declared one continues', () => {
  it.each<[string, JsonObject[], JsonObject[], JsonObject[]]>([
    [
      'the one that is equal otherwise',
      [condition('b', 1), condition('a', 2)],
      [condition('a', 50), condition('b', 60)],
      [condition('b', 60), condition('a', 50)],
    ],
    [
      'none, if git adds it',
      [condition('new', 5), condition('a', 2)],
      [condition('a', 50)],
      [condition('new', 5), condition('a', 50)],
    ],
    [
      'the one with its description',
      [condition('x', 1, { description: 'd' })],
      [condition('y', 9), condition('z', 8, { description: 'd' })],
      [condition('x', 8, { description: 'd' })],
    ],
    [
      'the one for the same people',
      [condition('a', 1, { variant: 'v' }), condition('b', 2)],
      [condition('b', 20), condition('c', 3), condition('a', 10)],
      [condition('a', 10, { variant: 'v' }), condition('b', 20)],
    ],
    [
      'the one at its place in a list of the same length',
      [condition('new', 1), condition('b', 2)],
      [condition('a', 10), condition('b', 20)],
      [condition('new', 10), condition('b', 20)],
    ],
  ])('%s', (_, wanted, live, expected) => {
    expect(groupsOf(updateOf({ wanted: of(...wanted), live: of(...live), ownership: EVERY }))).toEqual(expected);
  });

  it('a plan warns where it is not clear', () => {
    const given = { wanted: of(condition('x', 1)), live: of(condition('y', 2), condition('z', 3)), ownership: EVERY };
    expect(planOf(given).warnings).toEqual([{ code: 'ownership_unpaired', key: 'a', path: '/filters/groups/0' }]);
    expect(groupsOf(updateOf(given))).toEqual([condition('x', 1)]);
  });

  it('a plan warns of none where each live one is continued', () => {
    const wanted = of(condition('new', 5), condition('a', 2));
    expect(planOf({ wanted, live: of(condition('a', 50)), ownership: EVERY }).warnings).toEqual([]);
  });
});

describe('what others decide', () => {
  it('is no change, and is listed where it differs', () => {
    const given: Case = {
      wanted: { name: 'git', active: true, tags: ['a'], ...of(condition('a', 10)) },
      live: { name: 'live', active: false, tags: ['a'], ...of(condition('a', 20)) },
      ownership: { name: 'initial', active: 'observed', tags: 'observed', rollout_percentage: { between: [0, 25] } },
    };
    const plan = planOf(given);
    expect(plan).toMatchObject({ changes: [], hazards: [] });
    expect(plan.observed).toMatchObject([
      { key: 'a', path: '/active', ownership: 'observed', declared: true, live: false },
      {
        key: 'a',
        path: '/filters/groups/0/rollout_percentage',
        ownership: { between: [0, 25] },
        declared: 10,
        live: 20,
      },
    ]);
  });

  it('is absent from a plan where nothing differs', () => {
    expect(planOf({ wanted: { active: true }, live: {}, ownership: { active: 'observed' } })).not.toHaveProperty(
      'observed',
    );
  });

  it.each<[string, number | undefined, unknown]>([
    ['above', 40, 25],
    ['below', 1, 5],
    ['implied', undefined, 25],
  ])('goes to the nearest bound: %s', (_, live, expected) => {
    const ownership = { rollout_percentage: { between: [5, 25] } } as const;
    const change = updateOf({ wanted: of(condition('a', 10)), live: of(condition('a', live)), ownership });
    expect(change.fields).toMatchObject([
      { path: '/filters/groups/0/rollout_percentage', before: live ?? 100, after: expected },
    ]);
  });

  it.each<[string, number, number, object]>([
    ['another value', 10, 40, { bounds: { between: [5, 25], declared: 10 } }],
    ['the bound itself', 25, 40, {}],
  ])('names the declared value beside the bound, where it is %s', (_, declaredValue, live, expected) => {
    const ownership = { rollout_percentage: { between: [5, 25] } } as const;
    const given = { wanted: of(condition('a', declaredValue)), live: of(condition('a', live)), ownership };
    const path = '/filters/groups/0/rollout_percentage';
    const [field] = updateOf(given).fields;
    expect(field).toEqual({ path, before: live, after: 25, source: field?.source, ...expected });
  });

  it('names no bounds beside a value that another element had', () => {
    const ownership = { rollout_percentage: { between: [5, 25] } } as const;
    const live = of(condition('gone', 1), condition('a', 40));
    const { fields } = updateOf({ wanted: of(condition('a', 10)), live, ownership });
    expect(fields).toMatchObject([{}, { path: '/filters/groups/0/rollout_percentage', before: 1, after: 25 }, {}]);
    expect(fields[1]).not.toHaveProperty('bounds');
  });

  it('may be all but one value', () => {
    const ownership: Written = { filters: 'observed', 'conditions.1.rollout_percentage': 'managed' };
    const wanted = of(condition('a', 10, { variant: 'git' }), condition('b', 20));
    const live = of(condition('new', 1), condition('a', 11, { variant: 'live' }));
    expect(groupsOf(updateOf({ wanted, live, ownership }))).toEqual([
      condition('new', 1),
      condition('a', 10, { variant: 'live' }),
    ]);
  });

  it('includes a declared condition in a list of others, if it is managed and was removed', () => {
    const ownership: Written = { conditions: 'observed', 'conditions.1': 'managed' };
    const change = updateOf({
      wanted: of(condition('a', 10)),
      live: of(condition('x', 1), condition('y', 2)),
      ownership,
    });
    expect(groupsOf(change)).toEqual([condition('a', 10), condition('x', 1), condition('y', 2)]);
  });

  it('is a payload that the manifest does not have', () => {
    const given: Case = {
      wanted: { filters: { groups: [condition('a', 1)], payloads: {} } },
      live: { filters: { groups: [condition('a', 2)], payloads: { true: '"x"' } } },
      ownership: { 'payloads.true': 'observed' },
    };
    expect(updateOf(given).body).toMatchObject({ filters: { payloads: { true: '"x"' } } });
  });

  it('is never sent in plain text where it is encrypted', () => {
    const payloads = { true: '"secret"' };
    const given: Case = {
      wanted: { has_encrypted_payloads: true, filters: { groups: [condition('a', 1)], payloads: { true: '"git"' } } },
      live: { has_encrypted_payloads: true, filters: { groups: [condition('a', 2)], payloads } },
      ownership: { payloads: 'observed' },
    };
    expect(updateOf(given).body).toMatchObject({ filters: { payloads: { true: ENCRYPTED_PAYLOAD } } });
    expect(JSON.stringify(planOf(given).observed)).not.toContain('secret');
  });

  it('enables no archived flag', () => {
    const live = { archived: true, active: false };
    expect(planOf({ wanted: { active: true }, live, ownership: { active: 'observed' } }).changes).toEqual([]);
  });

  it('is written as declared when the flag is created', () => {
    const desired = { ...declared('a', { active: true, name: 'x' }), ownership: [] };
    const path = parseFieldPath('active');
    if ('problem' in path) throw new Error('active');
    const plan = planFor(
      desiredState({ ...desired, ownership: [{ path, ownership: 'observed', source }] }),
      liveState([]),
    );
    expect(plan.changes).toMatchObject([
      { action: 'create', body: { active: true }, keeps: [{ path: '/active', new: true }] },
    ]);
  });
});

describe('a flag that moves between plan and apply', () => {
  const given: Case = {
    wanted: { name: 'git', ...of(condition('new', 3), condition('a', 10)) },
    live: { name: 'x', active: true, ...of(condition('a', 20)) },
    ownership: { rollout_percentage: { between: [0, 25] } },
  };
  const movedPaths = (live: JsonObject, one: Case = given): string[] =>
    findMovedFields(updateOf(one), liveFlag(1, 'a', { ...one.live, ...live }), { keyOf: () => undefined }).map(
      ({ path }) => path,
    );

  it('is no edit where others decide', () => {
    expect(movedPaths(of(condition('a', 21)))).toEqual([]);
    expect(
      movedPaths(
        { active: false },
        { ...given, wanted: { ...given.wanted, active: true }, ownership: { active: 'observed' } },
      ),
    ).toEqual([]);
  });

  it('is an edit anywhere else, and beyond the bounds', () => {
    expect(movedPaths(of(condition('a', 26)))).toEqual(['/filters/groups/0/rollout_percentage']);
    expect(movedPaths(of(condition('b', 20)))).toEqual(['/filters/groups/0/properties/0/value']);
    expect(movedPaths({ active: false })).toEqual(['/active']);
  });

  it('is an edit where the plan brings a value into its bounds', () => {
    const outside = { ...given, live: { ...given.live, ...of(condition('a', 90)) } };
    expect(movedPaths(of(condition('a', 80)), outside)).toEqual(['/filters/groups/0/rollout_percentage']);
  });
});

describe('access to a flag', () => {
  const [ONE, TWO] = ['0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22'];
  const plan = (text: string): Plan => {
    const path = parseFieldPath(text);
    if ('problem' in path) throw new Error(text);
    const desired = {
      ...declared('a', {}, { roles: [ONE ?? ''] }),
      ownership: [{ path, ownership: 'observed' as const, source }],
    };
    const live = liveState([liveFlag(1, 'a')], { 1: [entry(5, TWO ?? '')] });
    return planFor(desiredState(desired), live);
  };

  it('may be left to others as a whole', () => {
    const { changes, observed } = plan('role_access');
    expect([changes, observed?.length]).toEqual([[], 2]);
  });

  it('may be left to others for one role, by its id or its name', () => {
    for (const name of [TWO, `name of ${TWO}`]) {
      const { changes, observed } = plan(`role_access."${name}"`);
      expect(changes).toMatchObject([{ action: 'grant', role: { id: ONE } }]);
      expect(observed).toMatchObject([{ key: 'a', ownership: 'observed', live: 'editor' }]);
    }
  });
});
