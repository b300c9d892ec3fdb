/** Reads live state: every flag in pages, and role access only of the flags whose role access is managed. */

import { needsArchive, neededOfArchive } from '../flag/archive.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import { isListed, type Flag, type RoleAccessEntry } from '../flag/flag.ts';
import type { LiveState } from '../live.ts';
import { namedFlags } from '../flag/references.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';
import { findFlag } from './find-flag.ts';
import { FLAGS_PER_PAGE } from './operations/flags.ts';
import { countPageReads } from './pages.ts';

/** What a run has to know of the service, by flag key. */
export interface WantedState {
  readonly keys: readonly string[];
  readonly roleAccessOf: readonly string[];
  /** The same by id, where keys may have changed since. */
  readonly roleAccessOfIds?: readonly number[];
  /** Flags that are read one by one where the list leaves them out, as it does with deleted ones. */
  readonly ids?: readonly number[];
}

export function wantedState(desired: DesiredState): WantedState {
  const keysOf = (flags: DesiredState['flags']): string[] =>
    flags.flatMap((flag) => (flag.kind === 'retired' ? [flag.key] : [flag.key, ...flag.previousKeys]));
  const declared = desired.flags.filter((flag): flag is DeclaredFlag => flag.kind === 'declared');
  return {
    keys: [...keysOf(desired.flags), ...namedOutside(declared)],
    roleAccessOf: keysOf(declared.filter((flag) => flag.roleAccess !== undefined)),
  };
}

/** What conditions name and no manifest declares. A declared flag may still have to be created, and is looked for anyway. */
function namedOutside(declared: readonly DeclaredFlag[]): string[] {
  const keys = new Set(declared.map(({ key }) => key));
  return declared.flatMap(({ fields }) => namedFlags(fields['filters'])).filter((key) => !keys.has(key));
}

/**
 * The list is asked for at once, also when what is wanted is not known yet.
 * N flags cost one request for each page, and one for each flag whose role access is wanted.
 * @throws {ServiceError} when anything could not be read: what is unknown is never taken for absent.
 */
export async function readLiveState(
  client: ServiceClient,
  wanting: WantedState | Promise<WantedState>,
): Promise<LiveState> {
  const [listed, wanted] = await Promise.all([client.listFlags(), wanting]);
  const visible = [...listed, ...(await readHiddenFlags(client, listed, wanted.keys))];
  const known = new Set(visible.map((flag) => flag.id));
  const unlisted = (wanted.ids ?? []).filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => findFlag(client, id)));
  const flags = [...visible, ...found.filter((flag) => flag !== undefined)];
  const needed = new Set(wanted.roleAccessOf);
  const neededIds = new Set(wanted.roleAccessOfIds);
  const entries = await Promise.all(
    flags
      .filter((flag) => needed.has(flag.key) || neededIds.has(flag.id))
      .map(async (flag): Promise<[string, readonly RoleAccessEntry[]]> => [
        String(flag.id),
        await readRoleAccess(client, flag),
      ]),
  );
  return { flags, roleAccess: Object.fromEntries(entries) };
}

/** The requests of `readLiveState` in rounds, and the flags that it reads, where `flags` are live. */
export function predictReads(
  flags: readonly Flag[],
  { keys, roleAccessOf, ids = [] }: Pick<WantedState, 'keys' | 'roleAccessOf' | 'ids'>,
): { readonly rounds: readonly number[]; readonly flags: readonly Flag[] } {
  const listed = flags.filter(isListed);
  const isArchiveRead = needsArchive(listed, keys);
  const archived = flags.filter((flag) => flag.archived === true && flag.deleted !== true);
  const needed = new Set(isArchiveRead ? neededOfArchive(listed, archived, keys) : []);
  const read = flags.filter((flag) => isListed(flag) || needed.has(flag) || ids.includes(flag.id));
  const withRoles = new Set(roleAccessOf);
  const rounds = [
    ...countPageReads(listed.length, FLAGS_PER_PAGE),
    isArchiveRead ? 1 : 0,
    flags.filter((flag) => flag.deleted === true && ids.includes(flag.id)).length,
    read.filter(({ key }) => withRoles.has(key)).length,
  ];
  return { rounds, flags: read };
}

async function readRoleAccess(client: ServiceClient, { id, key }: Flag): Promise<readonly RoleAccessEntry[]> {
  try {
    return await client.listRoleAccess(id);
  } catch (error) {
    throw error instanceof ServiceError ? error.about(key) : error;
  }
}

async function readHiddenFlags(
  client: ServiceClient,
  listed: readonly Flag[],
  keys: readonly string[],
): Promise<readonly Flag[]> {
  if (!needsArchive(listed, keys)) return [];
  return neededOfArchive(listed, await client.listFlags({ archived: true }), keys);
}
