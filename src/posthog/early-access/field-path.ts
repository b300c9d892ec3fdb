/** Names of places in an early access feature, as people write them: `stage`, or `/stage`. Every field is one value. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import type { FieldPathProblem } from '../flag/field-path-names.ts';
import { type FieldPath, splitPath } from '../flag/field-path.ts';
import { FIELDS } from './canonical.ts';

export function parseFeaturePath(text: string): FieldPath | { readonly problem: FieldPathProblem } {
  const parts = text.startsWith('/') ? fromPointer(text) : splitPath(text);
  if ('problem' in parts) return parts;
  const [name = '', part] = parts;
  if (part !== undefined) return { problem: { kind: 'too_deep', part, outer: name } };
  if (name === '*') return { text, steps: [{ kind: 'any' }] };
  if (FIELDS.some((field) => field === name)) return { text, steps: [{ kind: 'member', name }] };
  const suggestion = nearest(name, FIELDS);
  return { problem: { kind: 'unknown', part: name, outer: '', known: FIELDS, ...defined({ suggestion }) } };
}
