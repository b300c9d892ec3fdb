/** The result of a check: a problem at a pointer within a declaration, not yet placed in a file. */

import type { Diagnostic, Severity } from '../base/diagnostic.ts';
import { placeAt } from '../base/place.ts';
import type { Declaration } from './declaration.ts';

export interface ManifestFinding {
  readonly code: string;
  readonly severity: Severity;
  /** Pointer within the declaration: `/projects/staging`, or `/filters/groups/0` in the API's names. */
  readonly at: string;
  readonly args: object;
}

/** A finding with one of the codes of `Problems`, which maps each code to its arguments. */
export type FindingOf<Problems> = {
  readonly [Code in keyof Problems & string]: ManifestFinding & { readonly code: Code; readonly args: Problems[Code] };
}[keyof Problems & string];

/** Places a finding whose pointer is in the manifest's own names. */
export function placeFinding({ places, path }: Declaration, { at, ...finding }: ManifestFinding): Diagnostic {
  return { ...finding, place: placeAt(places, at), path: path + at };
}
