/** Bodies with dependencies as the service expects them. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { resolveBody } from '../../../src/posthog/flag/resolve-body.ts';
import { dependsOn } from '../../helpers/states.ts';

describe('a body', () => {
  const idOf = (key: string): number | undefined => ({ a: 1, b: 2 })[key];
  const bodyOf = (...references: (string | number)[]): JsonObject => ({
    name: 'x',
    filters: { groups: references.flatMap((key) => dependsOn(key)['groups'] as JsonObject[]) },
  });

  test('names dependencies by their ids, as strings', () => {
    expect(resolveBody(bodyOf('b', 'a'), idOf)).toEqual({ body: bodyOf('2', '1') });
  });

  test('keeps the id of an unknown flag', () => {
    expect(resolveBody(bodyOf(99), idOf)).toEqual({ body: bodyOf('99') });
  });

  test('is refused with the first missing key if a dependency does not exist', () => {
    expect(resolveBody(bodyOf('a', 'nowhere', 'neither'), idOf)).toEqual({ missing: 'nowhere' });
  });

  test.each<[string, JsonObject]>([
    ['without filters', { name: 'x' }],
    ['with filters that are no object', { filters: null }],
    ['without dependencies', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } }],
  ])('%s is unchanged', (_name, body) => {
    expect(resolveBody(body, idOf)).toEqual({ body });
  });
});
