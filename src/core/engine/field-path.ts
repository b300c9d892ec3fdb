/** Paths to the fields of a resource, as people write them, and the places that they name. */

import { fromPointer, type JsonPath, toPointer, childAt } from '../../base/json-pointer.ts';
import { parseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface FieldPath {
  /** The path as it was written. */
  readonly text: string;
  /** The path from the resource, in the API's names. The access of roles is at `/role_access/default` and `/role_access/roles/ROLE`. */
  readonly steps: readonly PathStep[];
}

/** The reason that a text names no place. `known`: the accepted parts, for a message. */
export type FieldPathProblem =
  | { readonly kind: 'empty' }
  /** Two dots in a row, or a dot at an end. */
  | { readonly kind: 'empty_part' }
  /** A quotation mark that is not closed, or that is not around a whole part. */
  | { readonly kind: 'quotation' }
  /** `outer`: the part that has no such member; empty at the start. */
  | {
      readonly kind: 'unknown';
      readonly part: string;
      readonly outer: string;
      readonly known: readonly string[];
      readonly suggestion?: string;
    }
  /** Elements are counted from 1. */
  | { readonly kind: 'zero'; readonly outer: string }
  /** `outer` is a value without members. */
  | { readonly kind: 'too_deep'; readonly part: string; readonly outer: string }
  /** A list in a value that only the service knows: a JSON pointer names its elements. */
  | { readonly kind: 'number'; readonly part: string; readonly outer: string }
  /** The service computes the field, so it is never compared. */
  | { readonly kind: 'computed'; readonly field: string };

export type PathStep =
  /** A member of a mapping, or in a JSON pointer also the index of an element. */
  | { readonly kind: 'member'; readonly name: string }
  /** An element of a list, counted from 0. */
  | { readonly kind: 'element'; readonly index: number }
  /** The elements of a list whose member `by` has the value `name`. */
  | { readonly kind: 'named'; readonly by: 'key' | 'description'; readonly name: string }
  /** Every element of a list, and every member of a mapping. */
  | { readonly kind: 'any' };

/**
 * Whether the path names the place at a pointer, or a place around it. `fields`: those of the resource, by API name, to which the
 * pointer belongs.
 */
export function matchesField({ steps }: Pick<FieldPath, 'steps'>, pointer: string, fields: JsonObject): boolean {
  const segments = fromPointer(pointer);
  let value: JsonValue | undefined = fields;
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
 * The places that the path names in a resource, as JSON pointers. Elements of lists must exist there; a member of a mapping need not, since
 * its absence has a meaning too.
 */
export function pointersOf({ steps }: Pick<FieldPath, 'steps'>, fields: JsonObject): string[] {
  let found: readonly ValueAtPath[] = [{ path: [], value: fields }];
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
