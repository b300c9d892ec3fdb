/** Names of cohorts that the configuration lacks: a declared cohort is found by its name, too. */

import type { DesiredState } from '../desired.ts';
import type { LiveState } from '../live.ts';
import type { ProjectNames } from '../project.ts';
import { aliasesOf, matchCohorts } from './match.ts';

/**
 * `live`: every listed cohort, and those of traces; absent where none was read.
 * @throws {FlagwrightError} `manifest_invalid` as matching does.
 */
export function withFoundCohorts<Names extends ProjectNames>(
  project: Names,
  { cohorts }: Pick<DesiredState, 'cohorts'>,
  live: Pick<LiveState, 'cohorts' | 'cohortTraces'> | undefined,
): Names {
  if (cohorts === undefined || live?.cohorts === undefined) return project;
  return {
    ...project,
    cohorts: { ...Object.fromEntries(aliasesOf(matchCohorts({ cohorts }, live))), ...project.cohorts },
  };
}
