/** Finds out whether one commit contains another. In a shallow clone it fetches more of the history, if the remote is known. */

import { contains } from '../../git/ancestry.ts';
import { deepen, deepenSince } from '../../git/refs.ts';
import type { InRepository } from './find-record.ts';

interface Commits {
  /** Ids. */
  readonly earlier: string;
  readonly later: string;
  readonly remote: string | undefined;
}

export async function isContained(
  { earlier, later, remote }: Commits,
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
  const since = committedAt((await objects.read(`${earlier}^{commit}`))?.bytes);
  if (since === undefined) return again;
  const further = await deepenSince(repository, remote, { ids, seconds: since - DAY_SECONDS });
  return further.kind === 'done' ? ask() : again;
}

/** A margin, since the clocks of committers differ. */
const DAY_SECONDS = 86_400;

function committedAt(bytes: Buffer | undefined): number | undefined {
  const [, seconds] = /^committer .* (\d+) [+-]\d{4}$/m.exec(bytes?.toString() ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
