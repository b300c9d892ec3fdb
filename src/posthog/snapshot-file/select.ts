/** Selects the state that a run would have read from the service when a snapshot was taken. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { Trace } from '../../engine/trace.ts';
import { neededOfArchive, type LiveSelection } from '../live-selection.ts';
import { FLAGS } from '../flag/family.ts';
import { isListed, type Flag } from '../flag/model/flag.ts';
import type { FamilyName, FurtherFamily } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import { type MissingRetired, withTraced } from '../planning/base.ts';
import { wireOfAll, type FlagAccess } from '../role-access/access.ts';
import { selectAccess } from '../role-access/read.ts';
import { FURTHER, missingFamily, SECTIONS } from './families.ts';

/** @throws {FlagwrightError} `snapshot_invalid` where a family is selected that the snapshot does not have. */
export function selectLive(whole: LiveState, selection: LiveSelection): LiveState {
  const { keys = [], ids = [], declared = [] } = selection.flags;
  const { roleAccess: access = {} } = selection;
  const listed = whole.flags.filter(isListed);
  const visible = [...listed, ...hiddenFlags(whole.flags, listed, keys)];
  const read = [...visible, ...othersWithIds(whole.flags, visible, ids)];
  const missing = new Set(FLAGS.findMissing(declared, read).map(({ key }) => key));
  const ofFlags = (whole.traces?.flags ?? []).filter(({ key }) => missing.has(key));
  const flags = [...read, ...othersWithIds(whole.flags, read, idsOf(ofFlags))];
  const isLevels = wireOfAll(flags) !== 'entries';
  const traced = idsOf(ofFlags.filter(({ key }) => access.keys?.includes(key) === true));
  const further = FURTHER.filter((section) => selection[section] !== undefined);
  const traces = {
    ...(ofFlags.length === 0 ? {} : { flags: ofFlags }),
    ...Object.fromEntries(further.flatMap((section) => tracesIn(section, whole))),
  };
  return {
    flags,
    ...defined({ hasPayloadDigests: whole.hasPayloadDigests }),
    roleAccess: Object.fromEntries(
      selectAccess(flags, { ...defined({ keys: access.keys }), ids: traced.map(Number) }).map(({ id }) => [
        String(id),
        whole.roleAccess[String(id)] ?? UNREAD,
      ]),
    ),
    ...(access.organization === true && isLevels ? defined({ organization: whole.organization }) : {}),
    ...defined({ schedules: whole.schedules }),
    ...Object.fromEntries(further.map((section) => [section, selectFamily(section, whole)])),
    ...(Object.keys(traces).length === 0 ? {} : { traces }),
  };
}

function tracesIn(section: FurtherFamily, { traces }: LiveState): [string, readonly Trace[]][] {
  const own = traces?.[section];
  return own === undefined ? [] : [[section, own]];
}

/** Adds the snapshot's knowledge of resources that manifests delete, which may be incomplete. */
export function selectRetired(live: LiveState, whole: LiveState, missing: MissingRetired): LiveState {
  return SECTIONS.reduce((state, section) => {
    const told = new Set((state.traces?.[section] ?? []).map(({ key }) => key));
    const keys = missing[section].map(({ key }) => key).filter((key) => !told.has(key));
    if (keys.length === 0) return state;
    const known = (whole.traces?.[section] ?? []).filter(({ key }) => keys.includes(key));
    const untold = keys.filter((key) => !known.some((trace) => trace.key === key));
    const traces = [...known, ...untold.map((key): Trace => ({ kind: 'unknown', key, why: 'not_read' }))];
    const found = othersWithIds<NonNullable<LiveState[FamilyName]>[number]>(
      whole[section] ?? [],
      state[section] ?? [],
      idsOf(traces),
    );
    return withTraced(state, { section, traces, found });
  }, live);
}

function hiddenFlags(all: readonly Flag[], listed: readonly Flag[], keys: readonly string[]): readonly Flag[] {
  const archived = all.filter((flag) => flag.archived === true && flag.deleted !== true);
  return neededOfArchive(listed, archived, keys);
}

function othersWithIds<Live extends { readonly id: ResourceId }>(
  all: readonly Live[],
  known: readonly Live[],
  ids: readonly ResourceId[],
): readonly Live[] {
  const knownIds = new Set(known.map(({ id }) => id));
  return all.filter(({ id }) => ids.includes(id) && !knownIds.has(id));
}

function idsOf(traces: readonly Trace[]): readonly ResourceId[] {
  return traces.flatMap((trace) => (trace.kind === 'former' ? trace.id : []));
}

/** Unread access never counts as empty. */
const UNREAD: FlagAccess = { refused: null, unread: true };

function selectFamily(section: FurtherFamily, whole: LiveState): LiveState[FurtherFamily] {
  const resources = whole[section];
  if (resources !== undefined) return resources;
  const { message, remedy } = missingFamily(section);
  throw new FlagwrightError('snapshot_invalid', message, { remedy });
}
