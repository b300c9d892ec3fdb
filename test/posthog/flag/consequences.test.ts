/** What reports say of code that reads a flag which is deleted or renamed. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { listConsequences } from '../../../src/posthog/flag/labels.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { FlagChange } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions, retired } from '../../helpers/states.ts';

const lines = (desired: Parameters<typeof desiredState>[0], fields: JsonObject = {}): readonly string[] => {
  const { changes } = planFor(desiredState(desired), liveState([liveFlag(1, 'old', fields)]));
  return listConsequences(changes[0] as FlagChange, (text) => `<${text}>`);
};
const half = { properties: [], rollout_percentage: 50 };

test.each<[string, JsonObject, string]>([
  ['without conditions', { filters: { groups: [] } }, 'It is active, with no condition.'],
  [
    'disabled',
    { active: false, filters: { groups: [half] } },
    'It is disabled, with 1 condition (up to 50% of users).',
  ],
  [
    'with a percentage that cannot be read',
    { filters: { groups: [half, { rollout_percentage: [{ toString: 0 }] }] } as JsonObject },
    'It is active, with 2 conditions (up to 100% of users).',
  ],
  [
    'with variants, and a condition without a percentage',
    {
      filters: {
        groups: [half, { properties: [] }],
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 50 },
            { key: 'b', rollout_percentage: 50 },
          ],
        },
      },
    },
    'It is active, with 2 conditions (up to 100% of users) and 2 variants.',
  ],
])('a delete of a flag %s', (_, fields, first) => {
  expect(lines(retired('old'), fields)).toEqual([first, 'Code that reads <old> no longer gets a value.']);
});

test('a delete of a flag that was renamed in the service names the key that code asks for', () => {
  const desired = desiredState(retired('old'));
  const base = {
    facts: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' },
    desired: desiredState(declared('old')),
  } as const;
  const live = {
    ...liveState([liveFlag(1, 'new')]),
    traces: { flags: [{ kind: 'former', key: 'old', id: 1, evidence: 'recorded' }] },
  } as const;
  const { changes } = buildPlan(desired, live, { ...planOptions(), base });
  expect(listConsequences(changes[0] as FlagChange, (text) => `<${text}>`)[1]).toBe(
    'Code that reads <new> no longer gets a value.',
  );
});

test('a rename names the former key, and what happens to users', () => {
  expect(lines(declared('new', {}, { previousKeys: ['old'] }))).toEqual([
    'Code that reads <old> no longer gets a value, and users are reassigned: the hash includes the key.',
  ]);
});

test('other changes have no consequences beyond their fields', () => {
  expect(lines(declared('old', { name: 'x' }))).toEqual([]);
  expect(lines(declared('created'))).toEqual([]);
});
