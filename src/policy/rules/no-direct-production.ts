/** `no-direct-production`: another project must have declared a flag, and the values that change, before. */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  arrayOrEmpty,
  isJsonObject,
  jsonEquals,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { valueAt } from '../../base/json-pointer.ts';
import type { JudgedResource, Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const noDirectProduction: Rule<PolicyFor<'no-direct-production'>> = (
  resource,
  { first, what },
  { declared },
) => {
  const { resource: kind, key, after } = resource;
  if (kind !== 'flag' || after === undefined) return [];
  const flags = declared?.get(first);
  const facts = { what: 'no-direct-production', first, paths: [] } as const;
  if (flags === undefined) return [{ facts: { ...facts, problem: 'unknown' } }];
  const other = flags.get(key);
  if (other === undefined) return [{ facts: { ...facts, problem: 'flag' } }];
  const paths = what === 'flag' ? [] : missingPaths(resource, after, other);
  const [path] = paths;
  return path === undefined ? [] : [{ facts: { ...facts, problem: 'values', paths }, ...sourceOf(resource, path) }];
};

/** The changed places whose value the other flag does not have. What nobody is evaluated by is left out. */
function missingPaths({ changes, effects }: JudgedResource, after: JsonObject, other: JsonObject): string[] {
  const metadata = new Set(effects.flatMap((effect) => (effect.what === 'metadata' ? [effect.field] : [])));
  const fields = changes.flatMap((change) => (change.resource === 'flag' ? change.fields : []));
  return [...new Set(fields.map(({ path }) => path))].filter((path) => {
    const [field = ''] = fromPointer(path);
    if (UNEVALUATED.has(field) || metadata.has(field)) return false;
    const value = valueAt(after, path);
    return value !== undefined && !candidatesAt(other, path, after).some((candidate) => jsonEquals(candidate, value));
  });
}

/** Of a new flag, where every field is a difference. */
const UNEVALUATED: ReadonlySet<string> = new Set(['key', 'name', 'tags']);

/** In a condition, the values at the same place of each condition for the same people: its place in the list says nothing. */
function candidatesAt(other: JsonObject, path: string, after: JsonObject): (JsonValue | undefined)[] {
  const [field, list, index, ...rest] = fromPointer(path);
  if (field !== 'filters' || list !== 'groups' || index === undefined) return [valueAt(other, path)];
  const inside = rest.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const own = conditionsOf(after)[Number(index)];
  return conditionsOf(other)
    .filter((condition) => jsonEquals(condition['properties'] ?? [], own?.['properties'] ?? []))
    .map((condition) => valueAt(condition, inside));
}

function conditionsOf({ filters }: JsonObject): JsonObject[] {
  return arrayOrEmpty(objectOrEmpty(filters)['groups']).map((one) => (isJsonObject(one) ? one : {}));
}
