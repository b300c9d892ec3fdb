/** Chooses the file of each key: a bare, portable name derived from the key. */

import { comparing } from '../../../base/compare-strings.ts';
import { groupBy } from '../../../base/group.ts';

/** How many keys must share a prefix to get a file of their own; the others go to `MIXED_FILE`. */
const FLAGS_FOR_A_FILE = 2;
export const MIXED_FILE = 'misc.yaml';

const MAX_NAME_LENGTH = 100;

/** Device names on Windows, and the name of the configuration. */
const TAKEN_NAMES = /^(con|prn|aux|nul|com\d|lpt\d|flagwright)$/;

/** The keys of each file, both sorted. Keys must be valid in manifests. */
export function groupFiles(
  keys: readonly string[],
  groupBy: 'prefix' | 'flag' | 'single',
): ReadonlyMap<string, readonly string[]> {
  const sorted = keys.toSorted();
  switch (groupBy) {
    case 'single':
      return new Map(sorted.length === 0 ? [] : [['flags.yaml', sorted]]);
    case 'flag':
      return collect(sorted, fileName);
    case 'prefix': {
      const byPrefix = collect(sorted, prefixFile);
      return collect(sorted, (key) => {
        const own = prefixFile(key);
        return (byPrefix.get(own)?.length ?? 0) >= FLAGS_FOR_A_FILE ? own : MIXED_FILE;
      });
    }
  }
}

function prefixFile(key: string): string {
  return fileName(key.split(/[-_.]/, 1)[0] || 'misc');
}

/** Ignores case: on some file systems, files that differ only in case would overwrite each other, so such keys share a file. */
function fileName(name: string): string {
  const portable =
    name
      .toLowerCase()
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, MAX_NAME_LENGTH) || 'misc';
  return `${TAKEN_NAMES.test(portable) ? `${portable}-flags` : portable}.yaml`;
}

function collect(keys: readonly string[], fileOf: (key: string) => string): ReadonlyMap<string, readonly string[]> {
  return new Map([...groupBy(keys, fileOf)].toSorted(comparing(([file]) => file)));
}
