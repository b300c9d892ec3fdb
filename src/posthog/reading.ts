/** What has to be read of the service to carry out a plan. */

import { namedFlags } from './flag/references.ts';
import type { Change } from './plan.ts';

export interface Reading {
  /** Keys of the flags that must exist, as they are live. */
  readonly keys: readonly string[];
  /** Keys of the flags whose role access the plan changes, as they are live. */
  readonly roleAccessOf: readonly string[];
  /** Flags that the service does not list once they are soft-deleted. */
  readonly ids: readonly number[];
}

export function readingOf(changes: readonly Change[]): Reading {
  const formerKeys = new Map(changes.flatMap(formerKey));
  const liveKey = ({ key }: Pick<Change, 'key'>): string => formerKeys.get(key) ?? key;
  return {
    keys: [
      ...changes.filter((change) => change.action !== 'create').map(liveKey),
      ...dependenciesOf(changes).map((key) => liveKey({ key })),
    ],
    roleAccessOf: changes.flatMap((change) => (change.resource === 'role_access' ? [change.key, liveKey(change)] : [])),
    ids: changes.flatMap((change) => (change.action === 'restore' || change.action === 'delete' ? [change.id] : [])),
  };
}

/** The flags that requests name, except those that the plan creates. */
function dependenciesOf(changes: readonly Change[]): string[] {
  const created = new Set(changes.flatMap((change) => (change.action === 'create' ? [change.key] : [])));
  const named = changes.flatMap((change) => (change.resource === 'flag' ? namedFlags(change.body['filters']) : []));
  return named.filter((key) => !created.has(key));
}

/** The key under which the plan saw a flag that it renames, by the key that the flag gets. */
function formerKey(change: Change): [string, string][] {
  if (change.resource !== 'flag' || change.action === 'create') return [];
  const { key } = change.base.flag;
  return typeof key === 'string' && key !== change.key ? [[change.key, key]] : [];
}
