/** Which file each flag goes to: a bare, portable name made of its key. */

import { comparing } from '../../base/compare-strings.ts';
/** How many flags must share a prefix to get a file of their own; the others go to `misc.yaml`. */
const FLAGS_FOR_A_FILE = 2;

const MAX_NAME_LENGTH = 100;

/** Names that mean devices on Windows, and the one that flagwright looks for as its configuration. */
const TAKEN_NAMES = /^(con|prn|aux|nul|com\d|lpt\d|flagwright)$/;

/** File name to the keys in it; both in order of the alphabet. Keys must be such as manifests can hold. */
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
        return (byPrefix.get(own)?.length ?? 0) >= FLAGS_FOR_A_FILE ? own : 'misc.yaml';
      });
    }
  }
}

function prefixFile(key: string): string {
  return fileName(key.split(/[-_.]/, 1)[0] || 'misc');
}

/**
 * One spelling for names that some file systems take for the same, so that such flags share a file
 * instead of overwriting each other's.
 */
function fileName(name: string): string {
  const portable =
    name
      .toLowerCase()
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, MAX_NAME_LENGTH) || 'misc';
  return `${TAKEN_NAMES.test(portable) ? `${portable}-flags` : portable}.yaml`;
}

function collect(keys: readonly string[], fileOf: (key: string) => string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const key of keys) {
    const file = fileOf(key);
    const held = files.get(file);
    if (held === undefined) files.set(file, [key]);
    else held.push(key);
  }
  return new Map([...files].sort(comparing(([file]) => file)));
}
