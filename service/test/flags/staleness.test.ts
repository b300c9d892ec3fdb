/** The status of a flag by its calls and its configuration. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { flagStatus, isListedAsStale } from '../../src/flags/staleness.ts';
import type { StoredFlag } from '../../src/store/flag.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const EVERYBODY = { groups: [{ rollout_percentage: 100, properties: [] }] };

function flag(changes: Partial<StoredFlag>): StoredFlag {
  return {
    id: 1,
    projectId: '1',
    key: 'a',
    name: '',
    active: true,
    deleted: false,
    archived: false,
    version: 1,
    createdAt: '2024-01-01T00:00:00Z',
    filters: EVERYBODY,
    fields: {},
    ...changes,
  };
}

test.each<[status: string, changes: Partial<StoredFlag>]>([
  ['stale', {}],
  ['active', { createdAt: '2026-02-08T12:00:00Z' }],
  ['stale', { createdAt: '2026-02-08T11:59:59.999999Z' }],
  ['active', { active: false }],
  ['archived', { archived: true, active: false }],
  ['deleted', { deleted: true, archived: true }],
  ['active', { fields: { last_called_at: '2026-02-08T12:00:00Z' } }],
  ['stale', { fields: { last_called_at: '2026-02-08T11:59:59Z' }, filters: { groups: [{ rollout_percentage: 5 }] } }],
  ['stale', { fields: { last_called_at: null } }],
  ['active', { filters: { groups: [{ properties: [] }] } }],
])('%s: %j', (status, changes) => {
  expect(flagStatus(flag(changes), NOW).status).toBe(status);
  expect(isListedAsStale(flag(changes), NOW)).toBe(status === 'stale');
});

test.each<[isListed: boolean, filters: JsonObject]>([
  [false, { groups: [] }],
  [true, {}],
])('a flag without conditions is stale; the list has it: %j, %j', (isListed, filters) => {
  expect(flagStatus(flag({ filters }), NOW)).toMatchObject({ status: 'stale', isByRollout: true });
  expect(isListedAsStale(flag({ filters }), NOW)).toBe(isListed);
});
