/**
 * Names of places in a flag, as people write them: `active`, `conditions.2.rollout_percentage`, `variants.control`, or a JSON
 * pointer in the API's names. docs/manifest.md, "Names of fields".
 */

import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import { splitPath, type FieldPath, type FieldPathProblem, type PathStep } from '../../../core/engine/field-path.ts';
import { MEMBER_NAMES, API_NAMES, FLAG_FIELDS, KNOWN_FIELDS, SERVICE_FIELDS } from './fields.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { KNOWN_MEMBERS } from './flag.ts';

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
