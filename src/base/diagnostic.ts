/**
 * Problems as values: a closed union of codes, each with its own typed arguments and no sentence.
 * The words are in `diagnostic-info.ts`, one entry for each code; `docs/diagnostics.md` has a row for each.
 */

import { compareStrings } from './compare-strings.ts';
import type { GlobProblem } from './key-glob-parse.ts';
import type { Place } from './place.ts';

/** What each code carries. To add a problem, add a member here; the compiler then asks for its words. */
export interface DiagnosticArgs {
  // Files
  'file-unreadable': { readonly reason: string };
  'file-too-large': { readonly bytes: number; readonly limit: number };
  /** `encoding`: the one that the file has, where its first bytes tell. */
  'file-not-utf8': { readonly offset: number; readonly encoding?: string };
  'file-outside': { readonly pattern: string };
  'manifests-none': { readonly patterns: readonly string[] };

  // YAML
  'yaml-syntax': { readonly detail: string };
  'yaml-duplicate-key': { readonly key: string };
  'yaml-alias-bomb': { readonly limit: number };
  'yaml-alias-unknown': { readonly alias: string };
  'yaml-too-deep': { readonly limit: number };
  'yaml-key-not-text': { readonly found: string };
  'yaml-tab': Nothing;
  'yaml-merge-not-mapping': Nothing;
  'number-imprecise': { readonly found: string };
  /** `character` as `U+0000`. */
  'character-forbidden': { readonly character: string };

  // Shape (JSON Schema)
  'type-wrong': { readonly expected: readonly string[]; readonly found: string };
  'property-unknown': { readonly property: string; readonly suggestion?: string };
  'property-missing': { readonly property: string };
  'value-not-allowed': { readonly found: string; readonly allowed: readonly string[]; readonly suggestion?: string };
  'value-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'value-pattern': { readonly found: string; readonly pattern: string };
  'length-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'combination-forbidden': { readonly properties: readonly string[] };

  // Manifests, beyond the shape
  'flag-duplicate': { readonly key: string; readonly other: Place };
  'flag-key-invalid': { readonly key: string };
  'flag-key-too-long': { readonly key: string; readonly length: number };
  /** `project`: the one that no manifest declares it for; absent where none declares it for any. */
  'flag-unknown': { readonly key: string; readonly project?: string; readonly suggestion?: string };
  'flag-depends-on-itself': { readonly cycle: readonly string[] };
  'flag-depends-on-deleted': { readonly key: string };
  'flag-depends-on-disabled': { readonly key: string };
  'previous-key-taken': { readonly key: string; readonly other: Place };
  'project-unknown': { readonly project: string; readonly suggestion?: string };
  'role-unknown': { readonly role: string; readonly project: string; readonly suggestion?: string };
  'cohort-unknown': { readonly cohort: string; readonly project: string; readonly suggestion?: string };
  'role-glob-matches-nothing': { readonly glob: string };
  'role-access-on-deleted': { readonly key: string };
  'field-has-member': { readonly field: string; readonly member: string };
  'field-computed': { readonly field: string };
  'conditions-none': Nothing;
  'filters-too-large': { readonly bytes: number; readonly limit: number };
  'property-reserved': { readonly property: string };
  'variants-sum': { readonly sum: number };
  'variant-duplicate': { readonly variant: string };
  'variant-unknown': { readonly variant: string; readonly suggestion?: string };
  'payload-key-unknown': {
    readonly payload: string;
    readonly allowed: readonly string[];
    readonly suggestion?: string;
  };
  'payload-not-json': { readonly payload: string };
  'operator-unfit': { readonly operator: string; readonly type: string };
  'operator-value-unfit': { readonly operator: string; readonly expected: string; readonly found: string };
  'regex-invalid': { readonly regex: string; readonly detail: string };
  'aggregation-mixed': { readonly flagLevel: number; readonly condition: number | null };
  'property-type-unfit': { readonly type: string; readonly aggregation: 'person' | 'group' };
  'property-group-mismatch': { readonly found: number; readonly expected: number };

  // Configuration
  'config-key-in-file': { readonly property: string };
  /** `unwanted`: what the address holds and must not; absent where it is none at all. */
  'config-host-invalid': { readonly host: string; readonly unwanted?: readonly string[] };
  'config-host-plain-http': { readonly host: string };
  'config-host-not-allowed': { readonly host: string };
  'config-project-missing': { readonly available: readonly string[] };
  'config-key-missing': { readonly variable: string };
  'config-variable-invalid': Nothing;
  'config-several-documents': Nothing;
  /** `beside`: the second name, in the same folder. */
  'config-two-files': { readonly beside: string };
  /** `name`: the name that the file needs. */
  'config-former-name': { readonly name: string };
  'key-pattern-invalid': { readonly pattern: string; readonly problem: GlobProblem };
  'key-pattern-spaces': { readonly pattern: string };
  'config-environment-partial': { readonly present: readonly string[]; readonly missing: readonly string[] };
}

/** A problem that its code says whole. */
type Nothing = { readonly [name in never]: never };

export type DiagnosticCode = keyof DiagnosticArgs;
export type Severity = 'error' | 'warning';

/** One problem: what (`code`, `args`), how bad, and where (`place` in a file, `path` in its value). */
export type Diagnostic = {
  readonly [Code in DiagnosticCode]: {
    readonly code: Code;
    readonly severity: Severity;
    readonly place?: Place;
    /** JSON pointer from the top of the file, `/flags/new-checkout/filters/groups/0`. */
    readonly path?: string;
    readonly args: DiagnosticArgs[Code];
  };
}[DiagnosticCode];

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** By file, line, column, then code: the order in which somebody mends them. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      compareStrings(a.place?.file ?? '', b.place?.file ?? '') ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
      compareStrings(a.code, b.code) ||
      compareStrings(a.path ?? '', b.path ?? ''),
  );
}

/** Each once, in order: what is wrong for several projects alike is one problem. */
export function distinct(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()];
}
