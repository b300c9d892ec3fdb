/** Finds the places that may make a key at run time, among any number of them, for any number of keys. */

import type { IndirectRead } from './reference.ts';

/** @returns A function that finds them for a key: first those that may make any key. */
export function readFinder<Read extends IndirectRead>(reads: readonly Read[]): (key: string) => readonly Read[] {
  const anyKey: Read[] = [];
  const [byPrefix, bySuffix, byPart] = [
    new Map<string, Read[]>(),
    new Map<string, Read[]>(),
    new Map<string, Read[]>(),
  ];
  for (const read of reads) {
    const { prefix = '', part = '', suffix = '' } = read;
    if (prefix !== '') addTo(byPrefix, prefix, read);
    else if (suffix !== '') addTo(bySuffix, suffix, read);
    else if (part !== '') addTo(byPart, part, read);
    else anyKey.push(read);
  }
  const longest = [...byPrefix.keys(), ...bySuffix.keys()].reduce((most, { length }) => Math.max(most, length), 0);
  return (key) => {
    const made: Read[] = [];
    const addMade = (own: readonly Read[] = []): void => {
      for (const read of own) if (mayMake(read, key)) made.push(read);
    };
    for (let length = 1; length <= Math.min(longest, key.length); length += 1) {
      addMade(byPrefix.get(key.slice(0, length)));
      addMade(bySuffix.get(key.slice(-length)));
    }
    for (const own of byPart.values()) addMade(own);
    return made.length === 0 ? anyKey : [...anyKey, ...made];
  };
}

function addTo<Read>(map: Map<string, Read[]>, name: string, read: Read): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, [read]);
  else known.push(read);
}

function mayMake({ prefix = '', part = '', suffix = '' }: IndirectRead, key: string): boolean {
  if (!key.slice(1, -1).includes(part)) return false;
  return key.length >= prefix.length + suffix.length && key.startsWith(prefix) && key.endsWith(suffix);
}

/** False for a read that may be of any key. */
export function isOfSomeKeys({ prefix = '', part = '', suffix = '' }: IndirectRead): boolean {
  return `${prefix}${part}${suffix}` !== '';
}
