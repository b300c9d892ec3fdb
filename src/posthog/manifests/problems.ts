/** Everything that reading manifests may report: the problems of files and of every kind. */

import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { ManifestReadingProblems } from '../../manifest/problems.ts';
import type { KindName, KindTypes } from '../kind-types.ts';

/** The common members of a union. */
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type AllManifestProblems = ManifestReadingProblems & Joined<KindTypes[KindName]['problems']>;

export type ManifestDiagnostic = DiagnosticOf<AllManifestProblems>;
