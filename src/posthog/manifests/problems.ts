/** Everything that reading manifests may report: the problems of files and of every kind. */

import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { ManifestReadingProblems } from '../../manifest/problems.ts';
import type { CohortProblems } from '../cohort/problems.ts';
import type { EarlyAccessProblems } from '../early-access/problems.ts';
import type { FlagProblems } from '../flag/checks/problems.ts';
import type { RoleAccessProblems } from '../role-access/problems.ts';

export type AllManifestProblems = ManifestReadingProblems &
  FlagProblems &
  CohortProblems &
  EarlyAccessProblems &
  RoleAccessProblems;

export type ManifestDiagnostic = DiagnosticOf<AllManifestProblems>;
