/** Which side moved a resource, or a value, away from the base: what people did must not pass for a change of git. */

import { describe, expect, test } from 'vitest';
import type { Divergence } from '../../../src/core/engine/base.ts';
import type { DesiredResource } from '../../../src/core/engine/desired.ts';
import {
  classifyAlike,
  classifyAll,
  classifyDelete,
  classifyMissing,
  countAlike,
  withBaseValue,
  type Former,
  type ValueStates,
} from '../../../src/core/engine/three-way.ts';

const former = (kind: 'declared' | 'retired'): DesiredResource => ({ kind, key: 'a' }) as DesiredResource;

test.each<[string, Former, boolean, Divergence | undefined]>([
  ['has no class without a base', {}, true, undefined],
  ['is pending where the base did not name it', { base: null }, true, 'pending'],
  ['is pending where the base deleted it', { base: former('retired') }, true, 'pending'],
  ['drifted where people deleted it', { base: former('declared') }, true, 'drifted'],
  ['is a conflict where people deleted it and git changed it', { base: former('declared') }, false, 'conflict'],
])('a declared resource that is missing %s', (_, base, isSame, expected) => {
  expect(classifyMissing(base, () => isSame)).toBe(expected);
});

test.each<[string, Former, boolean, Divergence | undefined]>([
  ['has no class without a base', {}, true, undefined],
  ['is a conflict where the base declared another one', { base: former('declared'), isOther: true }, true, 'conflict'],
  ['is pending where the base did not name it', { base: null }, false, 'pending'],
  ['drifted where people made it again', { base: former('retired') }, true, 'drifted'],
  ['is pending where it is as the base declared it', { base: former('declared') }, true, 'pending'],
  ['is a conflict where people edited it', { base: former('declared') }, false, 'conflict'],
])('a live resource that is to be deleted %s', (_, base, isSame, expected) => {
  expect(classifyDelete(base, () => isSame)).toBe(expected);
});

describe('of several values', () => {
  const states: ValueStates = {
    states: {
      base: { name: 'base', tags: ['base'], unit: { a: 1, b: 1 }, deleted: false, same: 'base' },
      live: { name: 'live', tags: ['base'], unit: { a: 2, b: 1 }, deleted: true, same: 'moved', own: 'live' },
      wanted: { name: 'base', tags: ['git'], unit: { a: 1, b: 2 }, deleted: false, same: 'moved', own: 'git' },
    },
    units: new Set(['/unit']),
    isDeclared: (pointer) => pointer !== '/own',
    isChanged: true,
  };
  const at = (...paths: readonly string[]) => paths.map((path) => ({ path, before: 'live', after: 'git' }));
  const classesOf = (given: ValueStates, ...paths: readonly string[]) =>
    classifyAll(at(...paths), given).map((one) => [one.path, one.divergence, one.at]);

  test('each has its own class, those of a unit a common one, and what the base did not declare is pending', () => {
    expect(classesOf(states, '/name', '/tags', '/unit/a', '/unit/b', '/own')).toEqual([
      ['/name', 'drifted', '/name'],
      ['/tags', 'pending', '/tags'],
      ['/unit/a', 'conflict', '/unit'],
      ['/unit/b', 'conflict', '/unit'],
      ['/own', 'pending', '/own'],
    ]);
  });

  test('what people deleted is a conflict where git changed it meanwhile, and drifted elsewhere', () => {
    expect(classesOf(states, '/deleted')).toEqual([['/deleted', 'conflict', '/deleted']]);
    expect(classesOf({ ...states, isChanged: false }, '/deleted')).toEqual([['/deleted', 'drifted', '/deleted']]);
  });

  test('those of another resource are conflicts, those of a new one are pending', () => {
    const classes = (given: Former) => classifyAlike(at('/name', '/tags'), given).map(({ divergence }) => divergence);
    expect([classes({ isOther: true }), classes({ base: null })]).toEqual([
      ['conflict', 'conflict'],
      ['pending', 'pending'],
    ]);
  });

  test('only a conflict shows what the base declared, if it had a value', () => {
    const shown = (path: string, divergence: Divergence) =>
      withBaseValue({ path, before: 1, after: 2, divergence }, states.states);
    expect(shown('/name', 'conflict')).toMatchObject({ base: 'base' });
    expect(shown('/name', 'drifted')).not.toHaveProperty('base');
    expect(shown('/own', 'conflict')).not.toHaveProperty('base');
  });

  test('those that both sides moved to one value are counted where the base declared them, and git moved', () => {
    expect(countAlike(states)).toBe(1);
    expect(countAlike({ ...states, isDeclared: (pointer) => pointer !== '/same' })).toBe(0);
    expect(countAlike({ ...states, isChanged: false })).toBe(0);
  });
});
