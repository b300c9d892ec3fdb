/** What `explain` shows of a declared flag: each value with its layer, who may use it, and what the project has instead. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { EXPLAINED_FLAGS } from '../../../src/posthog/flag/explain.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { check, ENGINEERING, PRODUCTION } from '../../core/manifest/check.ts';
import { liveFlag, liveState } from '../../helpers/states.ts';

const TEXT = `flags:
  search:
    description: Search
    active: true
    rollout_percentage: 10
    access: { default: viewer, roles: { engineering: editor, support: viewer } }
    projects:
      production: { rollout_percentage: 50, tags: [core] }
  gone: { deleted: true }
`;
const { files, desired } = check(TEXT, PRODUCTION);

function wantedOf(key: string) {
  const wanted = desired.flags.find((flag) => flag.key === key);
  const declaration = files[0]?.declarations.find((one) => one.key === key);
  if (wanted === undefined || declaration === undefined) throw new Error(key);
  return { wanted, declaration };
}

function valuesOf(key: string, text?: string, project = 'production') {
  const { wanted, declaration } = wantedOf(key);
  const path = text === undefined ? undefined : parseFieldPath(text);
  if (path !== undefined && 'problem' in path) throw new Error(text);
  return EXPLAINED_FLAGS.values(wanted, { declaration, project, ...(path === undefined ? {} : { path }) });
}

const ROLLOUT = '/filters/groups/0/rollout_percentage';
const ROLES = '/role_access/roles';

describe('the explained values of a flag', () => {
  test('have their layer, and what an overlay replaces', () => {
    expect(
      valuesOf('search').flatMap(({ path, value, layer }) => (layer === undefined ? [] : [[path, value, layer]])),
    ).toEqual(
      expect.arrayContaining([
        ['/name', 'Search', 'base'],
        ['/active', true, 'base'],
        ['/tags', ['core'], 'overlay'],
        [ROLLOUT, 50, 'overlay'],
      ]),
    );
    expect(valuesOf('search').filter((value) => 'replaces' in value)).toMatchObject([
      { path: ROLLOUT, place: { line: 8 }, replaces: { value: 10, place: { line: 5, column: 5 } } },
    ]);
    expect(valuesOf('search', undefined, 'staging').filter(({ layer }) => layer === 'overlay')).toEqual([]);
  });

  test('include the access of roles and of everyone, by name', () => {
    const access = valuesOf('search').filter(({ layer }) => layer === undefined);
    expect(access.map(({ path, value, place }) => [path, value, place.line])).toEqual([
      ['/role_access/default', 'viewer', 6],
      [`${ROLES}/engineering`, 'editor', 6],
      [`${ROLES}/support`, 'viewer', 6],
    ]);
  });

  test('are those at the asked place', () => {
    expect(valuesOf('search', 'rollout_percentage').map(({ path }) => path)).toEqual([ROLLOUT]);
    expect(valuesOf('search', 'role_access.support').map(({ path }) => path)).toEqual([`${ROLES}/support`]);
    expect(valuesOf('search', 'role_access').map(({ path }) => path)).toHaveLength(3);
    expect(valuesOf('search', 'active').map(({ path }) => path)).toEqual(['/active']);
  });

  test('are none of a flag that is declared as deleted', () => {
    expect(valuesOf('gone').filter(({ path }) => path !== '/deleted')).toEqual([]);
  });
});

describe('the live values of a flag', () => {
  const groups = (rollout: number): JsonObject => ({ filters: { groups: [{ rollout_percentage: rollout }] } });
  const LIVE = liveFlag(7, 'search', { name: 'Other', ...groups(50), tags: ['core'] });
  const liveOf = (flags: readonly Flag[], roleAccess: LiveState['roleAccess'] = {}, key = 'search') =>
    EXPLAINED_FLAGS.live(wantedOf(key).wanted, valuesOf(key), liveState(flags, roleAccess));

  test('differ only where they mean something else', () => {
    const found = liveOf([LIVE]);
    expect(found).toMatchObject({ id: 7 });
    const values = found?.sought.map((one) => [one.path, found.liveValueOf(one)]);
    expect(values).toEqual(
      expect.arrayContaining([
        ['/name', { value: 'Other', differs: true }],
        ['/active', { value: true, differs: false }],
        [ROLLOUT, { value: 50, differs: false }],
      ]),
    );
    expect(values).toHaveLength(valuesOf('search').filter(({ layer }) => layer !== undefined).length);
  });

  test('include the access that roles have, and differ where the level does', () => {
    const access = [{ id: 1, role: { id: ENGINEERING, name: 'engineering' } }];
    const attached = liveOf([LIVE], { 7: access })?.attached?.([]);
    expect([...(attached ?? [])].map(([path, { live }]) => [path, live])).toEqual([
      ['/role_access/default', { value: 'inherited', differs: true }],
      [`${ROLES}/engineering`, { value: 'editor', differs: false }],
      [`${ROLES}/support`, { differs: true }],
    ]);
    expect(liveOf([LIVE])?.attached?.([]).size).toBe(0);
  });

  test('are none of a flag that the project lacks, and none are sought of one that is declared as deleted', () => {
    expect(liveOf([liveFlag(8, 'another')])).toBeUndefined();
    expect(liveOf([liveFlag(9, 'gone')], {}, 'gone')?.attached?.([]).size).toBe(0);
  });
});
