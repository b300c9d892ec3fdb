/** `no-direct-production`: another project must have declared a flag, and the changed values, before. */

import { fromPointer, toPointer, valueAt } from '../../../base/json-pointer.ts';
import {
  canonicalText,
  definedKeys,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { among, array, is, object, string } from '../../../base/schema.ts';
import { aggregationIn, numberConditions, pairConditions } from '../../effects/sides.ts';
import type { NumberedCondition } from '../../effects/effect.ts';
import { nameOfPointer } from '../../../posthog/flag/model/fields.ts';
import { hasOpaque } from '../../../posthog/flag/model/flag.ts';
import { sourceOf, type JudgedResource, type PolicyKind } from '../basis/policy-kind.ts';

export interface NoDirectProduction {
  readonly written: { readonly first: string; readonly what?: 'flag' | 'value' };
  /** `first`: the project that must declare it first. `what`: the flag, or also each changed value. */
  readonly options: { readonly first: string; readonly what: 'flag' | 'value' };
  /** `paths`: the values that `first` has not declared; `unknown`: what it declared is unknown. */
  readonly facts: {
    readonly what: 'no-direct-production';
    readonly first: string;
    readonly problem: 'flag' | 'values' | 'unknown';
    readonly paths: readonly string[];
  };
}

export const noDirectProduction: PolicyKind<NoDirectProduction> = {
  description: 'Another project must have declared it before.',
  schema: {
    first: string({ description: 'The other project.', minLength: 1, examples: ['staging'] }),
    'what?': among(['flag', 'value'], {
      description: '`flag`: the flag. `value`: each value that changes as well.',
      default: 'value',
    }),
  },
  contents: { first: 'project' },
  read: ({ first, what = 'value' }) => ({ first, what }),
  comparesWith: ({ first }) => first,
  judge: (resource, { first, what }, { declared }) => {
    const { resource: kind, key, names, after } = resource;
    if (kind !== 'flag' || after === undefined) return [];
    const flags = declared?.get(first);
    const facts = { what: 'no-direct-production', first, paths: [] } as const;
    if (flags === undefined) return [{ facts: { ...facts, problem: 'unknown' } }];
    if (!flags.has(key)) return [{ facts: { ...facts, problem: 'flag' } }];
    // A flag that is renamed to the key of another one is compared with that one.
    const others = names.map((name) => flags.get(name)).filter((flag) => flag !== undefined);
    const paths = what === 'flag' ? [] : others.flatMap((other) => missingPaths(resource, after, other));
    const [path] = paths;
    if (path === undefined) return [];
    return [{ facts: { ...facts, problem: 'values', paths: [...new Set(paths)] }, ...sourceOf(resource, path) }];
  },
  facts: [
    object({
      what: is('no-direct-production'),
      first: string('The project that must have it first'),
      problem: among(['flag', 'values', 'unknown']),
      paths: array(string(), 'The values that it does not have'),
    }),
  ],
  text: ({ first, problem, paths }, { quote, names }) => {
    switch (problem) {
      case 'flag':
        return `is not declared in the project ${quote(first)}, which must have it first`;
      case 'values':
        return `gets values that the project ${quote(first)} must have first: ${names(paths.map(nameOfPointer))}`;
      case 'unknown':
        return `must be declared in the project ${quote(first)} first, and no commit shows what it declares`;
    }
  },
};

/** The changed places where the other flag differs from the new state. Fields that evaluation ignores are omitted. */
function missingPaths(resource: JudgedResource, after: JsonObject, other: JsonObject): string[] {
  const { changes, effects } = resource;
  const metadata = new Set(effects.flatMap((effect) => (effect.what === 'metadata' ? [effect.field] : [])));
  const paths = changes
    .flatMap((change) => (change.resource === 'flag' ? change.fields : []))
    .map(({ path }) => path)
    .filter((path) => {
      const [field = ''] = fromPointer(path);
      return !UNEVALUATED.has(field) && !metadata.has(field);
    });
  const filters = objectOrEmpty(after['filters']);
  if (hasOpaque(filters, other['filters'])) return paths.filter((path) => differs(path, after, other));
  // A new flag has one difference for all its filters.
  const parts = definedKeys(filters).map((part) => toPointer(['filters', part]));
  const outside = paths.flatMap((path) => (path === FILTERS ? parts : [path])).filter(isOutsideConditions);
  const isOfConditions = (path: string): boolean => path === FILTERS || !isOutsideConditions(path);
  return [
    ...new Set(outside.filter((path) => differs(path, after, other))),
    ...(paths.some(isOfConditions) ? conditionPaths(resource, filters, objectOrEmpty(other['filters'])) : []),
  ];
}

/** The fields of a new flag that evaluation ignores, since every field of it is a difference. */
const UNEVALUATED: ReadonlySet<string> = new Set(['key', 'name', 'tags']);
const FILTERS = '/filters';

function isOutsideConditions(path: string): boolean {
  const [field, part] = fromPointer(path);
  return field !== 'filters' || part !== 'groups';
}

/** Absent values are compared too: a removed value must be absent in the other flag. */
function differs(path: string, after: JsonObject, other: JsonObject): boolean {
  return !jsonEquals(valueAt(other, path) ?? null, valueAt(after, path) ?? null);
}

/**
 * Conditions are compared by the people whom they ask for, wherever they are in the list. A new or changed condition must be in the other
 * flag as it becomes, and a removed one must be absent there.
 */
function conditionPaths({ before, effects }: JudgedResource, after: JsonObject, other: JsonObject): string[] {
  const former = objectOrEmpty(before?.['filters']);
  const there = numberConditions(other);
  const amount = (filters: JsonObject, text: string): number =>
    numberConditions(filters).filter((one) => askedBy(filters, one) === text).length;
  const missing = pairConditions(former, after).flatMap((pair): string[] => {
    if (pair.wanted !== undefined) {
      const asked = askedBy(after, pair.wanted);
      return missingIn(
        pair.wanted,
        pair.former,
        there.filter((one) => askedBy(other, one) === asked),
      );
    }
    if (pair.former === undefined) return [];
    const text = askedBy(former, pair.former);
    return amount(other, text) > amount(after, text) ? [pathOf(pair.former)] : [];
  });
  const matters = effects.some((effect) => effect.what === 'condition_moved' && effect.matters);
  const order = (filters: JsonObject): JsonValue => numberConditions(filters).map((one) => askedBy(filters, one));
  return matters && missing.length === 0 && !jsonEquals(order(after), order(other)) ? ['/filters/groups'] : missing;
}

/** `same`: the conditions of the other flag for the same people. */
function missingIn(
  wanted: NumberedCondition,
  former: NumberedCondition | undefined,
  same: readonly NumberedCondition[],
): string[] {
  const members = new Set([...definedKeys(wanted.condition), ...definedKeys(former?.condition ?? {})]);
  const changed = [...members].filter(
    (name) => name !== 'description' && (former === undefined || differsIn(name, former, wanted)),
  );
  if (changed.length === 0) return [];
  if (same.length === 0) return [former === undefined ? pathOf(wanted) : pathOf(wanted, changed[0])];
  const values = changed.filter((name) => !ASKED.has(name));
  return values.filter((name) => same.every((one) => differsIn(name, one, wanted))).map((name) => pathOf(wanted, name));
}

/** Conditions are paired by their audience. */
const ASKED: ReadonlySet<string> = new Set(['properties', 'aggregation_group_type_index']);

function askedBy(filters: JsonObject, { condition }: NumberedCondition): string {
  return canonicalText([condition['properties'] ?? [], aggregationIn(filters, condition)]);
}

function differsIn(name: string, one: NumberedCondition, other: NumberedCondition): boolean {
  return !jsonEquals(memberOf(one.condition, name) ?? null, memberOf(other.condition, name) ?? null);
}

function pathOf({ number }: NumberedCondition, name?: string): string {
  return toPointer(['filters', 'groups', number - 1, ...(name === undefined ? [] : [name])]);
}
