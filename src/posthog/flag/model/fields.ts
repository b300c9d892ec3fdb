/**
 * The fields of a flag, as one table: the name in the API and in manifests, who decides the value, and how an export writes
 * it. The order is that of exported manifests. A manifest may declare other fields under `fields`.
 */

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
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { KNOWN_MEMBERS } from './flag.ts';

export type FlagField = ManifestField | ServiceField;

/** A field that manifests may manage. */
export interface ManifestField {
  readonly ownership: 'managed';
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

/** A field that the service computes, or that changes with traffic: never compared, never written. */
interface ServiceField {
  readonly ownership: 'computed';
  readonly api: string;
  readonly manifest?: undefined;
}

const MANIFEST_FIELDS: readonly Omit<ManifestField, 'ownership'>[] = [
  { api: 'key', declaredBy: 'flags' },
  { api: 'deleted', declaredBy: 'deleted' },

  { api: 'name', manifest: 'description', write: trimmed, usual: [''] },
  { api: 'active', manifest: 'active', write: unchanged },
  // Written in one of three forms, see `layout/`.
  { api: 'filters', manifest: 'filters' },
  {
    api: 'ensure_experience_continuity',
    manifest: 'ensure_experience_continuity',
    write: unchanged,
    usual: [false, null],
  },
  { api: 'tags', manifest: 'tags', write: sortedStrings, usual: [[]] },
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
  ...MANIFEST_FIELDS.map((field): ManifestField => ({ ownership: 'managed', ...field })),
  ...COMPUTED_FIELDS.map((api): ServiceField => ({ ownership: 'computed', api })),
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
export const EXPORTED_FIELDS: readonly ManifestField[] = FLAG_FIELDS.filter(
  (field): field is ManifestField =>
    field.ownership === 'managed' && (field.write !== undefined || field.api === 'filters'),
);

/** A field in which null means the value of a new flag. */
function unlessChosen(usual: JsonValue): Required<Pick<ManifestField, 'write' | 'usual'>> {
  return { write: (value) => value ?? usual, usual: [usual] };
}

function unchanged(value: JsonValue): JsonValue {
  return value;
}

function trimmed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value.trim() : '';
}

// The client has checked that tags are strings.
function sortedStrings(value: JsonValue): JsonValue {
  return isJsonArray(value) ? (value as readonly string[]).toSorted(compareStrings) : [];
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

export function parseFieldPath(text: string): FieldPath | { readonly problem: FieldPathProblem } {
  const isPointer = text.startsWith('/');
  const parts = isPointer ? fromPointer(text) : splitPath(text);
  if ('problem' in parts) return parts;
  const root = findRoot(parts, isPointer);
  if ('problem' in root) return root;
  const steps = root.steps.map(pointerStep);
  const rest = isPointer ? { steps: root.rest.map(pointerStep) } : readBelow(root.rest, root);
  return 'problem' in rest ? rest : { text, steps: [...steps, ...rest.steps] };
}

function pointerStep(segment: string): PathStep {
  return segment === '*' ? { kind: 'any' } : { kind: 'member', name: segment };
}

/** The steps below the field, part by part. */
function readBelow(
  parts: readonly string[],
  { node: top }: { readonly node: PathNode },
): { readonly steps: readonly PathStep[] } | { readonly problem: FieldPathProblem } {
  const steps: PathStep[] = [];
  let node = top;
  for (const part of parts) {
    const next = node(part);
    if ('problem' in next) return next;
    steps.push(...next.steps);
    ({ node } = next);
  }
  return { steps };
}

/** The pointer itself where no name fits every flag: variants, for example, are named by their keys. */
export function nameOfPointer(pointer: string): string {
  const parts = fromPointer(pointer);
  const [field = '', ...rest] = parts;
  if (parts.length === 1) return MEMBER_NAMES.get(field) ?? pointer;
  if (field === 'filters') return nameInFilters(rest) ?? pointer;
  return pointer;
}

/** Conditions are counted from 1. */
function nameInFilters([member, element, ...rest]: readonly string[]): string | undefined {
  if (member === 'payloads' && element !== undefined) return nameOf(['payloads', element, ...rest], 2);
  if (member !== 'groups') return undefined;
  if (element === undefined) return 'conditions';
  if (!/^\d+$/u.test(element)) return undefined;
  return nameOf(['conditions', String(Number(element) + 1), ...rest], 3);
}

/** Uses at most `depth` parts and no quotation marks; `*` would mean every element. */
function nameOf(parts: readonly string[], depth: number): string | undefined {
  return parts.length <= depth && parts.every((part) => /^[\w-]+$/u.test(part)) ? parts.join('.') : undefined;
}

/** The meaning of one part of a path, and what may follow it. */
type PathNode = (part: string) => Next | { readonly problem: FieldPathProblem };

interface Next {
  readonly steps: readonly PathStep[];
  readonly node: PathNode;
}

/** The field that the first part of a path names, as members in the API's names; `rest`: the parts that it does not use. */
function findRoot(
  [first = '', ...rest]: readonly string[],
  isPointer: boolean,
):
  | { readonly steps: readonly string[]; readonly node: PathNode; readonly rest: readonly string[] }
  | { readonly problem: FieldPathProblem } {
  if (SERVICE_FIELDS.has(first) && first !== ROLLOUT) return { problem: { kind: 'computed', field: first } };
  if (isPointer) {
    if (first === '*' || first === '') return unknown(first, '', POINTER_FIELDS);
    const meant = MISPLACED.get(first);
    return meant === undefined
      ? { steps: [first], node: open(first), rest }
      : { problem: { kind: 'unknown', part: first, outer: '', known: POINTER_FIELDS, suggestion: meant } };
  }
  const known = ROOTS.get(first);
  if (known !== undefined) return { ...known, rest };
  if (first !== 'fields') return unknown(first, '', [...ROOTS.keys()]);
  const [field, ...below] = rest;
  if (field === undefined)
    return unknown(
      '',
      'fields',
      [...KNOWN_FIELDS].filter((name) => !MEMBER_NAMES.has(name)),
    );
  if (SERVICE_FIELDS.has(field)) return { problem: { kind: 'computed', field } };
  const node = ROOTS.get(field)?.node ?? open(field);
  return { steps: [field], node, rest: below };
}

const ROLLOUT = 'rollout_percentage';

function leaf(name: string): PathNode {
  return (part) => ({ problem: { kind: 'too_deep', part, outer: name } });
}

/** A value whose members are not known here. */
function open(name: string): PathNode {
  return (part) =>
    /^\d+$/u.test(part)
      ? { problem: { kind: 'number', part, outer: name } }
      : { steps: [{ kind: 'member', name: part }], node: open(part) };
}

interface MemberNode {
  readonly steps: readonly string[];
  readonly node: PathNode;
}

function members(outer: string, known: ReadonlyMap<string, MemberNode>): PathNode {
  return (part) => {
    const found = known.get(part);
    if (found === undefined) return unknown(part, outer, [...known.keys()]);
    return { steps: found.steps.map((name): PathStep => ({ kind: 'member', name })), node: found.node };
  };
}

interface ElementsNode {
  readonly by: 'key' | 'description';
  /** Whether a number counts the elements; otherwise it is a name. */
  readonly counted: boolean;
  readonly element: PathNode;
}

function elements(outer: string, { by, counted, element }: ElementsNode): PathNode {
  return (part) => {
    if (part === '*') return { steps: [{ kind: 'any' }], node: element };
    if (!counted || !/^\d+$/u.test(part)) return { steps: [{ kind: 'named', by, name: part }], node: element };
    const index = Number(part) - 1;
    return index < 0 ? { problem: { kind: 'zero', outer } } : { steps: [{ kind: 'element', index }], node: element };
  };
}

function anyMember(element: (name: string) => PathNode): PathNode {
  return (part) => ({
    steps: [part === '*' ? { kind: 'any' } : { kind: 'member', name: part }],
    node: element(part),
  });
}

function leaves(names: readonly string[]): [string, MemberNode][] {
  return names.map((name) => [name, { steps: [name], node: leaf(name) }]);
}

const PROPERTY = members('property', new Map([...leaves(KNOWN_MEMBERS.property), ...openMembers(['value'])]));
const PROPERTIES = elements('properties', { by: 'key', counted: true, element: PROPERTY });
const CONDITION = members(
  'condition',
  new Map([...leaves(KNOWN_MEMBERS.condition), ['properties', { steps: ['properties'], node: PROPERTIES }]]),
);
const CONDITIONS = elements('conditions', { by: 'description', counted: true, element: CONDITION });
const VARIANTS = elements('variants', {
  by: 'key',
  counted: false,
  element: members('variant', new Map(leaves(KNOWN_MEMBERS.variant))),
});
const PAYLOADS = anyMember(open);
const MULTIVARIATE = members('multivariate', new Map([['variants', { steps: ['variants'], node: VARIANTS }]]));

const FILTERS = members(
  'filters',
  new Map<string, MemberNode>([
    ...openMembers(KNOWN_MEMBERS.filters),
    ...leaves(['aggregation_group_type_index', 'early_exit', 'feature_enrollment']),
    ['groups', { steps: ['groups'], node: CONDITIONS }],
    ['multivariate', { steps: ['multivariate'], node: MULTIVARIATE }],
    ['payloads', { steps: ['payloads'], node: PAYLOADS }],
  ]),
);

function openMembers(names: readonly string[]): [string, MemberNode][] {
  return names.map((name) => [name, { steps: [name], node: open(name) }]);
}

const ACCESS = members(
  'access',
  new Map<string, MemberNode>([
    ['default', { steps: ['default'], node: leaf('default') }],
    ['roles', { steps: ['roles'], node: anyMember(leaf) }],
  ]),
);

/** Fields whose values have members. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['rollback_conditions']);

function fieldRoot(api: string): MemberNode {
  return { steps: [api], node: OPEN_FIELDS.has(api) ? open(api) : leaf(api) };
}

const ROOTS: ReadonlyMap<string, MemberNode> = new Map<string, MemberNode>([
  ...[...API_NAMES].map(([name, api]): [string, MemberNode] => [name, fieldRoot(api)]),
  ...FLAG_FIELDS.flatMap(({ ownership, api }): [string, MemberNode][] =>
    ownership === 'computed' ? [] : [[api, fieldRoot(api)]],
  ),
  ['filters', { steps: ['filters'], node: FILTERS }],
  ['conditions', { steps: ['filters', 'groups'], node: CONDITIONS }],
  ['variants', { steps: ['filters', 'multivariate', 'variants'], node: VARIANTS }],
  ['payloads', { steps: ['filters', 'payloads'], node: PAYLOADS }],
  // The rollout of a flag is that of each of its conditions.
  [ROLLOUT, { steps: ['filters', 'groups', '*', ROLLOUT], node: leaf(ROLLOUT) }],
  ['role_access', { steps: ['role_access'], node: roleNamed() }],
  ['access', { steps: ['role_access'], node: ACCESS }],
]);

/** `role_access.ROLE`: the role below `roles`. */
function roleNamed(): PathNode {
  return (part) => ({
    steps: [
      { kind: 'member', name: 'roles' },
      { kind: 'member', name: part },
    ],
    node: leaf(part),
  });
}

/** Names of manifests with which no JSON pointer begins, since pointers are in the API's names, and the pointers that are meant. */
const MISPLACED: ReadonlyMap<string, string> = new Map(
  [...ROOTS].flatMap(([name, { steps }]) => (steps.length > 1 || steps[0] !== name ? [[name, toPointer(steps)]] : [])),
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
