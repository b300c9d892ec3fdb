/** The further names that a declared resource has or had: rules about one of them apply to it too. */

import { expect, it } from 'vitest';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { DesiredCohort } from '../../../src/posthog/cohort/cohort.ts';
import { findOtherNames } from '../../../src/posthog/planning/build-plan.ts';
import { declared, desiredState, retired } from '../../helpers/states.ts';

const cohort = (key: string, names: readonly [string, ...string[]], id?: number): DesiredCohort => ({
  kind: 'retired',
  key,
  names,
  places: { place: { file: 'a', line: 1, column: 1 } },
  ...(id === undefined ? {} : { id }),
});
const cohorts = (...list: readonly DesiredCohort[]): DesiredState => ({ flags: [], cohorts: list });

it.each<[string, DesiredState, DesiredState | undefined, string, readonly string[]]>([
  ['previous keys', desiredState(declared('c', {}, { previousKeys: ['b', 'a'] })), undefined, 'c', ['b', 'a']],
  [
    'previous keys at the base',
    desiredState(declared('c', {}, { previousKeys: ['b'] })),
    desiredState(declared('b', {}, { previousKeys: ['a'] })),
    'c',
    ['b', 'a'],
  ],
  [
    'previous keys of a flag that the change deletes',
    desiredState(retired('b')),
    desiredState(declared('b', {}, { previousKeys: ['a'] })),
    'b',
    ['a'],
  ],
  ['no other flag', desiredState(declared('b'), declared('a', {}, { previousKeys: ['c'] })), undefined, 'b', []],
  [
    'a cohort of the same key',
    cohorts(cohort('b', ['B'])),
    desiredState(declared('b', {}, { previousKeys: ['a'] })),
    'b',
    ['a'],
  ],
  ['names of a cohort', cohorts(cohort('b', ['B', ' A '])), undefined, 'cohort:b', ['cohort:B', 'cohort:A']],
  [
    'an alias of the same name',
    cohorts(cohort('b', ['N'])),
    cohorts(cohort('a', ['N'])),
    'cohort:b',
    ['cohort:N', 'cohort:a'],
  ],
  [
    'an alias of the same id',
    cohorts(cohort('b', ['B'], 7)),
    cohorts(cohort('a', ['A'], 7)),
    'cohort:b',
    ['cohort:B', 'cohort:a', 'cohort:A'],
  ],
])('has %s', (_, desired, base, name, others) => {
  expect(findOtherNames([desired, base])(name).toSorted()).toEqual([...others].toSorted());
});
