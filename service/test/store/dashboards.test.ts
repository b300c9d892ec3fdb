import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { openStore, type Store } from '../../src/store/store.ts';

function flag(id: number, fields: JsonObject) {
  const createdAt = '2026-01-01T00:00:00Z';
  const state = { active: true, deleted: false, archived: false, version: 1, createdAt };
  return { id, projectId: '1', key: `f${id}`, name: '', ...state, filters: { groups: [] }, fields };
}

/** Two connections to one file. */
function stores(): readonly [Store, Store] {
  const folder = mkdtempSync(path.join(tmpdir(), 'dashboards-'));
  const opened = [openStore(path.join(folder, 'data')), openStore(path.join(folder, 'data'))] as const;
  onTestFinished(() => {
    for (const store of opened) store.close();
    rmSync(folder, { recursive: true });
  });
  return opened;
}

test('the next dashboard follows the largest that any flag has, whoever wrote it', () => {
  const [one, other] = stores();
  const next = (): readonly number[] => [one, other].map(({ flags }) => flags.dashboards.next('1'));
  expect(next()).toEqual([1, 1]);
  one.flags.insert(flag(1, { usage_dashboard: 4 }));
  expect(next()).toEqual([5, 5]);
  other.flags.insert(flag(2, { analytics_dashboards: [3, 9] }));
  expect(next()).toEqual([10, 10]);
  other.flags.update(flag(1, { usage_dashboard: 12 }));
  expect(next()).toEqual([13, 13]);
  one.flags.remove(1);
  expect(next()).toEqual([10, 10]);
  expect(one.flags.dashboards.next('2')).toBe(1);
});

test('a transaction that is rolled back leaves no dashboard', () => {
  const [store] = stores();
  const { flags } = store;
  expect(flags.dashboards.next('1')).toBe(1);
  const fail = (): never => {
    flags.insert(flag(1, { usage_dashboard: 7 }));
    throw new Error('no');
  };
  expect(() => store.transaction(fail)).toThrow('no');
  expect(flags.dashboards.next('1')).toBe(1);
});
