/** The scopes that an API key needs for a project: for what its manifests declare, and for what a run changed. */

import type { DesiredState } from './desired.ts';
import { FAMILIES } from './families.ts';
import type { KindName } from './kind-types.ts';

/** `runs`: nothing works without it. `applies`: writing needs it. `completes`: without it, reports know less or take more requests. */
export type ScopeUse = 'runs' | 'applies' | 'completes';

/** The operation that needs the scope. */
export type ScopeReason = 'flags' | 'cohorts' | 'early_access' | 'access' | 'names_of_roles' | 'members' | 'activity';

export interface NeededScope {
  readonly scope: string;
  readonly use: ScopeUse;
  readonly why: ScopeReason;
}

interface KindScopes {
  /** The object in the names of the scopes. */
  readonly object: string;
  readonly why: ScopeReason;
  readonly completedBy?: readonly NeededScope[];
}

const OBJECTS: Readonly<Record<KindName, KindScopes>> = {
  flag: {
    object: 'feature_flag',
    why: 'flags',
    completedBy: [{ scope: 'activity_log:read', use: 'completes', why: 'activity' }],
  },
  role_access: {
    object: 'access_control',
    why: 'access',
    completedBy: [
      { scope: 'organization:read', use: 'completes', why: 'names_of_roles' },
      { scope: 'project:read', use: 'completes', why: 'names_of_roles' },
      { scope: 'organization_member:read', use: 'completes', why: 'members' },
    ],
  },
  cohort: { object: 'cohort', why: 'cohorts' },
  early_access: { object: 'early_access_feature', why: 'early_access' },
};

/** `desired`: absent if the manifests cannot be read. `changed`: the kinds that the newest run changed. */
export function neededScopes(desired: DesiredState | undefined, changed: readonly KindName[]): NeededScope[] {
  const kinds = KIND_NAMES.filter((kind) => kind === 'flag' || changed.includes(kind) || declares(desired, kind));
  const all = kinds.flatMap(scopesOfKind);
  return [...all.filter(({ use }) => use !== 'completes'), ...all.filter(({ use }) => use === 'completes')];
}

/** The scopes for reading and writing resources of one kind. */
export function scopesOfKind(kind: KindName): readonly NeededScope[] {
  const { object, why, completedBy = [] } = OBJECTS[kind];
  return [
    { scope: `${object}:read`, use: 'runs', why },
    { scope: `${object}:write`, use: 'applies', why },
    ...completedBy,
  ];
}

const KIND_NAMES = Object.keys(OBJECTS) as readonly KindName[];

function declares(desired: DesiredState | undefined, kind: KindName): boolean {
  if (desired === undefined) return false;
  if (kind !== 'role_access')
    return FAMILIES.some((one) => one.kind === kind && (desired[one.section] ?? []).length > 0);
  return desired.flags.some(
    (flag) => flag.kind === 'declared' && (flag.roleAccess !== undefined || flag.everyone !== undefined),
  );
}

/** Whether a key with these scopes has one: `*` is all, and writing includes reading. */
export function hasScope(scopes: readonly string[], wanted: string): boolean {
  return ['*', wanted, wanted.replace(/:read$/, ':write')].some((scope) => scopes.includes(scope));
}
