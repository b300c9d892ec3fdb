/** The scopes that an API key needs for a project: for what its manifests declare, and for what a run changed. */

import type { DesiredState } from './desired.ts';
import type { KindName } from './kind-types.ts';
import { KIND_BY_NAME, KINDS } from './kinds.ts';

/** `runs`: nothing works without it. `applies`: writing needs it. `completes`: without it, reports know less or take more requests. `judges`: without it, a policy refuses changes of other projects. `steps`: without it, steps of rollouts wait. */
export type ScopeUse = 'runs' | 'applies' | 'judges' | 'steps' | 'completes';

/** The operation that needs the scope. */
export type ScopeReason =
  'flags' | 'cohorts' | 'early_access' | 'access' | 'names_of_roles' | 'members' | 'activity' | 'soaked' | 'alerts';

export interface NeededScope {
  readonly scope: string;
  readonly use: ScopeUse;
  readonly why: ScopeReason;
}

/** The scopes of a kind: those for reading and writing its resources, and others. */
export interface KindScopes {
  /** The object in the names of the scopes. */
  readonly object: string;
  readonly why: ScopeReason;
  readonly completedBy?: readonly NeededScope[];
}

/** `desired`: absent if the manifests cannot be read. `changed`: the kinds that the newest run changed. */
export function neededScopes(desired: DesiredState | undefined, changed: readonly KindName[]): NeededScope[] {
  const all = KINDS.filter(
    (kind) =>
      kind.name === 'flag' || changed.includes(kind.name) || (desired !== undefined && kind.isPresent({ desired })),
  ).flatMap(({ name }) => scopesOfKind(name));
  return [...all.filter(({ use }) => use !== 'completes'), ...all.filter(({ use }) => use === 'completes')];
}

/** The scopes for reading and writing resources of one kind. */
export function scopesOfKind(kind: KindName): readonly NeededScope[] {
  const { object, why, completedBy = [] } = KIND_BY_NAME[kind].scopes;
  return [
    { scope: `${object}:read`, use: 'runs', why },
    { scope: `${object}:write`, use: 'applies', why },
    ...completedBy,
  ];
}

/** Whether a key with these scopes has one: `*` is all, and writing includes reading. */
export function hasScope(scopes: readonly string[], wanted: string): boolean {
  return ['*', wanted, wanted.replace(/:read$/, ':write')].some((scope) => scopes.includes(scope));
}
