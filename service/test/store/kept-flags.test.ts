/** A version of a flag is parsed and serialized once. Equal objects are the same one exactly where nothing was parsed again. */

import { expect, test } from 'vitest';
import { keepText } from '../../src/handler/lists.ts';
import { PROFILES } from '../../src/handler/profile.ts';
import type { ServiceContext } from '../../src/handler/call.ts';
import { serializer } from '../../src/flags/serialize.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { StoredFlag } from '../../src/store/flag.ts';
import { keepFlags } from '../../src/store/flags.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';

const PAGE = { limit: -1, offset: 0 };

function storeWith(keys: readonly string[]): Store {
  const store = openStore(':memory:');
  for (const key of keys) store.flags.insert(flagNamed(key));
  return store;
}

function flagNamed(key: string): Omit<StoredFlag, 'id'> {
  const time = '2026-01-01T00:00:00Z';
  const state = { active: true, deleted: false, archived: false, version: 1, createdAt: time };
  return { projectId: '1', key, name: '', ...state, filters: { groups: [] }, fields: {} };
}

function list(store: Store): Map<string, StoredFlag> {
  return new Map(store.flags.list('1', {}, PAGE).map((flag) => [flag.key, flag]));
}

test('a list parses what was written since the last one', () => {
  const store = storeWith(['a', 'b', 'c']);
  const first = list(store);
  const [a, b] = [first.get('a'), first.get('b')];
  if (a === undefined || b === undefined) throw new Error('not listed');
  store.flags.update({ ...a, name: 'Written' });
  const second = list(store);
  expect(second.get('a')?.name).toBe('Written');
  expect(second.get('b')).toBe(b);
  expect(list(store).get('a')).toBe(second.get('a'));
  store.flags.remove(b.id);
  expect([...list(store).keys()]).toEqual(['c', 'a']);
});

test('a write that is rolled back is not kept', () => {
  const store = storeWith(['a']);
  const failing = (): void =>
    store.transaction(() => {
      for (const flag of list(store).values()) store.flags.update({ ...flag, name: 'Lost' });
      expect(list(store).get('a')?.name).toBe('Lost');
      throw new Error('refused');
    });
  expect(failing).toThrow('refused');
  expect(list(store).get('a')?.name).toBe('');
});

test('kept flags have a limit, and flags beyond it are still read', () => {
  const file = `${createWorkspace().root}/service.db`;
  const store = openStore(file);
  const ids = ['a', 'b', 'c'].map((key) => store.flags.insert(flagNamed(key)).id);
  const database = openDatabase(file);
  const kept = keepFlags(database, 2 * '{"groups":[]}{}'.length);
  const [first, second] = [kept.read(() => ids), kept.read(() => ids)];
  expect(second).toEqual(first);
  expect(second.map((flag, place) => flag === first[place])).toEqual([true, true, false]);
  kept.forget(ids[0] ?? 0);
  expect(kept.read(() => [...ids].reverse()).map(({ key }) => key)).toEqual(['c', 'b', 'a']);
  database.close();
  store.close();
});

test('an answer is serialized once for each version, for each set of names, and for each status', () => {
  const store = storeWith(['a']);
  let now = new Date('2026-01-02T00:00:00Z');
  const of = (profile: 'documented' | 'posthog'): ServiceContext => ({
    store,
    projectIds: ['1'],
    rules: PROFILES[profile],
    now: () => now,
    randomUuid: () => '',
  });
  const show = (profile: 'documented' | 'posthog'): string => {
    const [answer = {}] = [...list(store).values()].map(serializer(of(profile)));
    texts.add(answer);
    return keepText(answer);
  };
  const texts = new Set<object>();
  expect([show('posthog'), show('posthog')].map((text) => text.includes('"ACTIVE"'))).toEqual([true, true]);
  expect(texts.size).toBe(1);
  now = new Date('2026-03-01T00:00:00Z');
  expect(show('posthog')).toContain('"STALE"');
  expect(texts.size).toBe(2);
  store.cohorts.register('1', { id: 1, name: 'Beta' });
  show('posthog');
  expect(texts.size).toBe(3);
  show('posthog');
  expect(texts.size).toBe(3);
  show('documented');
  expect(texts.size).toBe(4);
});
