/** Commits as git stores them, without a repository. */

import type { StoredObject } from '../../src/loop/git/objects.ts';

export const [FIRST, SECOND, RECORD, BLOB, LOST] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
  string,
];

/** Of somebody, after a commit that is not there. */
export function plainCommit(id: string): StoredObject {
  const bytes = Buffer.from(`tree ${id}\nparent ${LOST}\nauthor A <a@x> 1 +0000\n\nx\n`);
  return { id, type: 'commit', size: bytes.length, bytes };
}
