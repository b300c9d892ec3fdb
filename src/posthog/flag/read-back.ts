/** Reads flags back after they were written: what still differs, path by path, and how many requests that takes. */

import { findRemainders, idIn } from '../../engine/body-kind.ts';
import { singles, type RequestRound } from '../../engine/forecast.ts';
import type { FlagChange } from '../plan.ts';
import type { Remainder } from '../../engine/remainder.ts';
import type { ReadBack } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import { findFlag } from '../client/find-flag.ts';
import { FLAG_BODY } from './body.ts';
import { FLAGS_PER_PAGE } from './requests.ts';
import { countPageReads } from '../client/pages.ts';
import type { RunState } from '../run-state.ts';
import { isListed, type Flag } from './flag.ts';
import { isPartial } from '../../engine/change.ts';

type FlagReadBack = ReadBack<RunState, ServiceClient>;

export async function readBackFlags(
  changes: readonly FlagChange[],
  reading: FlagReadBack,
): Promise<readonly Remainder[]> {
  const flags = await readFlags(changes, reading);
  return findRemainders(changes, flags, { run: reading.state.flags, kind: FLAG_BODY });
}

/** The service lists neither deleted flags, which is as wanted, nor archived ones, which are read by id. */
async function readFlags(
  changes: readonly FlagChange[],
  { client, state, total }: FlagReadBack,
): Promise<ReadonlyMap<number, Flag>> {
  // A flag may have been written twice.
  const ids = [...new Set(changes.flatMap((change) => idIn(change, state.flags) ?? []))];
  const wholeList = isListCheaper(ids.length, total);
  const listed = wholeList ? await client.listFlags() : [];
  const known = new Map(listed.map((flag) => [flag.id, flag]));
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  const hidden = ids.filter((id) => !known.has(id) && !(wholeList && deleted.has(id)));
  const read = await Promise.all(hidden.map((id) => findFlag(client, id)));
  return new Map([...known, ...read.flatMap((flag) => (flag === undefined ? [] : [[flag.id, flag] as const]))]);
}

/** The requests of `readBackFlags` in rounds, where all changes are applied to `live`. */
export function countFlagReads(changes: readonly FlagChange[], live: readonly Flag[]): readonly RequestRound[] {
  const whole = changes.filter((change) => !isPartial(change));
  if (!isListCheaper(whole.length, live.length)) return [singles(whole.length)];
  const archived = singles(countArchivedAfter(whole, live));
  return [...countPageReads(countListedAfter(changes, live), FLAGS_PER_PAGE), archived];
}

/** Few flags are read one by one, many as the list. */
function isListCheaper(count: number, total: number): boolean {
  return count > total / FLAGS_PER_PAGE;
}

function countListedAfter(changes: readonly FlagChange[], live: readonly Flag[]): number {
  const listed = new Set(live.filter(isListed).map(({ id }) => id));
  let created = 0;
  for (const change of changes) {
    const { archived } = change.body;
    if (change.action === 'create') created += archived === true ? 0 : 1;
    else if (change.action === 'delete' || archived === true) listed.delete(change.id);
    else if (change.action === 'restore' || archived === false) listed.add(change.id);
  }
  return listed.size + created;
}

/** Archived flags are not listed, and are read one by one. */
function countArchivedAfter(changes: readonly FlagChange[], live: readonly Flag[]): number {
  const archived = new Set(live.filter((flag) => flag.archived === true).map(({ id }) => id));
  return changes.filter((change) => {
    if (change.action === 'delete') return false;
    const wanted = change.body['archived'];
    return typeof wanted === 'boolean' ? wanted : change.action !== 'create' && archived.has(change.id);
  }).length;
}
