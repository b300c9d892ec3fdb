/** A change of every kind with every action, and every outcome that one may have. */

import type { Outcome, SkipReason } from '../../src/loop/apply/result.ts';
import type { Change } from '../../src/posthog/plan.ts';

type Made<Any extends Change> = Any extends Change ? `${Any['resource']} ${Any['action']}` : never;

const PLACE = { file: 'flags/a.yaml', line: 3, column: 5 };
const ROLE = { id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'engineering' };
const FLAG_BASE = { version: null, edited: { by: 'ann', at: '2026-11-21T09:00:00Z' }, flag: {}, former: { name: '' } };
const definition = (...values: readonly string[]) => ({
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: values }] } },
});
const COHORT_BASE = { cohort: definition('pro'), former: { name: 'Beta' }, namesakes: [2] };
const ACCESS_BASE = {
  roles: [ROLE.id],
  levels: { roles: { [ROLE.id]: 'viewer' }, everyone: null, inherited: 'editor' },
};
const FLAG = { resource: 'flag', ref: 'flag:a', key: 'a', needs: ['flag:b'], source: PLACE } as const;
const COHORT = { resource: 'cohort', ref: 'cohort:a', key: 'a', needs: [], source: PLACE } as const;
const ACCESS = { resource: 'role_access', ref: 'role_access:a:r', key: 'a', needs: [], base: ACCESS_BASE } as const;
const FIELDS = [
  { path: '/name', before: 'a', after: 'b', source: PLACE, divergence: 'conflict', base: 'c' },
  {
    path: '/filters/groups/0/rollout_percentage',
    before: 60,
    after: 50,
    bounds: { between: [0, 50] as const, declared: 10 },
  },
] as const;
const KEEPS = [
  {
    path: '/filters/groups/0/rollout_percentage',
    live: '/filters/groups/1/rollout_percentage',
    between: [0, 50] as const,
  },
  { path: '/active', new: true },
] as const;
const BODY = { name: 'b' };

const FEATURE = {
  resource: 'early_access',
  ref: 'early_access:a',
  key: 'a',
  needs: ['flag:b'],
  source: PLACE,
  flag: 'b',
  managed: true,
} as const;
const FEATURE_FIELDS = {
  name: 'a',
  description: 'b',
  stage: 'beta',
  documentation_url: 'https://x.test',
  payload: { icon: 'share' },
  enrollment: false,
};
const LIVE_FEATURE = {
  id: 1,
  feature_id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e01',
  base: { feature: FEATURE_FIELDS, former: FEATURE_FIELDS },
};

/** A member for each: a new kind or action is missing here until it is added. */
export const CHANGES_OF_KINDS: { readonly [Name in Made<Change>]: Change } = {
  'flag create': { ...FLAG, action: 'create', fields: [], divergence: 'pending', body: { key: 'a' }, keeps: KEEPS },
  'flag update': { ...FLAG, action: 'update', id: 1, fields: FIELDS, body: BODY, base: FLAG_BASE, keeps: KEEPS },
  'flag restore': { ...FLAG, action: 'restore', id: 1, fields: FIELDS, body: BODY, base: FLAG_BASE, keeps: KEEPS },
  'flag delete': { ...FLAG, action: 'delete', id: 1, fields: FIELDS, body: BODY, base: FLAG_BASE, reason: 'undone' },
  'role_access grant': {
    ...ACCESS,
    action: 'grant',
    role: ROLE,
    level: 'editor',
    divergence: 'conflict',
    base_level: null,
  },
  'role_access adjust': {
    ...ACCESS,
    action: 'adjust',
    id: 1,
    role: ROLE,
    before: null,
    level: 'manager',
    source: PLACE,
  },
  'role_access revoke': { ...ACCESS, action: 'revoke', id: 1, role: ROLE, level: 'viewer' },
  'cohort create': { ...COHORT, action: 'create', fields: FIELDS, body: BODY },
  'cohort update': {
    ...COHORT,
    action: 'update',
    id: 1,
    fields: FIELDS,
    body: { ...BODY, ...definition('pro', 'free') },
    base: COHORT_BASE,
  },
  'cohort restore': { ...COHORT, action: 'restore', id: 1, fields: FIELDS, body: BODY, base: COHORT_BASE },
  'cohort delete': {
    ...COHORT,
    action: 'delete',
    id: 1,
    fields: FIELDS,
    body: BODY,
    base: COHORT_BASE,
    reason: 'retired',
  },
  'early_access create': { ...FEATURE, action: 'create', fields: FIELDS, body: BODY, enrollment: 'starts' },
  'early_access update': {
    ...FEATURE,
    ...LIVE_FEATURE,
    action: 'update',
    fields: FIELDS,
    body: BODY,
    enrollment: 'starts',
  },
  'early_access delete': {
    ...FEATURE,
    ...LIVE_FEATURE,
    action: 'delete',
    fields: FIELDS,
    body: BODY,
    enrollment: 'ends',
    reason: 'retired',
  },
};

const ERROR = { code: 'invalid_input', message: 'No.', status: 400, field: 'filters' };
const PARTS = { written: ['filters'], waiting: ['active'], unsent: ['name'] };

const SKIPS: { readonly [Code in SkipReason['code']]: SkipReason } = {
  interrupted: { code: 'interrupted' },
  deadline: { code: 'deadline' },
  not_recorded: { code: 'not_recorded' },
  key_refused: { code: 'key_refused', ref: 'flag:b' },
  needs_failed: { code: 'needs_failed', refs: ['flag:b'] },
  stale: { code: 'stale', moved: [{ path: '/active', before: true, after: false }, { path: '' }] },
};

export const OUTCOMES: readonly Outcome[] = [
  { outcome: 'applied' },
  { outcome: 'applied', id: 7 },
  { outcome: 'applied', already: true },
  { outcome: 'failed', error: ERROR },
  { outcome: 'failed', error: { code: 'ECONNREFUSED', message: 'No.' }, parts: PARTS },
  { outcome: 'unknown', error: ERROR },
  { outcome: 'pending', error: ERROR },
  {
    outcome: 'pending',
    error: ERROR,
    parts: PARTS,
    request: {
      id: '7',
      url: 'https://x.test/7',
      action: 'feature_flag.enable',
      key: 'a',
      wasOpen: true,
      asks: 'this_change',
    },
  },
  ...Object.values(SKIPS).map((reason): Outcome => ({ outcome: 'skipped', reason })),
];
