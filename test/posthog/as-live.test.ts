import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { asLive } from '../../src/posthog/as-live.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import { declared, dependsOn, desiredState, retired } from '../helpers/states.ts';

/** What turns the former manifests into the new ones: actions and keys, with the fields. */
function changes(former: readonly DesiredFlag[], wanted: readonly DesiredFlag[]): unknown[] {
  const { desired, live } = asLive(desiredState(...wanted), desiredState(...former));
  return buildPlan(desired, live).changes.map((change) => [
    `${change.action} ${change.key}`,
    ...('fields' in change ? change.fields.map(({ path }) => path) : []),
  ]);
}

const at = (percentage: number): JsonObject => ({
  filters: { groups: [{ properties: [], rollout_percentage: percentage }] },
});

describe('asLive', () => {
  it('finds nothing between equal manifests, whatever they depend on', () => {
    const flags = [
      declared('a', at(10), { roles: ['0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11'] }),
      declared('b', dependsOn('a')),
      declared('c', dependsOn('elsewhere')),
      declared('d'),
      retired('e'),
    ];
    expect(changes(flags, flags)).toEqual([]);
  });

  it('finds what the manifests change', () => {
    expect(changes([declared('a', at(10))], [declared('a', at(35))])).toEqual([
      ['update a', '/filters/groups/0/rollout_percentage'],
    ]);
    expect(changes([declared('a', at(10))], [retired('a')])).toEqual([['delete a', '/deleted']]);
    expect(changes([declared('a', at(10))], [])).toEqual([]);
    expect(changes([declared('a', at(10))], [declared('b', at(10), { previousKeys: ['a'] })])).toEqual([
      ['update b', '/key'],
    ]);
    expect(changes([], [declared('a', at(10))]).map((change) => (change as string[])[0])).toEqual(['create a']);
    expect(changes([retired('a')], [declared('a', at(10))]).map((change) => (change as string[])[0])).toEqual([
      'create a',
    ]);
  });

  it('leaves out what the former manifests do not declare', () => {
    expect(changes([declared('a', { active: true })], [declared('a', { active: true, ...at(10) })])).toEqual([]);
    expect(changes([declared('a', { active: true })], [declared('a', { active: false, ...at(10) })])).toEqual([
      ['update a', '/active'],
    ]);
  });
});
