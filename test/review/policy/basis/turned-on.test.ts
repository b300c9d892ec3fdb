/** What a change of one flag turns on, where the random plans of `widening.test.ts` cannot tell a bound from a looser one. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { TurnedOn } from '../../../../src/review/policy/basis/policy-kind.ts';
import { turnedOn } from '../../../../src/review/policy/basis/widening.ts';

const flag = (rollout: JsonObject[string], fields: JsonObject = {}, parts: JsonObject = {}): JsonObject => ({
  ...fields,
  filters: { groups: [{ properties: [], rollout_percentage: rollout }], ...parts },
});
const FIRST = '/filters/groups/0';
const SUPER = '/filters/super_groups';
const HOLDOUT = '/filters/holdout';
const holdout = (percentage: JsonObject[string]): JsonObject => ({
  holdout: { id: 7, exclusion_percentage: percentage },
});

it.each<[string, JsonObject | undefined, JsonObject, TurnedOn]>([
  ['a step', flag(10), flag(40), { points: 30, exact: true, pointer: FIRST }],
  [
    'a step of a flag whose bucketing is written out',
    flag(10),
    flag(40, { bucketing_identifier: 'distinct_id' }),
    { points: 30, exact: true, pointer: FIRST },
  ],
  [
    'a step of a flag with another bucketing',
    flag(10),
    flag(40, { bucketing_identifier: 'device_id' }),
    { points: 40, exact: false, pointer: FIRST },
  ],
  [
    'a step of a flag with another default written out',
    flag(10),
    flag(40, { ensure_experience_continuity: false }, { super_groups: [], feature_enrollment: false }),
    { points: 30, exact: true, pointer: FIRST },
  ],
  ['a percentage that cannot be read', flag(10), flag('all'), { points: 100, exact: false, pointer: FIRST }],
  ['a new flag', undefined, flag(40), { points: 40, exact: true, pointer: FIRST }],
  [
    'a new flag with early access',
    undefined,
    flag(0, {}, { feature_enrollment: true }),
    { points: 100, exact: false, pointer: SUPER },
  ],
  ['a new holdout', flag(0), flag(0, {}, holdout(20)), { points: 20, exact: true, pointer: HOLDOUT }],
  [
    'a larger holdout',
    flag(0, {}, holdout(20)),
    flag(0, {}, holdout(50)),
    { points: 30, exact: true, pointer: HOLDOUT },
  ],
  [
    'a holdout that cannot be read',
    flag(0),
    flag(0, {}, holdout('some')),
    { points: 100, exact: false, pointer: HOLDOUT },
  ],
  [
    'a new holdout beside a new condition: two hashes',
    flag(0),
    flag(50, {}, holdout(20)),
    { points: 60, exact: true, pointer: FIRST },
  ],
  [
    'a larger holdout beside a new condition: some of the people had it by the holdout',
    flag(0, {}, holdout(10)),
    flag(50, {}, holdout(30)),
    { points: 60, exact: false, pointer: FIRST },
  ],
  [
    'steps of both: some of the people had it by the other',
    flag(10, {}, holdout(10)),
    flag(60, {}, holdout(30)),
    { points: 60, exact: false, pointer: FIRST },
  ],
])('%s', (_, before, after, expected) => {
  expect(turnedOn({ ...(before === undefined ? {} : { before }), after })).toEqual(expected);
});

it.each<[string, JsonObject[string]]>([
  ['key', 'other'],
  ['ensure_experience_continuity', true],
  ['bucketing_identifier', 'device_id'],
  ['evaluation_runtime', 'server'],
  ['evaluation_contexts', ['web']],
  ['evaluation_tags', ['web']],
])('a step with another %s turns on whoever the condition then has, and some of them had it', (field, value) => {
  expect(turnedOn({ before: flag(10), after: flag(40, { [field]: value }) })).toEqual({
    ...{ points: 40, exact: false, pointer: FIRST },
  });
});
