/**
 * Names of places in a flag, as people write them: `active`, `conditions.2.rollout_percentage`, `variants.control`, or a JSON
 * pointer in the API's names. docs/manifest.md, "Names of fields".
 */

import { fromPointer } from '../../../base/json-pointer.ts';
import { splitPath, type FieldPath, type FieldPathProblem, type PathStep } from '../../../engine/field-path.ts';
import { findRoot, type PathNode } from './field-path-names.ts';
import { MEMBER_NAMES } from './fields.ts';

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
