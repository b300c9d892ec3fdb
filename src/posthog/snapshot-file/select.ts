/** What a run would have read of the service when a snapshot was taken: the same state, from a file. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { findMissingKeys, type Trace } from '../../engine/trace.ts';
import { neededOfArchive, needsArchive } from '../flag/archive.ts';
import { isListed, type Flag } from '../flag/flag.ts';
import type { LiveState } from '../live.ts';
import type { MissingRetired } from '../retired.ts';
import { wireOfAll, type FlagAccess } from '../role-access/access.ts';
import { selectAccess } from '../role-access/read.ts';
import type { WantedState } from '../wanted.ts';

/** @throws {FlagwrightError} `snapshot_invalid` where cohorts are wanted and the snapshot has none. */
export function selectLive(whole: LiveState, wanted: WantedState): LiveState {
  const listed = whole.flags.filter(isListed);
  const visible = [...listed, ...hiddenFlags(whole.flags, listed, wanted.keys)];
  const read = [...visible, ...othersWithIds(whole.flags, visible, wanted.ids ?? [])];
  const missing = new Set(findMissingKeys(wanted.declared ?? [], new Set(read.map(({ key }) => key))));
  const traces = (whole.traces ?? []).filter(({ key }) => missing.has(key));
  const flags = [...read, ...othersWithIds(whole.flags, read, idsOf(traces))];
  const isLevels = wireOfAll(flags) !== 'entries';
  return {
    flags,
    ...defined({ hasPayloadDigests: whole.hasPayloadDigests }),
    roleAccess: selectRoleAccess(whole, flags, {
      roleAccessOf: wanted.roleAccessOf,
      roleAccessOfIds: idsOf(traces.filter(({ key }) => wanted.roleAccessOf.includes(key))),
    }),
    ...(wanted.organization === true && isLevels ? defined({ organization: whole.organization }) : {}),
    ...defined({ schedules: whole.schedules }),
    ...(wanted.cohorts === true ? selectCohorts(whole) : {}),
    ...(traces.length === 0 ? {} : { traces }),
  };
}

/** The same live state with what the snapshot knows of flags and cohorts that manifests delete. Perhaps nothing asked when it was taken. */
export function selectRetired(live: LiveState, whole: LiveState, { flags, cohorts }: MissingRetired): LiveState {
  if (flags.length + cohorts.length === 0) return live;
  const traces = tracesOf(flags, whole.traces);
  return {
    ...live,
    flags: [...live.flags, ...othersWithIds(whole.flags, live.flags, idsOf(traces))],
    ...(traces.length === 0 ? {} : { traces: [...(live.traces ?? []), ...traces] }),
    ...(cohorts.length === 0
      ? {}
      : {
          cohortTraces: withMissing(
            live.cohortTraces ?? [],
            cohorts.map(({ key }) => key),
          ),
        }),
  };
}

function tracesOf(keys: readonly string[], known: readonly Trace[] = []): readonly Trace[] {
  return withMissing(
    known.filter(({ key }) => keys.includes(key)),
    keys,
  );
}

function withMissing(known: readonly Trace[], keys: readonly string[]): readonly Trace[] {
  const missing = keys.filter((key) => !known.some((trace) => trace.key === key));
  return [...known, ...missing.map((key): Trace => ({ kind: 'unknown', key, why: 'not_read' }))];
}

function hiddenFlags(all: readonly Flag[], listed: readonly Flag[], keys: readonly string[]): readonly Flag[] {
  const archived = all.filter((flag) => flag.archived === true && flag.deleted !== true);
  return needsArchive(listed, keys) ? neededOfArchive(listed, archived, keys) : [];
}

function othersWithIds(all: readonly Flag[], known: readonly Flag[], ids: readonly number[]): readonly Flag[] {
  const knownIds = new Set(known.map(({ id }) => id));
  return all.filter(({ id }) => ids.includes(id) && !knownIds.has(id));
}

function idsOf(traces: readonly Trace[]): readonly number[] {
  return traces.flatMap((trace) => (trace.kind === 'former' ? trace.id : []));
}

/** What was not read never counts as empty. */
const UNREAD: FlagAccess = { refused: null, unread: true };

function selectRoleAccess(
  { roleAccess }: LiveState,
  flags: readonly Flag[],
  wanted: Pick<WantedState, 'roleAccessOf' | 'roleAccessOfIds'>,
): LiveState['roleAccess'] {
  return Object.fromEntries(
    selectAccess(flags, wanted).map(({ id }) => [String(id), roleAccess[String(id)] ?? UNREAD]),
  );
}

function selectCohorts({ cohorts, cohortTraces }: LiveState): Pick<LiveState, 'cohorts' | 'cohortTraces'> {
  if (cohorts !== undefined) return { cohorts, ...defined({ cohortTraces }) };
  throw new FlagwrightError('snapshot_invalid', 'The manifests declare cohorts, and the snapshot has none.', {
    remedy: 'Give the API key of `flagwright snapshot` the scope cohort:read, and take a new snapshot.',
  });
}
