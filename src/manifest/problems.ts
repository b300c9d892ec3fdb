/** The problems of manifests, whatever kind of resource they declare. */

import type { Place } from '../base/place.ts';
import type { ShapeProblems } from '../base/shape/problems.ts';
import type { YamlProblems } from '../base/yaml/problems.ts';
import type { ProjectProblems } from '../engine/problems.ts';

export interface ManifestProblems {
  'file-outside': { readonly pattern: string };
  /** An error for a file that the user names, a warning for one found near the manifests. */
  'file-unmatched': { readonly patterns: readonly string[] };
  'manifests-none': { readonly patterns: readonly string[] };
  'previous-key-taken': { readonly key: string; readonly other: Place };
}

/** Everything that reading manifests may report, apart from the problems of the kinds. */
export type ManifestReadingProblems = YamlProblems & ShapeProblems & ProjectProblems & ManifestProblems;
