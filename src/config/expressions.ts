/** Checks the expressions of own policies, and finds mistakes in the lines of the file. */

import { isScalar } from 'yaml';
import { defined } from '../base/optional.ts';
import { type Place, createPlacer } from '../base/place.ts';
import { offsetInScalar } from '../base/yaml/scalar.ts';
import { readSyntax } from '../base/yaml/read.ts';
import { compile } from '../policy/cel/language.ts';
import type { Policy } from '../policy/built-in.ts';
import type { ConfigDiagnostic } from './problems.ts';

/** `rules`: as the file has them, in its order. */
export function findExpressionProblems(
  rules: readonly Policy[],
  source: { readonly file: string; readonly text: string },
): ConfigDiagnostic[] {
  return rules.flatMap((policy, index) => {
    if (policy.rule !== 'own') return [];
    const compiled = compile(policy.when);
    if (!('mistake' in compiled)) return [];
    const { message: problem, remedy, offset } = compiled.mistake;
    const path = `/policies/rules/${index}/when`;
    const place = placeInside(source, index, offset) ?? policy.whenSource;
    const args = { name: policy.name, problem, ...defined({ remedy }) };
    return [{ code: 'policy-expression-invalid', severity: 'error', place, path, args } as const];
  });
}

/** `undefined` if the expression stands elsewhere, behind an alias. Only mistakes need the syntax tree. */
function placeInside(
  { file, text }: { readonly file: string; readonly text: string },
  index: number,
  offset: number,
): Place | undefined {
  const node = readSyntax(file, text, {}).documents[0]?.syntax.getIn(['policies', 'rules', index, 'when'], true);
  if (!isScalar(node)) return undefined;
  const found = offsetInScalar(text, node, offset);
  return found === undefined ? undefined : createPlacer(file, text)(found);
}
