/**
 * Names of places in a flag, as people write them: `active`, `conditions.2.rollout_percentage`, `variants.control`, or a JSON
 * pointer in the API's names. docs/manifest.md, "Names of fields".
 */

import { fromPointer, type JsonPath, toPointer, childAt } from '../../../base/json-pointer.ts';
import { parseJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { type FieldPathProblem, findRoot, type PathNode, type PathStep } from './field-path-names.ts';
import { MEMBER_NAMES } from './fields.ts';

export interface FieldPath {
  /** The path as it was written. */
  readonly text: string;
  /** The way from the flag, in the API's names. The access of roles is at `/role_access/default` and `/role_access/roles/ROLE`. */
  readonly steps: readonly PathStep[];
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

/**
 * Whether the path names the place at a pointer, or a place around it. `flag`: the fields, by API name, to which the pointer
 * belongs.
 */
export function matchesField({ steps }: Pick<FieldPath, 'steps'>, pointer: string, flag: JsonObject): boolean {
  const segments = fromPointer(pointer);
  let value: JsonValue | undefined = flag;
  return (
    steps.length <= segments.length &&
    steps.every((step, index) => {
      const segment = segments[index] as string;
      const next: JsonValue | undefined = childAt(value, segment);
      const found = isTaken(step, segment, next);
      value = next;
      return found;
    })
  );
}

/**
 * The places that the path names in a flag, as JSON pointers. Elements of lists exist there; a member of a mapping need not,
 * since no value has a meaning too.
 */
export function pointersOf({ steps }: Pick<FieldPath, 'steps'>, flag: JsonObject): string[] {
  let found: readonly ValueAtPath[] = [{ path: [], value: flag }];
  for (const step of steps) found = found.flatMap((outer) => childrenAt(outer, step));
  return found.map(({ path }) => toPointer(path));
}

/** Compares how exactly paths name a place: a path with more steps wins, and a step that names one place wins over `*`. */
export function comparePrecision(a: Pick<FieldPath, 'steps'>, b: Pick<FieldPath, 'steps'>): number {
  return a.steps.length - b.steps.length || countNamed(a) - countNamed(b);
}

function countNamed({ steps }: Pick<FieldPath, 'steps'>): number {
  return steps.filter(({ kind }) => kind !== 'any').length;
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

interface ValueAtPath {
  readonly path: JsonPath;
  readonly value: JsonValue | undefined;
}

function childrenAt({ path, value }: ValueAtPath, step: PathStep): ValueAtPath[] {
  if (isJsonArray(value)) {
    return value.flatMap((element, index) =>
      isTaken(step, String(index), element) ? [{ path: [...path, index], value: element }] : [],
    );
  }
  if (step.kind === 'member' && (value === undefined || value === null || isJsonObject(value))) {
    return [{ path: [...path, step.name], value: childAt(value, step.name) }];
  }
  if (step.kind !== 'any' || !isJsonObject(value)) return [];
  return Object.keys(value).map((name) => ({ path: [...path, name], value: value[name] }));
}

function isTaken(step: PathStep, segment: string, value: JsonValue | undefined): boolean {
  switch (step.kind) {
    case 'any':
      return true;
    case 'member':
      return step.name === segment;
    case 'element':
      return String(step.index) === segment;
    case 'named':
      return isJsonObject(value) && value[step.by] === step.name;
  }
}

/** The parts between dots. A part with a dot in it is in quotation marks, as a JSON string. */
export function splitPath(text: string): readonly string[] | { readonly problem: FieldPathProblem } {
  if (text.trim() === '') return { problem: { kind: 'empty' } };
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const [whole, quoted, plain = ''] = PART.exec(rest) as RegExpExecArray;
    const part = quoted === undefined ? plain : readQuoted(quoted);
    if (part === undefined || (quoted === undefined && plain.includes('"'))) return { problem: { kind: 'quotation' } };
    if (part === '') return { problem: { kind: 'empty_part' } };
    parts.push(part);
    rest = rest.slice(whole.length);
    if (rest === '') return parts;
    if (!rest.startsWith('.')) return { problem: { kind: 'quotation' } };
    rest = rest.slice(1);
  }
}

const PART = /^(?:("(?:[^"\\]|\\.)*")|([^.]*))/su;

function readQuoted(quoted: string): string | undefined {
  try {
    return parseJson(quoted) as string;
  } catch {
    return undefined;
  }
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
