/**
 * The order of changes: creates (dependencies first), updates, disables (dependents first), grants and revokes once
 * their flag exists, deletes last (dependents first). The service refuses the other way round.
 */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { flagReferences } from '../model/references.ts';
import { flagRef } from './flag-changes.ts';
import type { Change, FlagChange, RoleChange } from './plan.ts';

/** The changes with their `needs` filled in, sorted so that none stands before one that it needs. */
export function orderChanges(changes: readonly Change[]): readonly Change[] {
  const byRef = new Map(changes.map((change) => [change.ref, change]));
  const dependents = liveDependents(changes);
  const grants = grantsByKey(changes);
  const linked = changes
    .map((change) => ({
      ...change,
      needs: change.resource === 'flag' ? needsOf(change, byRef, dependents) : roleNeeds(change, byRef, grants),
    }))
    .sort((a, b) => rank(a) - rank(b) || compareText(a.key, b.key) || compareText(a.ref, b.ref));
  return neededFirst(linked);
}

/** Whether the change switches a live flag off. */
export function disables(change: Change): boolean {
  return change.action === 'update' && change.body['active'] === false;
}

function grantsByKey(changes: readonly Change[]): ReadonlyMap<string, readonly string[]> {
  const grants = new Map<string, string[]>();
  for (const { action, key, ref } of changes) {
    if (action === 'grant') grants.set(key, [...(grants.get(key) ?? []), ref]);
  }
  return grants;
}

/** A revoke waits for every grant of its flag: one that fails must leave the roles that are there. */
function roleNeeds(
  { action, key }: RoleChange,
  byRef: ReadonlyMap<string, Change>,
  grants: ReadonlyMap<string, readonly string[]>,
): string[] {
  const flag = byRef.get(flagRef(key));
  const needed = flag?.action === 'create' || flag?.action === 'restore' ? [flag.ref] : [];
  return action === 'revoke' ? [...needed, ...(grants.get(key) ?? [])] : needed;
}

function needsOf(change: FlagChange, byRef: ReadonlyMap<string, Change>, dependents: Dependents): string[] {
  if (change.action === 'delete' || disables(change)) {
    return (dependents.get(change.key) ?? []).map((dependent) => dependent.ref);
  }
  const needed = dependencyKeys(change).flatMap((key) => byRef.get(flagRef(key)) ?? []);
  return needed.filter((other) => other.ref !== change.ref && makesUsable(other)).map((other) => other.ref);
}

/** Changes of flags that depend, as they are live, on a flag: they must let go of it first. */
type Dependents = ReadonlyMap<string, readonly FlagChange[]>;

function liveDependents(changes: readonly Change[]): Dependents {
  const dependents = new Map<string, FlagChange[]>();
  for (const change of changes) {
    if (change.resource !== 'flag' || change.action === 'create' || !letsGo(change)) continue;
    for (const key of keysIn(change.base.flag)) dependents.set(key, [...(dependents.get(key) ?? []), change]);
  }
  return dependents;
}

function letsGo(change: FlagChange): boolean {
  return change.action === 'delete' || disables(change) || change.body['filters'] !== undefined;
}

/** The flags that must be usable for this change to be accepted: those its conditions name once it is made. */
function dependencyKeys(change: Exclude<FlagChange, { action: 'delete' }>): string[] {
  if (change.body['filters'] !== undefined || change.action === 'create') return keysIn(change.body);
  return change.body['active'] === true || change.action === 'restore' ? keysIn(change.base.flag) : [];
}

function makesUsable(change: Change): boolean {
  if (change.action === 'create' || change.action === 'restore') return true;
  return change.action === 'update' && change.body['active'] === true;
}

function keysIn(fields: JsonObject): string[] {
  const { filters } = fields;
  return isJsonObject(filters) ? flagReferences(filters).filter((key) => typeof key === 'string') : [];
}

function rank(change: Change): number {
  switch (change.action) {
    case 'create':
      return 0;
    case 'restore':
      return 1;
    case 'update':
      return disables(change) ? 3 : 2;
    case 'grant':
    case 'revoke':
      return 4;
    case 'delete':
      return 5;
  }
}

/** Depth first along `needs`; a cycle, which validation refuses beforehand, is cut where it closes. */
function neededFirst(changes: readonly Change[]): Change[] {
  const byRef = new Map(changes.map((change) => [change.ref, change]));
  const ordered: Change[] = [];
  const entered = new Set<string>();
  const visit = (change: Change): void => {
    if (entered.has(change.ref)) return;
    entered.add(change.ref);
    for (const ref of change.needs) {
      const needed = byRef.get(ref);
      if (needed !== undefined) visit(needed);
    }
    ordered.push(change);
  };
  changes.forEach(visit);
  return ordered;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
