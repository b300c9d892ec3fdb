/** The bounds of the share of people who have a flag on hold for people who are evaluated. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import { shareOn } from '../../../src/review/effects/share.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { liveFlag } from '../../helpers/states.ts';
import { holds } from '../../helpers/runs.ts';

const STAFF = [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }];

it.each([
  [{ active: false, filters: { groups: [{}] } }, 0, 0],
  [{ filters: { groups: [{}] } }, 100, 100],
  [{ filters: { groups: [{ rollout_percentage: null }] } }, 100, 100],
  [{ filters: { groups: [] } }, 0, 0],
  [{ filters: { groups: [{ properties: STAFF }, { rollout_percentage: 5 }] } }, 5, 100],
  [{ filters: { groups: [{ rollout_percentage: 30 }, { rollout_percentage: 20 }] } }, 30, 30],
  [{ filters: { groups: [{ rollout_percentage: 30 }], early_exit: true } }, 0, 100],
  [{ filters: { groups: [{ rollout_percentage: 30 }], holdout: { id: 1, exclusion_percentage: 10 } } }, 0, 100],
  [{ filters: { groups: [{ rollout_percentage: 30 }], super_groups: [{}] } }, 0, 100],
])('%j', (flag, least, most) => {
  expect(shareOn(flag)).toEqual({ least, most });
});

it('nobody has a flag on above its most, and everybody at a least of 100', () => {
  const percentage = fc.constantFrom(0, 20, 50, 99.5, 100, null);
  const condition = fc.record({ properties: fc.constantFrom([], STAFF), rollout_percentage: percentage });
  const flagsOf = fc.record({
    active: fc.boolean(),
    filters: fc.record({ groups: fc.array(condition, { maxLength: 3 }) }),
  });
  holds(200, [flagsOf, fc.string({ minLength: 1 }), fc.boolean()], (fields, id, isStaff) => {
    const { least, most } = shareOn(fields);
    const subject = subjectWith({ distinctId: id, personProperties: isStaff ? { email: 'ada@acme.com' } : {} });
    const flags = [liveFlag(1, 'a', fields)];
    const { value } = evaluateFlag('a', { flags, context: contextWith(), subject }) ?? {};
    if (least === 100) expect(value).toBe(true);
    if (most === 0) expect(value).toBe(false);
  });
});
