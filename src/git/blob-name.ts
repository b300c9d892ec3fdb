/** The id that git gives to the content of a file. */

import { createHash } from 'node:crypto';
import { isSet } from './attributes.ts';
import type { Repository } from './repository.ts';

export function blobName(bytes: Uint8Array, { hash }: Pick<Repository, 'hash'>): string {
  return createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * The ids that the content of a file on disk may have in git: as it is, or before git changed it for the disk. That is its line
 * ends, which mean nothing in YAML, and keywords if the attribute `ident` is set. `file`: absolute, it may be below links.
 */
export async function blobNames(bytes: Uint8Array, repository: Repository, file: string): Promise<readonly string[]> {
  const names = [blobName(bytes, repository)];
  const text = Buffer.from(bytes).toString('latin1');
  const plain = text.replaceAll('\r\n', '\n');
  const hasKeywords = KEYWORD.test(plain) && (await isSet(repository, file, 'ident'));
  const stored = hasKeywords ? plain.replaceAll(KEYWORDS, '$Id$') : plain;
  return stored === text ? names : [...names, blobName(Buffer.from(stored, 'latin1'), repository)];
}

const KEYWORD = /\$Id:[^$\n]*\$/;
const KEYWORDS = new RegExp(KEYWORD, 'g');
