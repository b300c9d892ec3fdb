/** The shorthand of an overlay does not discard targeting, variants or payloads of the base. */

import { expect, it } from 'vitest';
import { describe } from '../../../../src/report/words/diagnostics.ts';
import { check, problems } from '../../../core/manifest/check.ts';

const ERROR = 'error overlay-discards /flags/f/projects/staging/rollout_percentage';
const OVERLAY = 'projects: { staging: { rollout_percentage: 5 } }';
const PROPERTY = '{ key: a, value: b }';
const VARIANTS = 'multivariate: { variants: [{ key: a, rollout_percentage: 100 }] }';

const found = (base: string, overlay = OVERLAY): string[] => problems(`flags:\n  f: { ${base}, ${overlay} }\n`);
const lostOf = (base: string): unknown[] =>
  check(`flags:\n  f: { ${base}, ${OVERLAY} }\n`).diagnostics.map(({ args }) => args);

it.each([
  'rollout_percentage: 10',
  'active: true',
  'filters: { groups: [{ rollout_percentage: 10 }] }',
  'filters: { groups: [{ description: some, properties: [], rollout_percentage: 1 }, { rollout_percentage: 5, variant: null }] }',
  'filters: { groups: [{}], multivariate: null, payloads: {}, early_exit: false }',
  'fields: { filters: { groups: [{ rollout_percentage: 5 }] } }',
])('an overlay may replace %s', (base) => {
  expect(found(base)).toEqual([]);
});

it.each([
  [`filters: { groups: [{ rollout_percentage: 1 }, { properties: [${PROPERTY}] }] }`, ['groups.1.properties']],
  [`filters: { groups: [{ variant: a }], ${VARIANTS} }`, ['groups.0.variant', 'multivariate']],
  ['filters: { groups: [{}], payloads: { true: 1 } }', ['payloads']],
  ['filters: { groups: [{}], aggregation_group_type_index: 0 }', ['aggregation_group_type_index']],
  ['filters: { groups: [{ aggregation_group_type_index: 0 }] }', ['groups.0.aggregation_group_type_index']],
  ['filters: { groups: [{}], early_exit: true }', ['early_exit']],
])('an overlay must not discard %s', (base, lost) => {
  expect(found(base)).toEqual([ERROR]);
  expect(lostOf(base)).toEqual([{ lost, unchecked: false }]);
});

it('the message names the parts as a plan does', () => {
  const base = `filters: { groups: [{ rollout_percentage: 1 }, { properties: [${PROPERTY}] }], payloads: { true: 1 } }`;
  const [diagnostic] = check(`flags:\n  f: { ${base}, ${OVERLAY} }\n`).diagnostics;
  expect(diagnostic && describe(diagnostic).message).toBe(
    'This rollout replaces the filters declared for all projects and discards "condition 2 · properties" and "payloads".',
  );
});

it('an overlay must not discard unchecked filters', () => {
  expect(lostOf(`fields: { filters: { groups: [{ properties: [${PROPERTY}] }] } }`)).toEqual([
    { lost: ['groups.0.properties'], unchecked: true },
  ]);
});

it.each([
  'projects: { staging: { rollout_percentage: null } }',
  'projects: { staging: { filters: { groups: [{ rollout_percentage: 5 }] } } }',
  'projects: { staging: { deleted: true, rollout_percentage: 5 } }',
  'deleted: true, projects: { staging: { rollout_percentage: 5 } }',
])('targeting is not discarded by %s', (overlay) => {
  expect(found(`filters: { groups: [{ properties: [${PROPERTY}] }] }`, overlay)).toEqual([]);
});

it('filters of an overlay replace the conditions and keep variants and payloads', () => {
  const overlay = 'projects: { production: { filters: { groups: [{ rollout_percentage: 5 }] } } }';
  const base = `filters: { groups: [{ properties: [${PROPERTY}] }], ${VARIANTS}, payloads: { a: 1 } }`;
  expect(check(`flags:\n  f: { ${base}, ${overlay} }\n`).desired.flags[0]).toMatchObject({
    fields: { filters: { groups: [{ rollout_percentage: 5 }], multivariate: {}, payloads: { a: 1 } } },
  });
});
