/** Names of cohorts that the configuration lacks: a declared cohort is found by its name, too. */

import type { DesiredState } from '../desired.ts';
import type { LiveState } from '../live.ts';
import type { ProjectNames } from '../project.ts';
import { aliasesOf, matchAllCohorts, matchCohorts } from './match.ts';

type DesiredCohorts = Pick<DesiredState, 'cohorts'>;
/** Every listed cohort, and those of traces; absent if none was read. */
type ReadCohorts = Pick<LiveState, 'cohorts' | 'traces'> | undefined;

/** @throws {FlagwrightError} `manifest_invalid` as matching does, also for a name that several cohorts have. */
export function withFoundCohorts<Names extends ProjectNames>(
  project: Names,
  declared: DesiredCohorts,
  live: ReadCohorts,
): Names {
  return withAliases(project, declared, { live, match: matchAllCohorts });
}

/** Omits aliases whose name several cohorts have: a plan leaves those alone. */
export function withKnownCohorts<Names extends ProjectNames>(
  project: Names,
  declared: DesiredCohorts,
  live: ReadCohorts,
): Names {
  return withAliases(project, declared, { live, match: matchCohorts });
}

function withAliases<Names extends ProjectNames>(
  project: Names,
  { cohorts }: DesiredCohorts,
  { live, match }: { readonly live: ReadCohorts; readonly match: typeof matchAllCohorts },
): Names {
  if (cohorts === undefined || live?.cohorts === undefined) return project;
  return {
    ...project,
    cohorts: { ...Object.fromEntries(aliasesOf(match({ cohorts }, live))), ...project.cohorts },
  };
}
