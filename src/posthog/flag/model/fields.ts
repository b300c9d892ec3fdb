/**
 * The fields of a flag, as one table: the name in the API and in manifests, who decides the value, and how an export writes
 * it. The order is that of exported manifests. A manifest may declare other fields under `fields`.
 */

import { defined } from '../../../base/optional.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { isJsonArray, type JsonValue, memberOf, type JsonObject } from '../../../base/json.ts';
import type { Place } from '../../../base/place.ts';
import type { Ownership } from '../../../core/engine/ownership.ts';
import {
  matchesField,
  type FieldPath,
  splitPath,
  type FieldPathProblem,
  type PathStep,
} from '../../../core/engine/field-path.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './canonical.ts';
import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import { nearest } from '../../../base/text.ts';
import { KNOWN_MEMBERS } from './flag.ts';

export interface FlagField {
  /** `computed`: by the service, or it changes with traffic: never compared, never written. Manifests may manage the others. */
  readonly ownership: 'managed' | 'computed';
  /** Name in the service's API and in JSON documents. */
  readonly api: string;
  /** Name in a manifest; absent for a field that is declared under `fields` or by `declaredBy`. */
  readonly manifest?: string;
  /** The part of a manifest that decides the field without being a field itself. */
  readonly declaredBy?: 'flags' | 'deleted';
  /** Converts a value for an export. Absent for a field that is not exported. */
  readonly write?: (value: JsonValue) => JsonValue;
  /** Default values of a flag in the form of `write`: a minimal export omits them. */
  readonly usual?: readonly JsonValue[];
}

const MANIFEST_FIELDS: readonly Omit<FlagField, 'ownership'>[] = [
  { api: 'key', declaredBy: 'flags' },
  { api: 'deleted', declaredBy: 'deleted' },

  {
    api: 'name',
    manifest: 'description',
    write: (value) => (typeof value === 'string' ? value.trim() : ''),
    usual: [''],
  },
  { api: 'active', manifest: 'active', write: unchanged },
  // Written in one of three forms, see `layout/`.
  { api: 'filters', manifest: 'filters' },
  {
    api: 'ensure_experience_continuity',
    manifest: 'ensure_experience_continuity',
    write: unchanged,
    usual: [false, null],
  },
  {
    api: 'tags',
    manifest: 'tags',
    // The client has checked that tags are strings.
    write: (value) => (isJsonArray(value) ? (value as readonly string[]).toSorted(compareStrings) : []),
    usual: [[]],
  },
  { api: 'rollback_conditions', manifest: 'rollback_conditions', write: (value) => value ?? [], usual: [[], {}] },
  // Exports omit it: a flag that is created from the manifest gets its own value.
  { api: 'performed_rollback', manifest: 'performed_rollback' },
  { api: 'created_at', manifest: 'created_at' },

  // Fields of newer services, under `fields`.
  { api: 'archived', ...unlessChosen(false) },
  { api: 'bucketing_identifier', ...unlessChosen('distinct_id') },
  { api: 'evaluation_contexts', ...unlessChosen([]) },
  { api: 'evaluation_runtime', ...unlessChosen('all') },
  { api: 'evaluation_tags', ...unlessChosen([]) },
  { api: 'has_encrypted_payloads', ...unlessChosen(false) },
  { api: 'is_remote_configuration', ...unlessChosen(false) },
];

const COMPUTED_FIELDS: readonly string[] = [
  'id',
  'created_by',
  'updated_at',
  'last_modified_by',
  'last_called_at',
  'version',
  'status',
  'can_edit',
  'user_access_level',
  'is_simple_flag',
  'rollout_percentage',
  'experiment_set',
  'experiment_set_metadata',
  'surveys',
  'features',
  'usage_dashboard',
  'analytics_dashboards',
  'has_enriched_analytics',
  'is_used_in_replay_settings',
  'is_eligible_for_experiment',
];

export const FLAG_FIELDS: readonly FlagField[] = [
  ...MANIFEST_FIELDS.map((field): FlagField => ({ ownership: 'managed', ...field })),
  ...COMPUTED_FIELDS.map((api): FlagField => ({ ownership: 'computed', api })),
];

