/**
 * The shape of a problem as a value: a code with typed arguments, a severity and a place, but no sentence.
 * Each folder that finds problems declares its own codes, and a table of their words, in `problems.ts`; only who shows them loads the words.
 */

import { compareStrings } from './compare-strings.ts';
import type { Place } from './place.ts';

export type Severity = 'error' | 'warning';

/** A diagnostic of any code: enough to sort, to count and to pass on. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** Absent if the diagnostic is not about a place in a file. */
  readonly place?: Place;
  /** A JSON pointer from the top of the file's value: `/flags/new-checkout/filters/groups/0`. */
  readonly path?: string;
  readonly args: object;
}

/** A diagnostic with one of the codes of `Problems`, which maps each code to its arguments. */
export type DiagnosticOf<Problems> = {
  readonly [Code in keyof Problems & string]: Diagnostic & { readonly code: Code; readonly args: Problems[Code] };
}[keyof Problems & string];

/** A code with its arguments, before severity and place are known. */
export type ProblemOf<Problems> = {
  readonly [Code in keyof Problems & string]: { readonly code: Code; readonly args: Problems[Code] };
}[keyof Problems & string];

/** The arguments of a problem that its code describes completely. */
export type NoArgs = { readonly [name in never]: never };

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Sorts by file, line, column and code, those without a place first, which is the order in which a reader fixes them. */
export function sortDiagnostics<Each extends Diagnostic>(diagnostics: readonly Each[]): Each[] {
  return diagnostics.toSorted(
    (a, b) =>
      comparePlaces(a.place ?? NOWHERE, b.place ?? NOWHERE) ||
      compareStrings(a.code, b.code) ||
      compareStrings(a.path ?? '', b.path ?? ''),
  );
}

const NOWHERE: Place = { file: '', line: 0, column: 0 };

function comparePlaces(a: Place, b: Place): number {
  return compareStrings(a.file, b.file) || a.line - b.line || a.column - b.column;
}

/** The arguments of a problem that projects may share. */
export interface OfProjects {
  readonly project: string;
  /** Further projects that have the problem at the same place. */
  readonly others?: readonly string[];
}

/** Removes repetitions and keeps the order: a problem that several projects share is reported once, with `others`. */
export function distinct<Each extends Diagnostic>(diagnostics: readonly Each[]): Each[] {
  const found = new Map<string, Each>();
  for (const diagnostic of diagnostics) {
    const { project, ...args }: Partial<OfProjects> = diagnostic.args;
    const id = JSON.stringify([{ ...diagnostic, args }, project === undefined]);
    const first = found.get(id);
    if (first === undefined) found.set(id, diagnostic);
    else if (project !== undefined) found.set(id, { ...first, args: withProject(first.args as OfProjects, project) });
  }
  return [...found.values()];
}

function withProject({ others = [], ...args }: OfProjects, project: string): OfProjects {
  const all = [...new Set([args.project, ...others, project])];
  return all.length === 1 ? args : { ...args, others: all.slice(1) };
}
