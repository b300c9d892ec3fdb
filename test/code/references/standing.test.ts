/** How flags stand in all projects, and what everyone gets by their fields. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { findStandings, sameAnswer } from '../../../src/code/references/staleness.ts';
import { check, PRODUCTION } from '../../core/manifest/check.ts';

const states = (text: string): readonly DesiredState[] =>
  ['production', 'staging'].map((name) => check(text, { ...PRODUCTION, name }).desired);

/** Each key with its standing, and what it is renamed to. */
const standings = (text: string, others: readonly string[] = []): string[] =>
  findStandings(states(text), others).map(({ key, standing, to, place }) =>
    [key, standing, to, place?.line].filter((one) => one !== undefined).join(' '),
  );

describe('a flag stands', () => {
  test.each<[string, string, string]>([
    ['active', '{ rollout_percentage: 50 }', 'f active 2'],
    ['active, where one project has it for some', '{ projects: { staging: { rollout_percentage: 5 } } }', 'f active 2'],
    [
      'active, where one project has it disabled and another for some',
      '{ rollout_percentage: 5, projects: { staging: { active: false } } }',
      'f active 2',
    ],
    ['disabled in every project', '{ active: false, rollout_percentage: 5 }', 'f disabled 2'],
    ['rolled out in every project', '{ active: true, rollout_percentage: 100 }', 'f rolled_out 2'],
    [
      'active, where one project has it rolled out and another disabled',
      '{ rollout_percentage: 100, projects: { staging: { active: false } } }',
      'f active 2',
    ],
    ['deleted in every project', '{ deleted: true }', 'f deleted 2'],
    ['as its other project declares it, where one does not', '{ only_in: [staging], active: false }', 'f disabled 2'],
  ])('%s', (_what, flag, expected) => expect(standings(`flags:\n  f: ${flag}\n`)).toEqual([expected]));

  test('renamed under each former key, unless another flag has that key today', () => {
    const text = 'flags:\n  new: { previous_keys: [old, older], active: false }\n  older: { active: false }\n';
    expect(standings(text)).toEqual(['new disabled 2', 'old renamed new 2', 'older disabled 3']);
  });

  test('undeclared where no manifest names it, whatever else is known of it', () => {
    const text = 'flags:\n  b: { previous_keys: [a], active: false }\n';
    expect(standings(text, ['c', 'b', 'a', 'c'])).toEqual(['a renamed b 2', 'b disabled 2', 'c undeclared']);
  });

  test.each(['active', 'filters'])('active, although everyone gets it, where others decide about its %s', (field) => {
    const [state] = states('flags:\n  f: { rollout_percentage: 100 }\n') as [DesiredState];
    const path = parseFieldPath(field);
    if ('problem' in path) throw new Error('names a place');
    const standingWith = (ownership: 'managed' | 'ignored'): unknown => {
      const rules = [{ path, ownership, source: { file: 'flagwright.yaml', line: 1, column: 1 } }];
      const flags = state.flags.map((flag) => ({ ...flag, ownership: rules }) as DesiredFlag);
      return findStandings([{ ...state, flags }], []).map(({ standing }) => standing);
    };
    expect([standingWith('managed'), standingWith('ignored')]).toEqual([['rolled_out'], ['active']]);
  });
});

const ALL = { properties: [], rollout_percentage: 100 };
const SOME = { properties: [{ key: 'a', value: 'x' }], rollout_percentage: 100 };
const variants = (...shares: number[]): JsonObject => ({
  multivariate: { variants: shares.map((share, index) => ({ key: `v${index}`, rollout_percentage: share })) },
});

test.each<[string, JsonObject, boolean | string | undefined]>([
  ['a disabled flag', { active: false, filters: { version: 2 } }, false],
  ['a condition for everyone', { filters: { groups: [ALL] } }, true],
  ['a condition that says nothing', { filters: { groups: [{}] } }, true],
  ['a condition for everyone behind one for some', { filters: { groups: [SOME, ALL] } }, true],
  ['a condition for some', { filters: { groups: [SOME] } }, undefined],
  ['a part of everyone', { filters: { groups: [{ ...ALL, rollout_percentage: 99 }] } }, undefined],
  ['no condition', { filters: { groups: [] } }, undefined],
  ['no filters', {}, undefined],
  ['filters of a later format', { filters: { version: 2, groups: [ALL] } }, undefined],
  ['one variant for all', { filters: { groups: [ALL], ...variants(100) } }, 'v0'],
  ['one variant that is left', { filters: { groups: [ALL], ...variants(0, 100) } }, 'v1'],
  ['two variants', { filters: { groups: [ALL], ...variants(50, 50) } }, undefined],
  [
    'a condition with a variant of its own',
    { filters: { groups: [{ ...ALL, variant: 'v0' }], ...variants(100) } },
    undefined,
  ],
  [
    'another condition with a variant of its own',
    { filters: { groups: [{ ...SOME, variant: 'v0' }, ALL], ...variants(100) } },
    undefined,
  ],
  ['payloads beside', { filters: { groups: [ALL], payloads: { true: '1' } } }, true],
  ['groups that it aggregates by', { filters: { groups: [ALL], aggregation_group_type_index: 0 } }, undefined],
  ['no groups that it aggregates by', { filters: { groups: [ALL], aggregation_group_type_index: null } }, true],
  ['a holdout', { filters: { groups: [ALL], holdout: { id: 1 } } }, undefined],
])('everyone gets the same by %s', (_what, fields, answer) => expect(sameAnswer(fields)).toBe(answer));