/** Fields that the service computes: left out of every comparison. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set(COMPUTED_FIELDS);

/** Fields whose meaning is known. Others may change by themselves, so only declared ones are compared. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(FLAG_FIELDS.map(({ api }) => api));

/** API names by the names in manifests. */
export const API_NAMES: ReadonlyMap<string, string> = new Map(
  MANIFEST_FIELDS.flatMap(({ api, manifest }) => (manifest === undefined ? [] : [[manifest, api]])),
);

/** Names in manifests by API names. */
export const MEMBER_NAMES: ReadonlyMap<string, string> = new Map([...API_NAMES].map(([member, api]) => [api, member]));

/** The fields that an export writes, those with a name in manifests first. */
export const EXPORTED_FIELDS: readonly FlagField[] = FLAG_FIELDS.filter(
  ({ api, write }) => write !== undefined || api === 'filters',
);

/** A field in which null means the value of a new flag. */
function unlessChosen(usual: JsonValue): Required<Pick<FlagField, 'write' | 'usual'>> {
  return { write: (value) => value ?? usual, usual: [usual] };
}

function unchanged(value: JsonValue): JsonValue {
  return value;
}

/** A place in a flag, and who decides there. */
export interface OwnershipRule {
  readonly path: FieldPath;
  readonly ownership: Ownership;
  /** The place in a manifest or in the configuration. */
  readonly source: Place;
}

/** The parts of live filters that other products decide, as manifests declare filters without them. */
export function partsOfOthers(declared: JsonObject, live: JsonObject): readonly string[] {
  return PARTS_OF_OTHER_PRODUCTS.filter(
    (part) =>
      (memberOf(live, part) ?? null) !== null && (!Object.hasOwn(declared, part) || declared[part] === undefined),
  );
}

/**
 * The owner at a pointer into the fields, by API name. `rules`: the weakest first, so the last that matches counts. `undefined`: no rule
 * matches.
 */
export function findOwnership(
  rules: readonly OwnershipRule[],
  pointer: string,
  fields: JsonObject,
): Ownership | undefined {
  return rules.findLast(({ path }) => matchesField(path, pointer, fields))?.ownership;
}

/** Whether git decides about a whole field, which no rule then names. */
export function isManagedField(rules: readonly OwnershipRule[] | undefined, field: string): boolean {
  return (findOwnership(rules ?? [], `/${field}`, {}) ?? 'managed') === 'managed';
}

/** The top-level field that a path is about. */
export function fieldOf({ steps: [first] }: Pick<FieldPath, 'steps'>): string | undefined {
  return first?.kind === 'member' ? first.name : undefined;
}

/**
 * Reads the name of a place in a flag, as people write it: `active`, `conditions.2.rollout_percentage`, `variants.control`, or a JSON pointer in
 * the API's names. docs/ownership.md, "Paths".
 */
export function parseFieldPath(text: string): FieldPath | { readonly problem: FieldPathProblem } {
  const isPointer = text.startsWith('/');
  const parts = isPointer ? fromPointer(text) : splitPath(text);
  if ('problem' in parts) return parts;
  const [first = ''] = parts;
  if (SERVICE_FIELDS.has(first) && first !== ROLLOUT) return { problem: { kind: 'computed', field: first } };
  if (isPointer) {
    if (first === '*' || first === '') return unknown(first, '', POINTER_FIELDS);
    const suggestion = MISPLACED.get(first);
    return suggestion === undefined
      ? { text, steps: parts.map(pointerStep) }
      : { problem: { kind: 'unknown', part: first, outer: '', known: POINTER_FIELDS, suggestion } };
  }
  const isFurther = first === 'fields';
  const [field, ...below] = isFurther ? parts.slice(1) : parts;
  const further = [...KNOWN_FIELDS].filter((name) => !MEMBER_NAMES.has(name));
  if (field === undefined) return unknown('', 'fields', further);
  if (isFurther && SERVICE_FIELDS.has(field)) return { problem: { kind: 'computed', field } };
  const root = ROOTS.get(field);
  if (!isFurther && root === undefined) return unknown(field, '', [...ROOTS.keys()]);
  const path = isFurther ? [field] : (root?.path ?? []);
  let { node = OPEN } = root ?? {};
  let outer = root?.path.at(-1) ?? field;
  const steps = path.map(pointerStep);
  for (const part of below) {
    const next = follow(node, part, outer);
    if ('problem' in next) return next;
    steps.push(...next.steps);
    ({ node } = next);
    outer = part;
  }
  return { text, steps };
}

