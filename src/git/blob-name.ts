/** The id that git gives to the content of a file. */

import { createHash } from 'node:crypto';
import type { Repository } from './repository.ts';

export function blobName(bytes: Uint8Array, { hash }: Pick<Repository, 'hash'>): string {
  return createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The ids that the content may have in git: as it is on disk, or before git changed its line ends and keywords for the disk. */
export function blobNames(bytes: Uint8Array, repository: Pick<Repository, 'hash'>): readonly string[] {
  const names = [blobName(bytes, repository)];
  const text = Buffer.from(bytes).toString('latin1');
  const stored = text.replaceAll('\r\n', '\n').replaceAll(/\$Id:[^$\n]*\$/g, '$Id$');
  return stored === text ? names : [...names, blobName(Buffer.from(stored, 'latin1'), repository)];
}
