/** Reads the content of a tree object: the entries of one folder. */

import { memberOf } from '../base/json.ts';
import { GitError } from './objects.ts';

export interface StoredEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'module';
  readonly id: string;
}

const KINDS: Readonly<Record<string, StoredEntry['kind']>> = {
  '40000': 'folder',
  '120000': 'link',
  '160000': 'module',
};

const ID_BYTES = { sha1: 20, sha256: 32 } as const;

/**
 * By name. Each entry is `MODE NAME`, a zero byte and the id as bytes. Names that no checkout can have are left out.
 * @throws {GitError} where it is no such list.
 */
export function parseTree(bytes: Buffer, hash: keyof typeof ID_BYTES): ReadonlyMap<string, StoredEntry> {
  const entries = new Map<string, StoredEntry>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const zero = bytes.indexOf(0, space);
    const end = zero + 1 + ID_BYTES[hash];
    if (space === -1 || zero === -1 || end > bytes.length) throw new GitError('the entries of a folder are damaged');
    const name = bytes.toString('utf8', space + 1, zero);
    const kind = memberOf(KINDS, bytes.toString('latin1', at, space)) ?? 'file';
    if (isPossible(name)) entries.set(name, { kind, id: bytes.toString('hex', zero + 1, end) });
    at = end;
  }
  return entries;
}

function isPossible(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/');
}
