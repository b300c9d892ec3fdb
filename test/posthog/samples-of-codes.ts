/** A warning and a hazard of every code that a plan may have. */

import type { Hazard, PlanWarning } from '../../src/posthog/plan.ts';

const PERMIT = {
  key: 'a',
  permit: { kind: 'override', value: 'a' },
  reason: 'agreed',
  expires: '2026-12-31',
  source: { file: 'permits.yaml', line: 1, column: 1 },
} as const;

/** A member for each code: a new one is missing here until it is added. */
export const WARNINGS: { readonly [Code in PlanWarning['code']]: PlanWarning & { readonly code: Code } } = {
  cannot_edit: { code: 'cannot_edit', key: 'a', id: 1 },
  experiments_linked: { code: 'experiments_linked', key: 'a', id: 1, experiments: [1] },
  dependents_remain: { code: 'dependents_remain', key: 'a', dependents: ['b'] },
  dependency_missing: { code: 'dependency_missing', key: 'a', dependency: 'b' },
  dependency_disabled: { code: 'dependency_disabled', key: 'a', dependency: 'b' },
  field_unsupported: { code: 'field_unsupported', key: 'a', field: 'x' },
  filters_opaque: { code: 'filters_opaque', key: 'a', format: '2', omitted: ['filters'], uncertain: [] },
  create_opaque: { code: 'create_opaque', key: 'a', format: '2' },
  unarchives: { code: 'unarchives', key: 'a', id: 1 },
  ownership_unpaired: { code: 'ownership_unpaired', key: 'a', path: '/filters/groups/1' },
  scheduled: { code: 'scheduled', key: 'a', id: 1, at: '2026-12-01T09:00:00Z', operation: 'update_status' },
  holdout_undeclared: { code: 'holdout_undeclared', key: 'a', part: 'holdout', percent: 12.5 },
  early_access_undeclared: { code: 'early_access_undeclared', key: 'a', part: 'super_groups' },
  key_shared: { code: 'key_shared', key: 'a', ids: [1, 2] },
  previous_key_live: { code: 'previous_key_live', key: 'a', previous: 'b', id: 1 },
  renamed_back: { code: 'renamed_back', key: 'a', id: 1, current: 'b', since: '2026-01-31T12:00:00Z' },
  renamed_away: { code: 'renamed_away', key: 'a', id: 1, current: 'b', why: 'declared' },
  deleted_unknown: { code: 'deleted_unknown', key: 'a', why: 'too_long' },
  destroys_deleted: { code: 'destroys_deleted', key: 'a', id: 1 },
  named_elsewhere: { code: 'named_elsewhere', key: 'a', id: 1 },
  target_unknown: { code: 'target_unknown', key: 'a*' },
  protected_unmatched: { code: 'protected_unmatched', key: 'a*' },
  payloads_encrypted: { code: 'payloads_encrypted', key: 'a' },
  permit_used: { code: 'permit_used', rules: ['conflict'], ...PERMIT },
  permit_unused: { code: 'permit_unused', ...PERMIT },
  permit_unmatched: { code: 'permit_unmatched', ...PERMIT },
  permit_expired: { code: 'permit_expired', ...PERMIT },
  access_refused: { code: 'access_refused', key: 'a', detail: 'no' },
  access_unread: { code: 'access_unread', key: 'a' },
  access_unpaid: { code: 'access_unpaid', key: 'a' },
  access_fixed: { code: 'access_fixed', key: 'a' },
  access_of_members: { code: 'access_of_members', key: 'a', members: 2 },
  cohort_flags: { code: 'cohort_flags', key: 'cohort:a', action: 'update', flags: ['b'] },
  cohort_calculating: { code: 'cohort_calculating', key: 'a', cohort: 'b' },
  cohort_static: { code: 'cohort_static', key: 'cohort:a', id: 1 },
  cohort_renamed: { code: 'cohort_renamed', key: 'cohort:a', id: 1, current: 'B', since: '2026-01-31T12:00:00Z' },
  cohort_renamed_away: { code: 'cohort_renamed_away', key: 'cohort:a', id: 1, current: 'B', why: 'differs' },
  cohort_former_unknown: { code: 'cohort_former_unknown', key: 'cohort:a', why: 'forbidden' },
  cohort_behavioral: { code: 'cohort_behavioral', key: 'cohort:a', flags: ['b'] },
};

const OF_FLAG = { ref: 'flag:a', key: 'a', permit: { kind: 'override', value: 'a' } } as const;

export const HAZARDS: { readonly [Code in Hazard['code']]: Hazard & { readonly code: Code } } = {
  deletes: {
    code: 'deletes',
    count: 6,
    kinds: { flag: 5, cohort: 1 },
    limit: 5,
    permit: { kind: 'deletes', value: 6 },
  },
  updates: { code: 'updates', count: 6, limit: 5, permit: { kind: 'updates', value: 6 } },
  disables: { code: 'disables', count: 6, limit: 5, permit: { kind: 'disables', value: 6 } },
  deletes_percent: {
    code: 'deletes_percent',
    resource: 'flag',
    count: 6,
    of: 12,
    limit_percent: 30,
    permit: { kind: 'deletes', value: 6 },
  },
  updates_percent: {
    code: 'updates_percent',
    resource: 'cohort',
    count: 7,
    of: 12,
    limit_percent: 50,
    permit: { kind: 'updates', value: 7 },
  },
  manifests_shrunk: { code: 'manifests_shrunk', count: 9, kept: 1, permit: { kind: 'deletes', value: 9 } },
  protected: { ...OF_FLAG, code: 'protected', action: 'rename' },
  conflict: { ...OF_FLAG, code: 'conflict', action: 'update', paths: ['/active'], pruned: true },
  experiments: { ...OF_FLAG, code: 'experiments', experiments: [1] },
  dependents: { ...OF_FLAG, code: 'dependents', action: 'disable', dependents: ['b'] },
  switched_off: { ...OF_FLAG, code: 'switched_off', deleted: true },
  dependency_left: { ...OF_FLAG, code: 'dependency_left', dependent: 'b', why: 'cycle' },
  cohort_used: { ...OF_FLAG, code: 'cohort_used', flags: ['b'], cohorts: ['c'] },
  lockout: { ...OF_FLAG, code: 'lockout' },
  own_access: { ...OF_FLAG, code: 'own_access' },
};
