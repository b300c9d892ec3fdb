/** Names of resources and of places in them, as options have them: `KEY` and `cohort:ALIAS`, then `:PATH` or `.PATH`. */

import type { FieldPath, FieldPathProblem } from './flag/field-path.ts';
import { parseFieldPath } from './flag/field-path.ts';
import { explainFieldPath } from './flag/field-path-words.ts';
import { parseCohortPath } from './cohort/field-path.ts';
import { nameOfCohort } from './cohort/changes.ts';

const COHORT_PREFIX = nameOfCohort('');

/** The alias of a cohort; `undefined` for the key of a flag, which contains no colon. */
export function aliasIn(name: string): string | undefined {
  return name.startsWith(COHORT_PREFIX) ? name.slice(COHORT_PREFIX.length) : undefined;
}

/** `name`: of the resource. */
export function parsePathOf(name: string, text: string): FieldPath | { readonly problem: FieldPathProblem } {
  return aliasIn(name) === undefined ? parseFieldPath(text) : parseCohortPath(text);
}

export function explainPathOf(
  name: string,
  text: string,
  problem: FieldPathProblem,
): ReturnType<typeof explainFieldPath> {
  return explainFieldPath(text, problem, aliasIn(name) === undefined ? 'flag' : 'cohort');
}
