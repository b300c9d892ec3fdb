/** What the other project has under the same names: cohorts, roles and flags, and what it lacks. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { cross, missingDependency, rolesFor } from '../../src/editing/promotion.ts';
import type { PromotionReason } from '../../src/editing/edit.ts';
import type { Project } from '../../src/posthog/project.ts';

const FROM: Project = {
  name: 'staging',
  roles: { growth: 'r-1', sales: 'r-2', constructor: 'r-3' },
  cohorts: { beta: 42, staff: 43, constructor: 44, crew: 45 },
};
const TO: Project = { name: 'production', roles: { growth: 'r-9' }, cohorts: { beta: 7 } };
const KNOWN = new Set(['cohort:crew', 'checkout']);

const missing = (alias: string): PromotionReason => ({ code: 'cohort-missing', alias, project: 'production' });
const unnamed = (cohort: number): PromotionReason => ({ code: 'cohort-unnamed', cohort, project: 'staging' });

test.each<[what: string, values: readonly JsonValue[], crossed: readonly JsonValue[], missing?: PromotionReason]>([
  ['an id becomes the one of the same name', [42], [7]],
  ['a name becomes its id', ['beta'], [7]],
  ['text that is a number is no reference that can be named', ['42'], ['42']],
  ['what is no reference stays', [null, '', 1.5, ['beta']], [null, '', 1.5, ['beta']]],
  ['a cohort that manifests will declare is named', [45, 'crew'], ['crew', 'crew']],
  ['a cohort that the project lacks is named, and missing', ['staff'], ['staff'], missing('staff')],
  ['a name of every object is no cohort', [44], ['constructor'], missing('constructor')],
  ['an id without a name stays, and is missing', [99], [99], unnamed(99)],
  ['the first that is missing is the reason', [42, 43, 99], [7, 'staff', 99], missing('staff')],
  ['the first that is missing is the reason, whatever it lacks', [99, 43], [99, 'staff'], unnamed(99)],
])('%s', (_what, values, crossed, reason) => {
  const map = (toTarget: (value: JsonValue) => JsonValue): JsonObject => ({ values: values.map(toTarget) });
  expect(cross({ from: FROM, to: TO, known: KNOWN }, map)).toEqual({
    filters: { values: crossed },
    ...(reason === undefined ? {} : { missing: reason }),
  });
});

test.each<[what: string, roles: Parameters<typeof rolesFor>[0], found: object]>([
  ['by the name of its id', [{ id: 'r-1', level: 'viewer' }], { roles: new Map([['r-9', 'viewer']]) }],
  [
    'by the name that is given',
    [{ id: 'r-7', name: 'growth', level: 'editor' }],
    { roles: new Map([['r-9', 'editor']]) },
  ],
  [
    'by the name of its id rather than the one that is given',
    [{ id: 'r-2', name: 'growth', level: 'editor' }],
    { missing: { code: 'role-missing', role: 'sales', project: 'production' } },
  ],
  [
    'not without a name',
    [{ id: 'r-7', level: 'editor' }],
    { missing: { code: 'role-unnamed', role: 'r-7', project: 'staging' } },
  ],
  [
    'not by a name of every object',
    [{ id: 'r-3', level: 'editor' }],
    { missing: { code: 'role-missing', role: 'constructor', project: 'production' } },
  ],
  ['and there may be none', [], { roles: new Map() }],
])('a role is found %s', (_what, roles, found) => {
  expect(rolesFor(roles, { from: FROM, to: TO })).toEqual(found);
});

test.each<[key: JsonValue, missing: string | undefined]>([
  ['checkout', undefined],
  ['search', 'search'],
  [7, '7'],
])('of filters on checkout and %j, %j is missing', (key, expected) => {
  const on = (one: JsonValue): JsonObject => ({ key: one, type: 'flag', operator: 'flag_evaluates_to', value: true });
  const filters = { groups: [{ properties: [on('checkout')] }, { properties: [on(key)] }] };
  expect(missingDependency(filters, KNOWN)).toBe(expected);
  expect(missingDependency({}, KNOWN)).toBeUndefined();
});
