/** Reads what became of flags and cohorts that manifests delete, where the base declared them and none is live under the name. */

import { defined } from '../../base/optional.ts';
import type { Trace } from '../../engine/trace.ts';
import type { LiveState } from '../live.ts';
import type { MissingRetired } from '../retired.ts';
import type { ServiceClient } from './client.ts';
import { findTraces, type FindRecorded } from './find-traces.ts';
import { traceCohorts } from './read-cohorts.ts';

/**
 * The same live state with their traces. Costs what a declared flag costs that is not listed; nothing where none is missing.
 * @throws {ServiceError} when a resource of a trace cannot be read.
 */
export async function readRetired(
  client: ServiceClient,
  live: LiveState,
  { flags, cohorts: missing, findRecorded }: MissingRetired & { readonly findRecorded?: FindRecorded },
): Promise<LiveState> {
  if (flags.length + missing.length === 0) return live;
  const [ofFlags, ofCohorts] = await Promise.all([
    findTraces(client, flags, { listed: live.flags, ...defined({ findRecorded }) }),
    traceCohorts(client, missing, { listed: live.cohorts ?? [], ...defined({ findRecorded }) }),
  ]);
  const cohorts = [...(live.cohorts ?? []), ...ofCohorts.found];
  return {
    ...live,
    flags: [...live.flags, ...ofFlags.flags],
    ...unlessEmpty('traces', [...(live.traces ?? []), ...ofFlags.traces]),
    ...(live.cohorts === undefined ? {} : { cohorts }),
    ...unlessEmpty('cohortTraces', [...(live.cohortTraces ?? []), ...ofCohorts.traces]),
  };
}

function unlessEmpty(
  name: 'traces' | 'cohortTraces',
  traces: readonly Trace[],
): Pick<LiveState, 'traces' | 'cohortTraces'> {
  return traces.length === 0 ? {} : { [name]: traces };
}
