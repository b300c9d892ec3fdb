/** Values that validation accepts are values that the service accepts. */

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { POSTHOG_FILTERS } from '../../../service/src/filters/posthog.ts';
import { holds, runs } from '../../helpers/runs.ts';
import { liveState, planFor } from '../../helpers/states.ts';
import { check } from './check.ts';
import { oddFilters } from './odd-filters.ts';

const CONTEXT = {
  isRemoteConfiguration: false,
  isEncrypted: false,
  wasEncrypted: false,
  checkDependencies: () => undefined,
  findCohort: (id: number) => (id > 0 ? { id, name: null, properties: null } : undefined),
};

/** The problems that `validate` reports for a flag with these filters. None, not even a warning, means that the service accepts it. */
function verdict(written: JsonValue): { readonly codes: readonly string[]; readonly refusal?: unknown } {
  const { diagnostics, desired } = check(JSON.stringify({ flags: { f: { filters: written } } }));
  const codes = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`);
  if (codes.length > 0) return { codes };
  // Conditions of other products alone, such as `holdout_groups`: services until 2025 have such flags, today's creates none.
  if (isJsonObject(written) && Array.isArray(written['groups']) && written['groups'].length === 0) {
    return { codes: ['conditions of other products'] };
  }
  const { changes, warnings } = planFor(desired, liveState([]));
  const opaque = warnings.filter(({ code }) => code === 'create_opaque').map(({ code }) => code);
  // The plan creates no flag with filters of another format.
  if (opaque.length > 0) return { codes: opaque };
  const [change] = changes;
  if (change?.action !== 'create') throw new Error('nothing to create');
  const sent = change.body['filters'];
  try {
    POSTHOG_FILTERS.create(isJsonObject(sent) ? sent : undefined, CONTEXT);
    return { codes };
  } catch (refusal) {
    return { codes, refusal: (refusal as { body?: unknown }).body ?? refusal };
  }
}

describe('what passes validate without a problem', () => {
  it('is accepted by the current service', () => {
    let silent = 0;
    let warned = 0;
    holds(800, [oddFilters()], (written) => {
      const { codes, refusal } = verdict(written);
      if (codes.length === 0) silent += 1;
      else warned += 1;
      expect([written, refusal]).toEqual([written, undefined]);
    });
    expect(Math.min(silent, warned)).toBeGreaterThan(runs(800) / 10);
  });

  const group = (rest: JsonObject): JsonObject => ({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'name', type: 'group', operator: 'exact', value: ['a'], ...rest }] }],
  });
  const person = (rest: JsonObject): JsonObject => ({ groups: [{ properties: [{ key: 'k', ...rest }] }] });
  const whole = (rest: JsonObject): JsonObject => ({ groups: [{}], ...rest });

  it.each<[string, JsonObject, string]>([
    ['a group property without its type', group({}), 'error property-missing /groups/0/properties/0'],
    ['one whose type is null', group({ group_type_index: null }), 'error property-missing /groups/0/properties/0'],
    [
      'a group type that no integer of the service holds',
      group({ group_type_index: 2 ** 31 }),
      'error value-out-of-range /groups/0/properties/0/group_type_index',
    ],
    ['an empty property key', person({ key: '', value: 'a' }), 'error length-out-of-range /groups/0/properties/0/key'],
    ...['2024-02-31', '2024-01-31T25:00', '99999d', 'tomorrow', '31 01 2024 #'].map(
      (value): [string, JsonObject, string] => [
        `the date ${value}`,
        person({ operator: 'is_date_after', value }),
        'error operator-value-unfit /groups/0/properties/0/value',
      ],
    ),
    ...['2024', '2024-01', 'Jan 31 2024', '31.01.2024', '20240131', '2024-01-31T10:00Z'].map(
      (value): [string, JsonObject, string] => [
        `the date ${value}, which is stored and never matches`,
        person({ operator: 'is_date_after', value }),
        'warning operator-value-unfit /groups/0/properties/0/value',
      ],
    ),
    [
      'a bare wildcard',
      person({ operator: 'semver_wildcard', value: '*' }),
      'error operator-value-unfit /groups/0/properties/0/value',
    ],
    [
      'a version with a prefix',
      person({ operator: 'semver_gt', value: 'v1.2.3' }),
      'error operator-value-unfit /groups/0/properties/0/value',
    ],
    [
      'an operator that the service only evaluates',
      person({ operator: 'between', value: [1, 2] }),
      'error operator-refused /groups/0/properties/0/operator',
    ],
    [
      'variants that almost sum to 100',
      whole({ multivariate: { variants: [{ key: 'a', rollout_percentage: 99.9999999 }] } }),
      'error variants-sum /multivariate/variants',
    ],
    ['multivariate without variants', whole({ multivariate: {} }), 'error property-missing /multivariate'],
    ['a label that is no string', person({ value: 'a', label: 5 }), 'error type-wrong /groups/0/properties/0/label'],
    ['an enrollment that is no boolean', whole({ feature_enrollment: 'yes' }), 'error type-wrong /feature_enrollment'],
    ['a holdout that is none', whole({ holdout: { id: 'x' } }), 'error property-missing /holdout'],
    [
      'a holdout of more than everybody',
      whole({ holdout: { id: 1, exclusion_percentage: 101 } }),
      'error value-out-of-range /holdout/exclusion_percentage',
    ],
    [
      'a frozen exposure that is no boolean',
      { groups: [{ exposure_frozen: 1 }] },
      'error type-wrong /groups/0/exposure_frozen',
    ],
    [
      'more than the service stores',
      person({ operator: 'exact', value: Array.from({ length: 60_000 }, (_, index) => `user-${index}`) }),
      'error filters-too-large ',
    ],
    [
      'a payload that is too large once it is text',
      whole({ payloads: { true: Array.from({ length: 60_000 }, () => '"\\') } }),
      'error filters-too-large ',
    ],
    [
      'a payload that is too large once it is ASCII',
      whole({ payloads: { true: ['ü'.repeat(80_000)] } }),
      'error filters-too-large ',
    ],
  ])('does not include %s', (_, written, problem) => {
    expect(verdict(written).codes.map((code) => code.replace('/flags/f/filters', ''))).toContain(problem);
  });

  it.each<[string, JsonObject]>([
    ['half a megabyte', person({ operator: 'exact', value: ['x'.repeat(523_900)] })],
    ...[
      '2024-02-29T10:00:00.5+02:00',
      '06/01/2024',
      '2024/06/01',
      'June 1, 2024',
      '1 Jun 2024',
      '2024-06-01 10:30 PST',
    ].map((value): [string, JsonObject] => [`the date ${value}`, person({ operator: 'is_date_exact', value })]),
    ['several stars', person({ operator: 'semver_wildcard', value: '1.*.*' })],
    ['a holdout', whole({ holdout: { id: 1, exclusion_percentage: 10 }, feature_enrollment: null })],
    ['a sort key of any kind', { groups: [{ sort_key: 5, rollout_percentage: 5 }, { sort_key: ['a'] }] }],
  ])('includes %s', (_, written) => expect(verdict(written)).toEqual({ codes: [] }));
});
