/** Reads a snapshot file. A file that was cut, edited, or written by another major version is refused. */

import { FURTHER_FAMILIES, furtherFamily } from '../families.ts';
import { KIND_BY_NAME } from '../kinds.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { validateSnapshot } from '../../base/generated/snapshot-validators.ts';
import { parseJson, stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, nestsWithin, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fingerprintOf } from '../../core/engine/plan-document.ts';
import type { ScheduledChange } from '../flag/schedules.ts';
import type { LiveState } from '../live.ts';
import { parseFamilies, SECTIONS, SNAPSHOT_FORMAT_VERSION, type SavedSnapshot } from './snapshot-file.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { Trace } from '../../core/engine/trace.ts';
import { neededOfArchive, type LiveSelection } from '../live-selection.ts';
import { FLAGS } from '../flag/family.ts';
import { isListed } from '../flag/model/flag.ts';
import type { FamilyName, FurtherFamily } from '../kind-types.ts';
import { type MissingRetired, withTraced } from '../planning/base.ts';
import { wireOfAll, type FlagAccess } from '../role-access/access.ts';
import { selectAccess } from '../role-access/read.ts';

export interface ReadSnapshot extends SavedSnapshot {
  readonly fingerprint: string;
}

/** Deeper than any answer of the service. */
const DEEPEST_NESTING = 600;

/** @throws {FlagwrightError} `snapshot_invalid` when the text is no whole, unedited snapshot of this format version. */
export function parseSnapshot(text: string): ReadSnapshot {
  if (text.trim() === '') throw invalid('It is an empty file.');
  let document: JsonValue;
  try {
    document = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw invalid('The file is not complete JSON.', cause);
  }
  if (!isJsonObject(document) || !nestsWithin(document, DEEPEST_NESTING))
    throw invalid('It is not a flagwright snapshot.');

  const { format_version: version, fingerprint, ...rest } = document;
  if (document['kind'] !== 'snapshot') {
    const isPlan = Object.hasOwn(document, 'changes') && Object.hasOwn(document, 'summary');
    throw invalid(`It is ${isPlan ? 'a plan' : 'not a flagwright snapshot'}.`);
  }
  if (version !== SNAPSHOT_FORMAT_VERSION) {
    const quoted = typeof version === 'string' ? stringifyJson(version.slice(0, 20)) : 'null';
    throw invalid(`It has format version ${quoted}, and this flagwright reads ${SNAPSHOT_FORMAT_VERSION}.`);
  }
  if (fingerprint !== fingerprintOf({ ...rest, format_version: version }))
    throw invalid('Its content does not match its fingerprint: the file was edited or truncated.');
  if (!validateSnapshot(document) || !hasEachIdOnce(document)) throw invalid('It is not a flagwright snapshot.');
  return toSnapshot(document as unknown as Document);
}

/** A file written by hand may have a valid fingerprint. */
function hasEachIdOnce(document: JsonObject): boolean {
  return SECTIONS.every((section) => {
    const ids = ((document[section] ?? []) as unknown as readonly { readonly id: number }[]).map(({ id }) => id);
    return new Set(ids).size === ids.length;
  });
}

/** Follows the schema, apart from the members of families. */
interface Document extends Omit<ReadSnapshot, 'takenAt' | 'live'> {
  readonly taken_at: string;
  readonly role_access: LiveState['roleAccess'];
  readonly schedules?: readonly ScheduledChange[];
  readonly organization?: {
    readonly role_names: Readonly<Record<string, string>>;
    readonly lacks_role_access: boolean;
  };
}

function toSnapshot(document: Document): ReadSnapshot {
  const { project, base, earlier, rollouts, roles, schedules, organization, fingerprint } = document;
  return {
    project,
    takenAt: document.taken_at,
    ...defined({ base, earlier, rollouts }),
    roles,
    live: {
      ...parseFamilies(document as unknown as JsonObject),
      hasPayloadDigests: true,
      roleAccess: document.role_access,
      ...defined({
        organization: organization && {
          roleNames: organization.role_names,
          lacksRoleAccess: organization.lacks_role_access,
        },
        schedules,
      }),
    },
    fingerprint,
  };
}

function invalid(why: string, cause?: unknown): FlagwrightError {
  const remedy = 'Take a new one with `flagwright snapshot --out FILE`.';
  return new FlagwrightError('snapshot_invalid', `The snapshot cannot be used. ${why}`, { remedy, cause });
}

/** @throws {FlagwrightError} `snapshot_invalid` where a family is selected that the snapshot does not have. */
export function selectLive(whole: LiveState, selection: LiveSelection): LiveState {
  const { keys = [], ids = [], declared = [] } = selection.flags;
  const { roleAccess: access = {} } = selection;
  const listed = whole.flags.filter(isListed);
  const archived = whole.flags.filter((flag) => flag.archived === true && flag.deleted !== true);
  const visible = [...listed, ...neededOfArchive(listed, archived, keys)];
  const read = [...visible, ...othersWithIds(whole.flags, visible, ids)];
  const missing = new Set(FLAGS.findMissing(declared, read).map(({ key }) => key));
  const ofFlags = (whole.traces?.flags ?? []).filter(({ key }) => missing.has(key));
  const flags = [...read, ...othersWithIds(whole.flags, read, idsOf(ofFlags))];
  const isLevels = wireOfAll(flags) !== 'entries';
  const traced = idsOf(ofFlags.filter(({ key }) => access.keys?.includes(key) === true));
  const further = FURTHER_FAMILIES.flatMap(({ section }) => (selection[section] === undefined ? [] : section));
  const traces = {
    ...(ofFlags.length === 0 ? {} : { flags: ofFlags }),
    ...defined(Object.fromEntries(further.map((section) => [section, whole.traces?.[section]]))),
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
  const { kind, exported } = furtherFamily(section);
  const scope = `${KIND_BY_NAME[kind].scopes.object}:read`;
  throw new FlagwrightError(
    'snapshot_invalid',
    `The manifests declare ${exported.plural}, but the snapshot has none.`,
    {
      remedy: `Give the API key of \`flagwright snapshot\` the scope ${scope}, and take a new snapshot.`,
    },
  );
}
