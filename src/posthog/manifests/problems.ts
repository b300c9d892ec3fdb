/** Everything that reading manifests may report: the problems of files and of every kind, and their words. */

import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { SHAPE_WORDS } from '../../base/shape/problems.ts';
import type { WordsFor } from '../../base/wording.ts';
import { YAML_WORDS } from '../../base/yaml/problems.ts';
import { PROJECT_WORDS } from '../../core/engine/project.ts';
import { type ManifestReadingProblems, MANIFEST_WORDS } from '../../core/manifest/problems.ts';
import { COHORT_WORDS } from '../cohort/problems.ts';
import { EARLY_ACCESS_WORDS } from '../early-access/problems.ts';
import { FLAG_WORDS } from '../flag/checks/words.ts';
import type { KindName, KindTypes } from '../kind-types.ts';
import { ROLE_ACCESS_WORDS } from '../role-access/problems.ts';

/** The common members of a union. */
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type AllManifestProblems = ManifestReadingProblems & Joined<KindTypes[KindName]['problems']>;

export type ManifestDiagnostic = DiagnosticOf<AllManifestProblems>;

export const ALL_MANIFEST_WORDS: WordsFor<AllManifestProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  ...MANIFEST_WORDS,
  ...FLAG_WORDS,
  ...COHORT_WORDS,
  ...EARLY_ACCESS_WORDS,
  ...ROLE_ACCESS_WORDS,
};
