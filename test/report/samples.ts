/** A plan and a result that hold every kind of change, hazard, warning and outcome. */

import { PLAIN, type View } from '../../src/report/view.ts';
import type { ApplyResult, Outcome } from '../../src/loop/apply/result.ts';
import type { Change, Plan } from '../../src/posthog/plan.ts';

const base = { version: 3, flag: { active: true }, former: {} };
const project = { name: 'production', host: 'https://us.posthog.com', project_id: '5678' };
const file = 'flags/checkout.yaml';
const engineering = { id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'engineering' };

const HELP_FILTERS = {
  groups: [
    {
      properties: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }],
      rollout_percentage: 100,
    },
    { properties: [], rollout_percentage: 25 },
  ],
  early_exit: true,
};

export const CHANGES: readonly Change[] = [
  {
    action: 'create',
    resource: 'flag',
    ref: 'flag:help-centre',
    key: 'help-centre',
    needs: [],
    source: { file: 'flags/help.yaml', line: 3, column: 3 },
    fields: [
      { path: '/name', after: 'Help centre' },
      { path: '/active', after: true },
      {
        path: '/filters',
        after: HELP_FILTERS,
      },
    ],
    body: { key: 'help-centre', name: 'Help centre', active: true, filters: HELP_FILTERS },
  },
  {
    action: 'update',
    resource: 'flag',
    ref: 'flag:new-checkout',
    key: 'new-checkout',
    id: 12,
    needs: [],
    source: { file, line: 3, column: 3 },
    fields: [
      { path: '/filters/groups/1/rollout_percentage', before: 10, after: 25, source: { file, line: 9, column: 13 } },
      { path: '/filters/groups/0/properties/0/value', before: '@acme.com', after: ['@acme.com', '@acme.org'] },
      { path: '/filters/multivariate/variants/1', after: { key: 'one-page', rollout_percentage: 50 } },
      { path: '/filters/payloads/one-page', before: { color: 'red' } },
      {
        path: '/name',
        before: 'One-page checkout\nfor all\nwho pay\nby card\nor by bill\nin Europe',
        after: 'One-page checkout\nfor all\nwho pay\nby card\nor by bill\nin Europe and Asia',
      },
    ],
    body: { filters: { groups: [] } },
    base,
  },
  {
    action: 'restore',
    resource: 'flag',
    ref: 'flag:search',
    key: 'search',
    id: 7,
    needs: [],
    source: { file, line: 30, column: 3 },
    fields: [{ path: '/deleted', before: true, after: false }],
    body: { deleted: false },
    base,
  },
  {
    action: 'grant',
    resource: 'role_access',
    ref: 'role_access:new-checkout:0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11',
    key: 'new-checkout',
    id: 12,
    needs: ['flag:new-checkout'],
    role: engineering,
    source: { file, line: 22, column: 20 },
    base: { roles: [] },
  },
  {
    action: 'revoke',
    resource: 'role_access',
    ref: 'role_access:search:0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12',
    key: 'search',
    id: 7,
    needs: ['flag:search'],
    role: { id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12' },
    entry_id: 31,
    base: { roles: ['0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12'] },
  },
  {
    action: 'delete',
    resource: 'flag',
    ref: 'flag:old-banner',
    key: 'old-banner',
    id: 3,
    needs: [],
    source: { file, line: 40, column: 3 },
    fields: [{ path: '/deleted', before: false, after: true }],
    body: { deleted: true },
    base: { ...base, version: null },
    reason: 'retired',
  },
  {
    action: 'delete',
    resource: 'flag',
    ref: 'flag:stray',
    key: 'stray',
    id: 4,
    needs: [],
    fields: [{ path: '/deleted', before: false, after: true }],
    body: { deleted: true },
    base,
    reason: 'pruned',
  },
];

const NONE = { create: 0, update: 0, delete: 0, restore: 0 };

export const KINDS = {
  flag: { ...NONE, unchanged: 41 },
  role_access: { grant: 0, adjust: 0, revoke: 0 },
  cohort: { ...NONE, unchanged: 0 },
} satisfies Plan['summary']['kinds'];

export const PLAN: Plan = {
  project,
  summary: {
    ...{ create: 1, update: 1, delete: 2, restore: 1, grant: 1, adjust: 0, revoke: 1, unchanged: 40, unmanaged: 3 },
    kinds: {
      ...KINDS,
      flag: { create: 1, update: 1, delete: 2, restore: 1, unchanged: 40 },
      role_access: { grant: 1, adjust: 0, revoke: 1 },
    },
  },
  changes: CHANGES,
  hazards: [
    { code: 'deletes', count: 6, kinds: { flag: 6 }, limit: 5, permit: { kind: 'deletes', value: 6 } },
    {
      code: 'deletes_percent',
      resource: 'flag',
      count: 6,
      of: 12,
      limit_percent: 30,
      permit: { kind: 'deletes', value: 6 },
    },
    {
      code: 'updates_percent',
      resource: 'flag',
      count: 7,
      of: 12,
      limit_percent: 50,
      permit: { kind: 'updates', value: 7 },
    },
    {
      code: 'protected',
      ref: 'flag:billing-v2',
      key: 'billing-v2',
      action: 'disable',
      permit: { kind: 'protected', value: 'billing-v2' },
    },
  ],
  unmanaged: ['legacy-flag', 'other'],
  warnings: [
    { code: 'cannot_edit', key: 'new-checkout', id: 12 },
    { code: 'experiments_linked', key: 'old-banner', id: 3, experiments: [5, 6] },
    { code: 'dependents_remain', key: 'old-banner', dependents: ['search'] },
    { code: 'dependency_missing', key: 'help-centre', dependency: 'help' },
    { code: 'dependency_disabled', key: 'help-centre', dependency: 'search' },
    { code: 'field_unsupported', key: 'help-centre', field: 'rollback_conditions' },
    { code: 'filters_opaque', key: 'search', format: '2', omitted: ['filters'], uncertain: ['name'], gated: ['name'] },
    { code: 'create_opaque', key: 'new-checkout', format: '2' },
    { code: 'unarchives', key: 'search', id: 7 },
    { code: 'ownership_unpaired', key: 'search', path: '/filters/groups/1' },
    { code: 'scheduled', key: 'search', id: 12, at: '2026-12-01T09:00:00Z', operation: 'update_status', value: true },
    { code: 'key_shared', key: 'search', ids: [7, 8] },
    { code: 'previous_key_live', key: 'search', previous: 'old-search', id: 9 },
    { code: 'renamed_back', key: 'search', id: 7, current: 'find', since: '2026-01-31T12:00:00.123456Z' },
    { code: 'renamed_away', key: 'search', id: 7, current: 'find', why: 'differs' },
    { code: 'deleted_unknown', key: 'new-checkout', why: 'forbidden' },
    { code: 'destroys_deleted', key: 'search', id: 11 },
    { code: 'named_elsewhere', key: 'staging-only', id: 10 },
    { code: 'target_unknown', key: 'nothing-*' },
    { code: 'protected_unmatched', key: 'bilings-*' },
    { code: 'holdout_undeclared', key: 'search', part: 'holdout', percent: 12.5 },
    { code: 'early_access_undeclared', key: 'search', part: 'super_groups' },
  ],
  fingerprint: 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
};

export const EMPTY_PLAN: Plan = {
  ...PLAN,
  summary: { ...NONE, grant: 0, adjust: 0, revoke: 0, unchanged: 41, unmanaged: 0, kinds: KINDS },
  changes: [],
  hazards: [],
  unmanaged: [],
  warnings: [],
};

const OUTCOMES: readonly Outcome[] = [
  { outcome: 'applied', id: 77 },
  { outcome: 'failed', error: { code: 'unique', message: 'taken', status: 400, field: 'key' } },
  { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/active', before: true, after: false }] } },
  { outcome: 'applied', id: 32 },
  { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['flag:search'] } },
  {
    outcome: 'pending',
    error: { code: 'approval_required', message: 'It waits.', status: 409 },
    request: {
      id: '9',
      url: 'https://us.posthog.com/project/1/approvals/9',
      action: 'feature_flag.disable',
      key: 'old-banner',
      wasOpen: false,
      asks: 'this_change',
    },
  },
  {
    outcome: 'unknown',
    error: { code: 'network', message: 'ECONNRESET' },
    parts: { written: ['filters'], waiting: ['active'], unsent: [] },
  },
];

export const RESULT: ApplyResult = {
  project,
  summary: PLAN.summary,
  outcomes: { applied: 2, failed: 1, skipped: 2, pending: 1, unknown: 1 },
  changes: CHANGES.map((change, index) => ({
    change,
    result: OUTCOMES[index] ?? { outcome: 'skipped', reason: { code: 'interrupted' } },
  })),
  remainder: [
    {
      ref: 'flag:help-centre',
      key: 'help-centre',
      path: '/name',
      wanted: 'Help centre ',
      found: 'Help centre',
      reason: 'service_changed_value',
    },
    { ref: 'flag:help-centre', key: 'help-centre', path: '/tags', wanted: ['a'], reason: 'service_dropped_value' },
    { ref: 'flag:help-centre', key: 'help-centre', path: '', reason: 'not_found' },
  ],
  verified: true,
  requests: 12,
};

export const VIEW: View = { palette: PLAIN, verbose: false, terminal: false };
