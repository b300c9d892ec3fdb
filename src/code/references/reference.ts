/** What is known about the code of one repository: where it names flags, where it makes keys at run time, and what was not searched. */

import type { Place } from '../../base/place.ts';

/** A place in code that names a flag. `file` is relative to the top of the repository. */
export interface Reference {
  readonly key: string;
  readonly place: Place;
  readonly form: ReferenceForm;
  /** False: the place names the key, and code may read the flag there. */
  readonly certain: boolean;
}

/**
 * `call`: the argument of an SDK's function. `string`: a whole string of code or of a data file. `constant`: a name in the code that has
 * the key as its value, or that is the key in another casing. `accessor`: of a module that `generate` wrote. `pattern`: of the
 * configuration. `text`: in a comment, in prose, or as a part of another string.
 */
export type ReferenceForm = (typeof REFERENCE_FORMS)[number];

export const REFERENCE_FORMS = ['call', 'accessor', 'pattern', 'string', 'constant', 'text'] as const;

/** A place that asks an SDK for a key that was not searched for. */
export interface UnknownRead {
  readonly key: string;
  readonly place: Place;
}

/** A place at which the program makes or gets the key at run time. */
export interface IndirectRead {
  readonly place: Place;
  /** What a key that is made here begins with, has in its middle, and ends with; without all, it may be any key. */
  readonly prefix?: string;
  readonly part?: string;
  readonly suffix?: string;
}

/** Files that were not searched. */
export interface SkippedFiles {
  readonly binary: readonly string[];
  /** Written by programs: minified, or marked as generated. */
  readonly generated: readonly string[];
  /** Text of more than the most bytes. */
  readonly large: readonly string[];
  readonly unreadable: readonly string[];
  /** Folders that are other repositories. */
  readonly submodules: readonly string[];
  /** Absent in a document of an earlier release, as is the next. */
  readonly documentation?: readonly string[];
  /** Folders of dependencies. */
  readonly dependencies?: readonly string[];
}

export interface CodeReferences {
  /** The keys that were searched for, sorted. */
  readonly keys: readonly string[];
  /** Sorted by key and place. */
  readonly references: readonly Reference[];
  readonly unknownReads: readonly UnknownRead[];
  readonly indirectReads: readonly IndirectRead[];
  /** Keys of one word that also occur outside quotes, and how often: too common to prove anything. */
  readonly loose: ReadonlyMap<string, number>;
  readonly files: number;
  readonly lines: number;
  readonly skipped: SkippedFiles;
}

/** @returns A function that finds the places that may make a key at run time: first those that may make any key. */
export function readFinder<Read extends IndirectRead>(reads: readonly Read[]): (key: string) => readonly Read[] {
  const anyKey: Read[] = [];
  const byPart: Read[] = [];
  const [byPrefix, bySuffix] = [new Map<string, Read[]>(), new Map<string, Read[]>()];
  for (const read of reads) {
    const { prefix = '', part = '', suffix = '' } = read;
    if (prefix !== '') addTo(byPrefix, prefix, read);
    else if (suffix !== '') addTo(bySuffix, suffix, read);
    else (part === '' ? anyKey : byPart).push(read);
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
    addMade(byPart);
    return made.length === 0 ? anyKey : [...anyKey, ...made];
  };
}

/** Not quadratic for a name with many entries, unlike a copy for each. */
export function addTo<Read>(map: Map<string, Read[]>, name: string, read: Read): void {
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
