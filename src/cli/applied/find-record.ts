/** Finds the record of what was applied last: the ref in the remote that shares it, or else the one in this clone. */

import { contains } from '../../git/ancestry.ts';
import {
  fetchCommits,
  fetchRef,
  mayHaveRef,
  readRemoteRef,
  resolveName,
  writeRef,
  deepen,
  deepenSince,
} from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { commitsIn, readRecord, type AppliedRecord } from './applied-record.ts';
import type { Checkout } from './open-checkout.ts';

export interface InRepository {
  readonly checkout: Checkout;
  readonly repository: Repository;
}

export type ReadRecord =
  | AppliedRecord
  /** The repository lacks the object, or one that the record names. */
  | { readonly kind: 'missing'; readonly commit: string }
  | { readonly kind: 'not_a_commit' };

/** `id`: of any object. */
export async function readAt(id: string, { checkout, repository }: InRepository): Promise<ReadRecord> {
  const objects = checkout.objectsOf(repository);
  const commit = await objects.read(`${id}^{commit}`);
  if (commit === undefined) {
    return (await objects.read(id)) === undefined ? { kind: 'missing', commit: id } : { kind: 'not_a_commit' };
  }
  const record = readRecord(commit);
  if (record.kind !== 'commit') return record;
  for (const named of commitsIn(record)) {
    if ((await objects.read(`${named}^{commit}`)) === undefined) return { kind: 'missing', commit: named };
  }
  return record;
}

/** The id that a ref of this clone names. The repository may lack that object; git is asked for the id only if it may have the ref. */
export async function idOf(ref: string, { checkout, repository }: InRepository): Promise<string | undefined> {
  const object = await checkout.objectsOf(repository).read(ref);
  if (object !== undefined) return object.id;
  return (await mayHaveRef(repository, ref)) ? resolveName(repository, ref) : undefined;
}

export interface Unread {
  readonly remote: string;
  readonly detail: string;
}

export type FoundRef =
  /** `remote`: the one that has it. `unread`: the remote that may have a newer one, but could not be read. */
  | { readonly kind: 'found'; readonly id: string; readonly remote?: string; readonly unread?: Unread }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly unread: Unread };

/** Copies the ref of the first remote that has it. If none has one, the ref of this clone stays. `local`: what that one names. */
export async function findRef(
  ref: string,
  { remotes, local }: { readonly remotes: readonly string[]; readonly local: string | undefined },
  within: InRepository,
): Promise<FoundRef> {
  for (const remote of remotes) {
    const taken = await take(ref, { remote, local }, within);
    if (taken.kind === 'found') return taken;
    // A less trusted remote must not answer in its place.
    if (taken.kind === 'unread') {
      return local === undefined ? taken : { kind: 'found', id: local, unread: taken.unread };
    }
  }
  return local === undefined ? { kind: 'none' } : { kind: 'found', id: local };
}

async function take(
  ref: string,
  { remote, local }: { readonly remote: string; readonly local: string | undefined },
  within: InRepository,
): Promise<FoundRef> {
  const { checkout, repository } = within;
  const found = await readRemoteRef(repository, remote, ref);
  if (found.kind === 'none') return found;
  if (found.kind === 'unreachable') return { kind: 'unread', unread: { remote, detail: found.detail } };
  const { commit: id } = found;
  if (local !== id) {
    const isHere = (await checkout.objectsOf(repository).read(`${id}^{commit}`)) !== undefined;
    const run = isHere
      ? await writeRef(repository, ref, { commit: id, former: local })
      : await fetchRef(repository, remote, ref);
    if (run.kind !== 'done') return { kind: 'unread', unread: { remote, detail: run.detail } };
  }
  await completeRecord(id, remote, within);
  return { kind: 'found', id, remote };
}

/** Fetches the record into a shallow clone without the commits that it names. */
async function completeRecord(id: string, remote: string, within: InRepository): Promise<void> {
  const { checkout, repository } = within;
  if (!repository.shallow) return;
  const object = await checkout.objectsOf(repository).read(`${id}^{commit}`);
  const record = object && readRecord(object);
  if (record?.kind !== 'commit') return;
  const missing: string[] = [];
  for (const commit of commitsIn(record)) {
    if ((await checkout.objectsOf(repository).read(`${commit}^{commit}`)) === undefined) missing.push(commit);
  }
  if (missing.length > 0) await fetchCommits(repository, remote, missing);
}

/** `earlier`, `later`: ids of commits. */
export async function isContained(
  { earlier, later, remote }: { readonly earlier: string; readonly later: string; readonly remote: string | undefined },
  { repository, checkout }: InRepository,
): ReturnType<typeof contains> {
  const objects = checkout.objectsOf(repository);
  const ask = async (): ReturnType<typeof contains> => contains({ repository, objects }, { earlier, later });
  const found = await ask();
  if (found !== 'unknown' || remote === undefined || earlier === later) return found;
  const ids = [later, earlier];
  const run = await deepen(repository, remote, ids);
  const again = run.kind === 'done' ? await ask() : found;
  if (again !== 'unknown') return again;
  const text = (await objects.read(`${earlier}^{commit}`))?.bytes?.toString() ?? '';
  const [, seconds] = /^committer .* (\d+) [+-]\d{4}$/m.exec(text) ?? [];
  if (seconds === undefined) return again;
  const further = await deepenSince(repository, remote, { ids, seconds: Number(seconds) - DAY_SECONDS });
  return further.kind === 'done' ? ask() : again;
}

/** A margin, since the clocks of committers differ. */
const DAY_SECONDS = 86_400;
