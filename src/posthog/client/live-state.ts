/** Reads live state: every flag page by page, and role access only of the flags whose role access is managed. */

import { needsArchive, neededOfArchive } from '../flag/archive.ts';
import { isListed, type Flag } from '../flag/flag.ts';
import type { LiveState } from '../live.ts';
import { countRoleReads, readRoleAccess } from '../role-access/read.ts';
import type { WantedState } from '../wanted-state.ts';
import type { ServiceClient } from './client.ts';
import { findFlag } from './find-flag.ts';
import { FLAGS_PER_PAGE } from '../flag/requests.ts';
import { countPageReads } from './pages.ts';

/**
 * The list is requested at once, even before the wanted state is known.
 * N flags cost one request for each page, and one for each flag whose role access is wanted.
 * @throws {ServiceError} when a part cannot be read: unread state never counts as absent.
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
  return { flags, roleAccess: await readRoleAccess(client, flags, wanted) };
}

/** The requests of `readLiveState` in rounds, and the flags that it reads, where `flags` are live. */
export function predictReads(
  flags: readonly Flag[],
  wanted: WantedState,
): { readonly rounds: readonly number[]; readonly flags: readonly Flag[] } {
  const { keys, ids = [] } = wanted;
  const listed = flags.filter(isListed);
  const isArchiveRead = needsArchive(listed, keys);
  const archived = flags.filter((flag) => flag.archived === true && flag.deleted !== true);
  const needed = new Set(isArchiveRead ? neededOfArchive(listed, archived, keys) : []);
  const read = flags.filter((flag) => isListed(flag) || needed.has(flag) || ids.includes(flag.id));
  const rounds = [
    ...countPageReads(listed.length, FLAGS_PER_PAGE),
    isArchiveRead ? 1 : 0,
    flags.filter((flag) => flag.deleted === true && ids.includes(flag.id)).length,
    countRoleReads(read, wanted),
  ];
  return { rounds, flags: read };
}

async function readHiddenFlags(
  client: ServiceClient,
  listed: readonly Flag[],
  keys: readonly string[],
): Promise<readonly Flag[]> {
  if (!needsArchive(listed, keys)) return [];
  return neededOfArchive(listed, await client.listFlags({ archived: true }), keys);
}