function pointerStep(segment: string): PathStep {
  return segment === '*' ? { kind: 'any' } : { kind: 'member', name: segment };
}

/** What may follow a part of a path. */
type PathNode =
  /** A value without members, or one whose members are not known here. */
  | { readonly kind: 'leaf' | 'open' }
  | { readonly kind: 'members'; readonly outer: string; readonly known: ReadonlyMap<string, PathNode> }
  /** `by`: the member that names an element. `isCounted`: a number counts the elements; otherwise it is a name. */
  | {
      readonly kind: 'elements';
      readonly outer: string;
      readonly by: 'key' | 'description';
      readonly isCounted: boolean;
      readonly element: PathNode;
    }
  /** Any member, below the member `under` if there is one. */
  | { readonly kind: 'each'; readonly under?: string; readonly element: PathNode };

/** The steps of one part of a path, and what may follow it. `outer`: the part before. */
function follow(
  node: PathNode,
  part: string,
  outer: string,
): { readonly steps: readonly PathStep[]; readonly node: PathNode } | { readonly problem: FieldPathProblem } {
  const isNumber = /^\d+$/u.test(part);
  switch (node.kind) {
    case 'leaf':
      return { problem: { kind: 'too_deep', part, outer } };
    case 'open':
      return isNumber
        ? { problem: { kind: 'number', part, outer } }
        : { steps: [{ kind: 'member', name: part }], node };
    case 'members': {
      const next = node.known.get(part);
      return next === undefined
        ? unknown(part, node.outer, [...node.known.keys()])
        : { steps: [{ kind: 'member', name: part }], node: next };
    }
    case 'elements': {
      const { by, isCounted, element } = node;
      if (part === '*') return { steps: [{ kind: 'any' }], node: element };
      if (!isCounted || !isNumber) return { steps: [{ kind: 'named', by, name: part }], node: element };
      const index = Number(part) - 1;
      return index < 0
        ? { problem: { kind: 'zero', outer: node.outer } }
        : { steps: [{ kind: 'element', index }], node: element };
    }
    case 'each': {
      const { under, element } = node;
      const around: PathStep[] = under === undefined ? [] : [{ kind: 'member', name: under }];
      return {
        steps: [...around, under === undefined ? pointerStep(part) : { kind: 'member', name: part }],
        node: element,
      };
    }
  }
}

const LEAF: PathNode = { kind: 'leaf' };
const OPEN: PathNode = { kind: 'open' };
const ROLLOUT = 'rollout_percentage';

function members(outer: string, known: Readonly<Record<string, PathNode>>): PathNode {
  return { kind: 'members', outer, known: new Map(Object.entries(known)) };
}

function all(names: readonly string[], node: PathNode): Readonly<Record<string, PathNode>> {
  return Object.fromEntries(names.map((name) => [name, node]));
}

const PROPERTIES: PathNode = {
  kind: 'elements',
  outer: 'properties',
  by: 'key',
  isCounted: true,
  element: members('property', { ...all(KNOWN_MEMBERS.property, LEAF), value: OPEN }),
};
const CONDITIONS: PathNode = {
  kind: 'elements',
  outer: 'conditions',
  by: 'description',
  isCounted: true,
  element: members('condition', { ...all(KNOWN_MEMBERS.condition, LEAF), properties: PROPERTIES }),
};
const VARIANTS: PathNode = {
  kind: 'elements',
  outer: 'variants',
  by: 'key',
  isCounted: false,
  element: members('variant', all(KNOWN_MEMBERS.variant, LEAF)),
};
const PAYLOADS: PathNode = { kind: 'each', element: OPEN };
const FILTERS = members('filters', {
  ...all(KNOWN_MEMBERS.filters, OPEN),
  ...all(['aggregation_group_type_index', 'early_exit', 'feature_enrollment'], LEAF),
  groups: CONDITIONS,
  multivariate: members('multivariate', { variants: VARIANTS }),
  payloads: PAYLOADS,
});

