/** Places in resources, as options have them: the name of the resource, then `:PATH` or `.PATH`. */

import { FlagwrightError } from '../base/errors.ts';
import { familyIn } from './families.ts';
import type { FieldPath, FieldPathProblem } from '../core/engine/field-path.ts';
import { explainFieldPath } from './names/field-path-words.ts';
import { readName } from './names/resource-name.ts';

/** `name`: of the resource. */
export function parsePathOf(name: string, text: string): FieldPath | { readonly problem: FieldPathProblem } {
  return familyIn(readName(name).section).parsePath(text);
}

export function explainPathOf(
  name: string,
  text: string,
  problem: FieldPathProblem,
): ReturnType<typeof explainFieldPath> {
  return explainFieldPath(text, problem, readName(name).kind);
}

/** @throws {FlagwrightError} `usage` for a path that names nothing in such a resource. */
export function requirePathOf(name: string, text: string): FieldPath {
  const parsed = parsePathOf(name, text);
  if (!('problem' in parsed)) return parsed;
  const { message, remedy } = explainPathOf(name, text, parsed.problem);
  throw new FlagwrightError('usage', message, { remedy });
}
