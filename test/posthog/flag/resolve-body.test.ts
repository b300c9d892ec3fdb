/** Bodies with dependencies as the service expects them. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { type IdLookup, resolveBody } from '../../../src/posthog/flag/model/references.ts';
import { dependsOn } from '../../helpers/states.ts';

describe('a body', () => {
  const ids: IdLookup = { flag: (key) => ({ a: 1, b: 2 })[key], cohort: (alias) => ({ beta: 7 })[alias] };
  const bodyOf = (...references: (string | number)[]): JsonObject => ({
    name: 'x',
    filters: { groups: references.flatMap((key) => dependsOn(key)['groups'] as JsonObject[]) },
  });

  test('names dependencies by their ids, as strings', () => {
    expect(resolveBody(bodyOf('b', 'a'), ids)).toEqual({ body: bodyOf('2', '1') });
  });

  test('keeps the id of an unknown flag', () => {
    expect(resolveBody(bodyOf(99), ids)).toEqual({ body: bodyOf('99') });
  });

  test('is refused with the first missing key if a dependency does not exist', () => {
    expect(resolveBody(bodyOf('a', 'nowhere', 'neither'), ids)).toEqual({ missing: { flag: 'nowhere' } });
  });

  const inCohorts = (...values: (string | number)[]): JsonObject => ({
    filters: { groups: [{ properties: values.map((value) => ({ key: 'id', type: 'cohort', value })) }] },
  });

  test('names cohorts by their ids, as numbers where the plan has an alias', () => {
    expect(resolveBody(inCohorts('beta', 3, '4'), ids)).toEqual({ body: inCohorts(7, 3, '4') });
  });

  test('is refused with the alias of a cohort that does not exist', () => {
    expect(resolveBody(inCohorts('beta', 'gamma'), ids)).toEqual({ missing: { cohort: 'gamma' } });
  });

  test.each<[string, JsonObject]>([
    ['without filters', { name: 'x' }],
    ['with filters that are no object', { filters: null }],
    ['without dependencies', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } }],
  ])('%s is unchanged', (_name, body) => {
    expect(resolveBody(body, ids)).toEqual({ body });
  });
});
