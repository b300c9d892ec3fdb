/** Finds the flags of the source project that conditions name, and those that a copy takes along. */

import { isJsonNumber, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { allProperties, formatOf } from '../filters/conditions.ts';
import { canEdit } from '../flags/serialise.ts';
import type { Answer } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';

/** A copy takes at most so many other flags along. */
const LIMIT = 50;

/** The dependencies of a flag, or why they cannot be copied. */
export type Dependencies = { readonly flags: readonly StoredFlag[] } | { readonly refusal: Answer };

/** Every flag that `source` depends on, also through others: each after those that it depends on itself. */
export function findDependencies(store: Store, source: StoredFlag): Dependencies {
  const found = new Map<number, StoredFlag>();
  const open = new Set<number>();
  const visit = (flag: StoredFlag): Answer | undefined => {
    if (open.has(flag.id)) return refuse(400, 'The dependencies form a cycle; copy the flag without them.');
    if (found.has(flag.id)) return undefined;
    if (open.size + found.size > LIMIT) {
      return refuse(400, `The flag depends on more than ${LIMIT} flags; copy it without them.`);
    }
    open.add(flag.id);
    for (const reference of referencesOf(flag.filters)) {
      const dependency = resolveReference(store, flag.projectId, reference);
      const refusal = refuseDependency(reference, dependency) ?? (dependency && visit(dependency));
      if (refusal !== undefined) return refusal;
    }
    open.delete(flag.id);
    found.set(flag.id, flag);
    return undefined;
  };
  const refusal = visit(source);
  if (refusal !== undefined) return { refusal };
  found.delete(source.id);
  return { flags: [...found.values()] };
}

function refuseDependency(reference: string, dependency: StoredFlag | undefined): Answer | undefined {
  if (dependency === undefined) return refuse(400, `The dependency ${reference} does not exist in the source project.`);
  if (!canEdit(dependency)) return refuse(403, 'You do not have permission to copy a flag that this flag depends on.');
  if (formatOf(dependency.filters) === 'conditions') return undefined;
  return refuse(400, `Dependency flag '${dependency.key}' uses another configuration format and cannot be copied.`);
}

/** The flags that conditions name, each once, in the order of the conditions. */
export function referencesOf(filters: JsonObject): string[] {
  const properties = allProperties(filters).filter(({ type }) => type === 'flag');
  const references = properties.map(({ key }) => referenceOf(key)).filter((reference) => reference !== undefined);
  return [...new Set(references)];
}

/** The name of another flag in a condition; `undefined` for a value that names none. */
export function referenceOf(key: JsonValue | undefined): string | undefined {
  const text = isJsonNumber(key) ? String(key) : typeof key === 'string' ? key.trim() : '';
  return text === '' ? undefined : text;
}

/** The live flag with this id or, where no flag has it, with this key. */
export function resolveReference({ flags }: Store, projectId: string, reference: string): StoredFlag | undefined {
  const byId = /^\d{1,15}$/.test(reference) ? flags.find(projectId, Number(reference)) : undefined;
  return byId !== undefined && !byId.deleted ? byId : findLive(flags, projectId, reference);
}

export function findLive(flags: Store['flags'], projectId: string, key: string): StoredFlag | undefined {
  const flag = flags.findByKey(projectId, key);
  return flag?.deleted === true ? undefined : flag;
}

export function refuse(status: 400 | 403, error: string): Answer {
  return { status, body: { error } };
}
