/**
 * Names of places in a cohort, as people write them: `name`, `definition.1.2.value`, or a JSON pointer in the API's names.
 * Groups and filters of a definition are counted from 1, as in reports. docs/manifest.md, "Cohorts".
 */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import { type FieldPath, type FieldPathProblem, type PathStep, splitPath } from '../../engine/field-path.ts';

type PathProblem = { readonly problem: FieldPathProblem };

export function parseCohortPath(text: string): FieldPath | PathProblem {
  const steps = text.startsWith('/') ? readPointer(text) : readParts(splitPath(text));
  return 'problem' in steps ? steps : { text, steps };
}

const FIELDS: readonly string[] = ['name', 'description', 'filters', 'deleted'];
const PARTS: readonly string[] = ['name', 'description', 'definition'];

function readPointer(text: string): readonly PathStep[] | PathProblem {
  const [field = '', ...rest] = fromPointer(text);
  return FIELDS.includes(field) ? [field, ...rest].map(memberStep) : unknown(field, FIELDS);
}

function readParts(parts: readonly string[] | PathProblem): readonly PathStep[] | PathProblem {
  if ('problem' in parts) return parts;
  const [first = '', ...rest] = parts;
  if (first === 'definition') return readDefinition(rest);
  if (!FIELDS.includes(first)) return unknown(first, PARTS);
  const [part] = rest;
  if (part !== undefined) return { problem: { kind: 'too_deep', part, outer: first } };
  return [memberStep(first)];
}

/** Each number is one of a group's values; the members of a filter come after the numbers. */
function readDefinition(parts: readonly string[]): readonly PathStep[] | PathProblem {
  const steps = ['filters', 'properties'].map(memberStep);
  let outer = 'definition';
  for (const part of parts) {
    const isElement = part === '*' || /^\d+$/.test(part);
    if (part === '0') return { problem: { kind: 'zero', outer } };
    if (isElement && steps.at(-1)?.kind === 'member' && outer !== 'definition') {
      return { problem: { kind: 'number', part, outer } };
    }
    if (isElement) steps.push(memberStep('values'), elementStep(part));
    else steps.push(memberStep(part));
    outer = part;
  }
  return steps;
}

function memberStep(name: string): PathStep {
  return name === '*' ? { kind: 'any' } : { kind: 'member', name };
}

function elementStep(part: string): PathStep {
  return part === '*' ? { kind: 'any' } : { kind: 'element', index: Number(part) - 1 };
}

function unknown(part: string, known: readonly string[]): PathProblem {
  return { problem: { kind: 'unknown', part, outer: '', known, ...defined({ suggestion: nearest(part, known) }) } };
}
