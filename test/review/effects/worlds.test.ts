/** The flags on both sides of a plan: under which names, with which dependencies, and who depends on whom. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import {
  closureOf,
  cohortsOf,
  dependentsOf,
  makeWorlds,
  type ImpactWorld,
  type Worlds,
} from '../../../src/review/effects/worlds.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const needs = (...keys: readonly string[]): JsonObject => ({
  filters: { groups: keys.map((key) => (dependsOn(key)['groups'] as JsonObject[])[0] ?? {}) },
});

function worldsOf(live: readonly Flag[], ...desired: readonly DesiredFlag[]): Worlds {
  return makeWorlds(planFor(desiredState(...desired), liveState(live)).changes, live);
}

const LIVE = [
  liveFlag(1, 'base'),
  liveFlag(2, 'former', needs('1')),
  liveFlag(3, 'top', needs('2', '2')),
  liveFlag(4, 'deleted', { deleted: true }),
  liveFlag(5, 'gone'),
  liveFlag(6, 'strange', needs('99')),
];
const worlds = worldsOf(
  LIVE,
  declared('renamed', { name: 'New', ...needs('base') }, { previousKeys: ['former'] }),
  declared('new', needs('renamed')),
  declared('base', needs('new-base')),
  declared('new-base', { active: false }),
  retired('gone'),
);

const dependencies = (world: ImpactWorld): unknown =>
  Object.fromEntries([...world.flags.keys()].map((name) => [name, world.dependenciesOf(name)]));

describe('both sides of a plan', () => {
  it('have each flag by the key that it has then, those that the plan changes first, with what it depends on', () => {
    expect(dependencies(worlds.before)).toEqual({
      base: [],
      gone: [],
      renamed: ['base'],
      strange: [],
      top: ['renamed', 'renamed'],
    });
    expect(dependencies(worlds.after)).toEqual({
      ...{ base: ['new-base'], new: ['renamed'], 'new-base': [] },
      ...{ renamed: ['base'], strange: [], top: ['renamed', 'renamed'] },
    });
    expect(worlds.after.dependenciesOf('nobody')).toEqual([]);
  });

  it('have the keys by which each side hashes, ids of their own, and references by these', () => {
    const [before, after] = [worlds.before.flags.get('renamed'), worlds.after.flags.get('renamed')];
    expect([before?.key, after?.key, before?.id]).toEqual(['former', 'renamed', after?.id]);
    const ids = [...worlds.after.flags.values()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const top = worlds.after.flags.get('top');
    expect(JSON.stringify(top?.filters)).toContain(`"key":"${after?.id}"`);
    expect(JSON.stringify(worlds.after.flags.get('strange')?.filters)).toContain('no flag 99');
    expect(JSON.stringify(worlds.nameFlags(top?.filters as JsonObject))).toContain('"key":"renamed"');
    expect(worlds.nameFlags(needs('99')['filters'] as JsonObject)).toEqual(needs('99')['filters']);
  });

  it('are the same for a flag that a manifest names by its id', () => {
    const by = (reference: string | number): Worlds =>
      worldsOf([liveFlag(11, 'base'), liveFlag(12, 'a')], declared('a', needs(reference as string)));
    expect(by(11).after.flags.get('a')).toEqual(by('base').after.flags.get('a'));
    expect(by(11).after.dependenciesOf('a')).toEqual(['base']);
  });
});

describe('what flags depend on', () => {
  it('is reached over any number of flags, with the flags themselves', () => {
    expect([...closureOf(['top'], worlds.after)].toSorted()).toEqual(['base', 'new-base', 'renamed', 'top']);
    expect([...closureOf(['top'], worlds.before)].toSorted()).toEqual(['base', 'renamed', 'top']);
    expect([...closureOf([], worlds.before)]).toEqual([]);
  });

  it('is told the other way for both sides, sorted and without the flags themselves', () => {
    const of = (...names: readonly string[]): string[] => dependentsOf(new Set(names), worlds);
    expect([of('new-base'), of('renamed'), of('base', 'renamed'), of('top'), of()]).toEqual([
      ['base', 'new', 'renamed', 'top'],
      ['new', 'top'],
      ['new', 'top'],
      [],
      [],
    ]);
    // Only what is live depends on it.
    const former = worldsOf([liveFlag(1, 'a'), liveFlag(2, 'b', needs('1'))], declared('b', needs()));
    expect(dependentsOf(new Set(['a']), former)).toEqual(['b']);
  });
});

it('the cohorts of flags are named once each, by the text of their ids', () => {
  const on = (...values: readonly (string | number)[]): JsonObject => ({
    filters: {
      groups: values.map((value) => ({ properties: [{ key: 'id', type: 'cohort', operator: 'in', value }] })),
    },
  });
  expect(cohortsOf([liveFlag(1, 'a', on(7, '8')), liveFlag(2, 'b', on('7', 'crew')), liveFlag(3, 'c')])).toEqual([
    '7',
    '8',
    'crew',
  ]);
});