/** The pointer itself where no name fits every flag: variants, for example, are named by their keys. */
export function nameOfPointer(pointer: string): string {
  const parts = fromPointer(pointer);
  const [field = '', member, element, ...rest] = parts;
  if (parts.length === 1) return MEMBER_NAMES.get(field) ?? pointer;
  if (field !== 'filters' || (member !== 'groups' && member !== 'payloads')) return pointer;
  const isPayload = member === 'payloads';
  if (element === undefined) return isPayload ? pointer : 'conditions';
  // Conditions are counted from 1. A name that needs quotation marks, or is `*`, would mean something else.
  const name = isPayload ? element : /^\d+$/u.test(element) ? String(Number(element) + 1) : '';
  const named = [isPayload ? 'payloads' : 'conditions', name, ...rest];
  return named.length <= (isPayload ? 2 : 3) && named.every((part) => /^[\w-]+$/u.test(part))
    ? named.join('.')
    : pointer;
}

/** The parts with which a path begins: the path of each from the flag, in the API's names. */
const ROOTS = new Map<string, { readonly path: readonly string[]; readonly node: PathNode }>([
  ...[
    ...API_NAMES,
    ...FLAG_FIELDS.flatMap(({ ownership, api }) => (ownership === 'managed' ? [[api, api] as const] : [])),
  ].map(([name, api]) => [name, { path: [api], node: api === 'rollback_conditions' ? OPEN : LEAF }] as const),
  ['filters', { path: ['filters'], node: FILTERS }],
  ['conditions', { path: ['filters', 'groups'], node: CONDITIONS }],
  ['variants', { path: ['filters', 'multivariate', 'variants'], node: VARIANTS }],
  ['payloads', { path: ['filters', 'payloads'], node: PAYLOADS }],
  // The rollout of a flag is that of each of its conditions.
  [ROLLOUT, { path: ['filters', 'groups', '*', ROLLOUT], node: LEAF }],
  ['role_access', { path: ['role_access'], node: { kind: 'each', under: 'roles', element: LEAF } }],
  [
    'access',
    { path: ['role_access'], node: members('access', { default: LEAF, roles: { kind: 'each', element: LEAF } }) },
  ],
]);

/** Names of manifests with which no JSON pointer begins, since pointers are in the API's names, and the pointers that are meant. */
const MISPLACED: ReadonlyMap<string, string> = new Map(
  [...ROOTS].flatMap(([name, { path }]) => (path.length > 1 || path[0] !== name ? [[name, toPointer(path)]] : [])),
);

const POINTER_FIELDS: readonly string[] = [...ROOTS.keys()].filter((name) => !MISPLACED.has(name));

function unknown(part: string, outer: string, known: readonly string[]): { readonly problem: FieldPathProblem } {
  const meant = MEANT.get(part);
  const suggestion = meant !== undefined && known.includes(meant) ? meant : nearest(part, known);
  return { problem: { kind: 'unknown', part, outer, known, ...defined({ suggestion }) } };
}

/** Other names that people write for it, here or in other tools. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ...['enabled', 'disabled', 'on', 'off'].map((name) => [name, 'active'] as const),
  ...['rollout', 'percent', 'percentage', 'rollout_percent'].map((name) => [name, ROLLOUT] as const),
  ['groups', 'conditions'],
  ['condition', 'conditions'],
  ['variant', 'variants'],
  ['payload', 'payloads'],
  ['multivariate', 'variants'],
  ['roles', 'role_access'],
]);
