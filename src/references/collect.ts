/** Puts what the files of a repository have together: names of constants are known when all files are. */

import { compareStrings } from '../base/compare-strings.ts';
import type { Place } from '../base/place.ts';
import { findInFile, type BoundName, type FileFindings, type FoundReference } from './find-references.ts';
import type { Names } from './names.ts';
import { isName, type Occurrence } from './occurrence.ts';
import { REFERENCE_FORMS, type CodeReferences, type IndirectRead, type Reference } from './reference.ts';
import { sourceText, type CodeFile } from './source-text.ts';
import { wordSet, type WordSet } from './tokens.ts';

export interface Collector {
  add(file: CodeFile): void;
  /** The further names of constants; the files have to be read once more for them. `undefined`: they are known. */
  further(): FurtherNames | undefined;
  finish(): Pick<CodeReferences, 'references' | 'unknownReads' | 'indirectReads' | 'loose'>;
}

export interface FurtherNames {
  add(file: CodeFile): void;
}

/** `isWrapper`: whether functions of a file pass on keys that their callers write. */
export function createCollector(names: Names, isWrapper: (file: string) => boolean): Collector {
  const all: FileFindings = {
    references: [],
    unknownReads: [],
    indirectReads: [],
    namedReads: [],
    bindings: [],
    loose: [],
  };
  return {
    add: (file) => {
      const found = findInFile(file, names, isWrapper(file.file));
      for (const [name, list] of Object.entries(found) as [keyof FileFindings, never[]][])
        for (const one of list) all[name].push(one);
    },
    further: () => {
      const bound = all.bindings.filter(({ name }) => !isVariant(name, names));
      if (bound.length === 0) return undefined;
      const words = wordSet(bound.map(({ name }) => name));
      return { add: (file) => all.references.push(...findConstants(file, { words, bound })) };
    },
    finish: () => {
      const resolved = resolveNames(all);
      return {
        references: distinct(resolved.references),
        unknownReads: byPlace(all.unknownReads),
        indirectReads: byPlace(resolved.indirectReads),
        loose: countEach(all.loose),
      };
    },
  };
}

function isVariant(name: string, names: Names): boolean {
  return (names.meanings.get(name) ?? []).some(({ kind }) => kind === 'constant');
}

function findConstants(
  file: CodeFile,
  { words, bound }: { readonly words: WordSet; readonly bound: readonly BoundName[] },
): readonly FoundReference[] {
  const found: FoundReference[] = [];
  words.find(file.bytes, (word, start) => {
    const own = bound.filter((one) => one.name === word && (one.isShared || one.file === file.file));
    if (own.length === 0) return;
    const source = sourceText(file);
    const occurrence: Occurrence = { source, word, start, end: start + word.length };
    if (source.isProse || source.isComment(start) || !isName(occurrence)) return;
    for (const { key } of own) {
      found.push({ key, place: source.placeOf(start), form: 'constant', certain: false, name: word });
    }
  });
  return found;
}

/** A name with one key stands for the key. */
function resolveNames({ references, bindings, indirectReads, namedReads }: FileFindings): {
  readonly references: readonly Reference[];
  readonly indirectReads: readonly IndirectRead[];
} {
  const keysOf = keysOfNames(bindings);
  const isOnly = (name: string, { file }: Place): boolean => keysOf(name, file).size === 1;
  const read = new Set(namedReads.map(({ place }) => spot(place)));
  const constants = references.map(({ name, ...reference }): Reference =>
    name !== undefined && (isOnly(name, reference.place) || read.has(spot(reference.place)))
      ? { ...reference, certain: true }
      : reference,
  );
  const known = new Set(constants.map(({ place }) => spot(place)));
  return {
    references: constants,
    indirectReads: [
      ...indirectReads,
      ...namedReads.filter(({ place }) => !known.has(spot(place))).map(({ place }) => ({ place })),
    ],
  };
}

function keysOfNames(bindings: readonly BoundName[]): (name: string, file: string) => ReadonlySet<string> {
  const shared = new Map<string, Set<string>>();
  for (const { name, key, isShared, file } of bindings) {
    for (const id of [...(isShared ? [name] : []), `${file}\0${name}`])
      shared.set(id, (shared.get(id) ?? new Set()).add(key));
  }
  return (name, file) => shared.get(`${file}\0${name}`) ?? shared.get(name) ?? new Set();
}

function spot({ file, line, column }: Place): string {
  return `${file}\0${line}\0${column}`;
}

/** Of what is said twice about a place, the most telling is left. */
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

function byPlace<Found extends { readonly place: Place }>(found: readonly Found[]): readonly Found[] {
  const bySpot = new Map(found.map((one) => [spot(one.place), one]));
  return [...bySpot.values()].toSorted((one, other) => comparePlaces(one.place, other.place));
}

function comparePlaces(one: Place, other: Place): number {
  return compareStrings(one.file, other.file) || one.line - other.line || one.column - other.column;
}

function countEach(keys: readonly string[]): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const key of keys) amounts.set(key, (amounts.get(key) ?? 0) + 1);
  return amounts;
}
