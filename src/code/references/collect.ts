/** Puts what the files of a repository have together: names of constants are known when all files are. */

import { compareStrings } from '../../base/compare-strings.ts';
import type { Place } from '../../base/place.ts';
import {
  findInFile,
  findKeys,
  noFindings,
  type BoundName,
  type FileFindings,
  type FoundReference,
} from './find-references.ts';
import { isProse } from './file-kinds.ts';
import type { Names } from './names.ts';
import { isMemberName, isName, type Occurrence } from './occurrence.ts';
import {
  addTo,
  isOfSomeKeys,
  REFERENCE_FORMS,
  type CodeReferences,
  type IndirectRead,
  type Reference,
} from './reference.ts';
import { sourceText, type CodeFile, type SourceText } from './source-text.ts';
import { wordSet, type WordSet } from './tokens.ts';

export interface Collector {
  readonly add: (file: CodeFile) => void;
  /** Adds a file that a program wrote: only keys and their parts count, and none is certain. */
  readonly addGenerated: (file: CodeFile) => void;
  /** The further names of constants; the files have to be read once more for them. `undefined`: they are known. */
  further(): FurtherNames | undefined;
  finish(): Pick<CodeReferences, 'references' | 'unknownReads' | 'indirectReads' | 'loose'>;
}

export type FurtherNames = Pick<Collector, 'add'>;

/** `isWrapper`: whether functions of a file pass on keys that their callers write. */
export function createCollector(names: Names, isWrapper: (file: string) => boolean): Collector {
  const all = noFindings();
  return {
    add: (file) => {
      const found = findInFile(file, names, isWrapper(file.file));
      for (const [name, list] of Object.entries(found) as [keyof FileFindings, never[]][])
        for (const one of list) all[name].push(one);
    },
    addGenerated: (file) => {
      findKeys(file, names, all);
      for (const read of findInFile(file, names, true).indirectReads)
        if (isOfSomeKeys(read)) all.indirectReads.push(read);
    },
    further: () => {
      // A key in another casing is found by its words.
      const bound = all.bindings.filter(({ name }) => !names.meaningsOf(name).some(({ kind }) => kind === 'constant'));
      if (bound.length === 0) return undefined;
      const byName = new Map<string, BoundName[]>();
      for (const one of bound) addTo(byName, one.name, one);
      const words = wordSet(byName.keys());
      return {
        add: (file) => {
          for (const one of findConstants(file, { words, byName })) all.references.push(one);
        },
      };
    },
    finish: () => {
      const resolved = resolveNames(all);
      const loose = new Map<string, number>();
      for (const key of all.loose) loose.set(key, (loose.get(key) ?? 0) + 1);
      return {
        references: distinct(resolved.references),
        unknownReads: byPlace(all.unknownReads),
        indirectReads: byPlace(
          resolved.indirectReads,
          ({ prefix = '', part = '', suffix = '' }) => `${prefix}\0${part}\0${suffix}`,
        ),
        loose,
      };
    },
  };
}

function findConstants(
  file: CodeFile,
  { words, byName }: { readonly words: WordSet; readonly byName: ReadonlyMap<string, readonly BoundName[]> },
): readonly FoundReference[] {
  const found: FoundReference[] = [];
  let source: SourceText | undefined;
  const onWord = (word: string, start: number): void => {
    const own = (byName.get(word) ?? []).filter((one) => one.isShared || one.file === file.file);
    if (own.length === 0) return;
    source ??= sourceText(file);
    const occurrence: Occurrence = { source, word, start, end: start + word.length };
    if (isProse(source.kind) || source.isComment(start) || !isName(occurrence)) return;
    const isOfOther = isMemberName(occurrence);
    for (const { key, isMember } of own) {
      if (isMember && !isOfOther) continue;
      const place = source.placeOf(start);
      found.push({ key, place, form: 'constant', certain: false, name: word, isMember: isOfOther });
    }
  };
  words.find(file.bytes, { onWord });
  return found;
}

/** A name with one key stands for the key. */
function resolveNames({ references, bindings, indirectReads, namedReads, readsIfUsed, sdks }: FileFindings): {
  readonly references: readonly Reference[];
  readonly indirectReads: readonly IndirectRead[];
} {
  const keysOf = keysOfNames(bindings);
  const isOnly = ({ name = '', isMember = false, place }: FoundReference): boolean =>
    keysOf(name, place.file, isMember).size === 1;
  const read = new Set(namedReads.map(({ place }) => spot(place)));
  const constants = references.map(({ name, isMember, ...reference }): Reference =>
    name !== undefined &&
    (isOnly({ ...reference, name, isMember: isMember === true }) || read.has(spot(reference.place)))
      ? { ...reference, certain: true }
      : reference,
  );
  const known = new Set(constants.map(({ place }) => spot(place)));
  const used = new Set(sdks);
  return {
    references: constants,
    indirectReads: [
      ...indirectReads,
      ...readsIfUsed.flatMap(({ sdk, ...read }) => (used.has(sdk) ? [read] : [])),
      ...namedReads.filter(({ place }) => !known.has(spot(place))).map(({ place }) => ({ place })),
    ],
  };
}

/** A member of an enumeration is named after that, and a name of a file is stronger than one of another file. */
function keysOfNames(
  bindings: readonly BoundName[],
): (name: string, file: string, isMember: boolean) => ReadonlySet<string> {
  const byName = new Map<string, Set<string>>();
  for (const { name, key, isShared, isMember, file } of bindings) {
    const ids = [...(isShared ? [name] : []), `${file}\0${name}`];
    for (const id of ids.flatMap((one) => (isMember ? [`.${one}`] : [one, `.${one}`]))) {
      byName.set(id, (byName.get(id) ?? new Set()).add(key));
    }
  }
  return (name, file, isMember) => {
    const dot = isMember ? '.' : '';
    return byName.get(`${dot}${file}\0${name}`) ?? byName.get(`${dot}${name}`) ?? new Set();
  };
}

function spot({ file, line, column }: Place): string {
  return `${file}\0${line}\0${column}`;
}

/** Keeps one reference for each place and key: the most certain one. */
function distinct(references: readonly Reference[]): readonly Reference[] {
  const bySpot = new Map<string, Reference>();
  for (const reference of references) {
    const id = `${reference.key}\0${spot(reference.place)}`;
    const known = bySpot.get(id);
    if (known === undefined || rank(reference) < rank(known)) bySpot.set(id, reference);
  }
  return [...bySpot.values()].toSorted(
    (one, other) => compareStrings(one.key, other.key) || comparePlaces(one.place, other.place),
  );
}

function rank({ certain, form }: Reference): number {
  return REFERENCE_FORMS.indexOf(form) + (certain ? 0 : REFERENCE_FORMS.length);
}

function byPlace<Found extends { readonly place: Place }>(
  found: readonly Found[],
  what: (one: Found) => string = () => '',
): readonly Found[] {
  const bySpot = new Map(found.map((one) => [`${spot(one.place)}\0${what(one)}`, one]));
  return [...bySpot.values()].toSorted((one, other) => comparePlaces(one.place, other.place));
}

function comparePlaces(one: Place, other: Place): number {
  return compareStrings(one.file, other.file) || one.line - other.line || one.column - other.column;
}
