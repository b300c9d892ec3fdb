/** Live resources as one value: found by id and by key, and named by the keys that a plan uses. */

import { compareStrings } from '../../base/compare-strings.ts';

/** Unique within a family; some services number their resources, others give them a UUID. */
export type ResourceId = number | string;

/** Numbers ascend. */
export function compareIds(one: ResourceId, other: ResourceId): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : compareStrings(String(one), String(other));
}

/** Finds a resource by id. A family is asked for its own ids only, so its parameter may have a narrower type. */
export type OfId<Result> = { of(id: ResourceId): Result }['of'];

export interface LiveResource {
  readonly id: ResourceId;
  readonly key: string;
  /** Soft-deleted: the service still has it, but its key is free. */
  readonly deleted?: boolean;
  /** The resource is deliberately out of use. */
  readonly archived?: boolean;
}

/** The names of live resources in a plan. */
export interface KeysAfterPlan {
  /** The key of a resource once the plan is applied; `undefined` for an id that was not read. */
  readonly keyOf: OfId<string | undefined>;
}

export interface Snapshot<Resource extends LiveResource = LiveResource> extends KeysAfterPlan {
  readonly all: readonly Resource[];
  readonly byId: OfId<Resource | undefined>;
  /** Finds a resource by its current key in the service. */
  readonly byKey: (key: string) => Resource | undefined;
}

/** Resources under the keys that they have now. */
export function indexResources<Resource extends LiveResource>(all: readonly Resource[]): Snapshot<Resource> {
  const ids = new Map(all.map((resource) => [resource.id, resource]));
  const keys = indexByKey(all);
  return { all, byId: (id) => ids.get(id), byKey: (key) => keys.get(key), keyOf: (id) => ids.get(id)?.key };
}

/** The same names, except for the resources that get another key, by id. */
export function renameSome({ keyOf }: KeysAfterPlan, renamed: ReadonlyMap<ResourceId, string>): KeysAfterPlan['keyOf'] {
  return (id) => renamed.get(id) ?? keyOf(id);
}

/** Finds by key: resources that are not deleted come first, among which a key is unique, and of deleted ones the newest. */
function indexByKey<Resource extends LiveResource>(all: readonly Resource[]): ReadonlyMap<string, Resource> {
  const byKey = new Map<string, Resource>();
  for (const resource of all) {
    const other = byKey.get(resource.key);
    if (other === undefined || precedes(resource, other)) byKey.set(resource.key, resource);
  }
  return byKey;
}

function precedes(a: LiveResource, b: LiveResource): boolean {
  const deletedA = a.deleted === true;
  return deletedA === (b.deleted === true) ? a.id > b.id === deletedA : !deletedA;
}
