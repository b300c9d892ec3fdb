/** The problems of test files. */

import type { DiagnosticOf, NoArgs } from '../base/diagnostic.ts';
import type { Place } from '../base/place.ts';
import type { ShapeProblems } from '../base/shape/problems.ts';
import type { YamlProblems } from '../base/yaml/problems.ts';
import type { ProjectProblems } from '../engine/problems.ts';
import type { ManifestProblems } from '../manifest/problems.ts';

export interface ExpectationProblems {
  'tests-none': { readonly patterns: readonly string[] };
  'person-unknown': { readonly person: string; readonly suggestion?: string };
  'person-duplicate': { readonly person: string; readonly other: Place };
  'person-cohort-unknown': { readonly cohort: string; readonly suggestion?: string };
  /** `project` is absent if no project declares the flag. */
  'expected-flag-unknown': { readonly flag: string; readonly project?: string; readonly suggestion?: string };
  /** `variants`: those of the flag. `project` is absent if no project has the variant. */
  'expected-variant-unknown': {
    readonly flag: string;
    readonly variant: string;
    readonly project?: string;
    readonly variants: readonly string[];
  };
  'expected-payload-of-off': NoArgs;
  'expected-time-invalid': { readonly time: string };
}

/** Everything that reading test files may report. */
export type ExpectationReadingProblems = YamlProblems &
  ShapeProblems &
  ProjectProblems &
  Pick<ManifestProblems, 'file-outside'> &
  ExpectationProblems;

export type ExpectationDiagnostic = DiagnosticOf<ExpectationReadingProblems>;
