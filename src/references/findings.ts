/** What is found in one file. A key that occurs only as text is a finding too. */

import type { Place } from '../base/place.ts';
import type { Meaning, Names } from './names.ts';
import { isWholeRun, type Binding, type Occurrence } from './occurrence.ts';
import type { IndirectRead, Reference, UnknownRead } from './reference.ts';
import type { MethodOwner } from './sdk-calls.ts';
import { sourceText, type CodeFile } from './source-text.ts';

export interface FileFindings {
  readonly references: FoundReference[];
  readonly unknownReads: UnknownRead[];
  readonly indirectReads: IndirectRead[];
  /** Reads of a key that is the value of a name. */
  readonly namedReads: { readonly name: string; readonly place: Place }[];
  readonly bindings: BoundName[];
  readonly loose: string[];
  /** Reads, if any code of the repository uses the SDK. */
  readonly readsIfUsed: (IndirectRead & { readonly sdk: MethodOwner })[];
  readonly sdks: MethodOwner[];
}

export function noFindings(): FileFindings {
  return {
    references: [],
    unknownReads: [],
    indirectReads: [],
    namedReads: [],
    bindings: [],
    loose: [],
    readsIfUsed: [],
    sdks: [],
  };
}

export interface FoundReference extends Reference {
  /** The name of the constant, and whether it follows the name of an object or a type. */
  readonly name?: string;
  readonly isMember?: boolean;
}

export interface BoundName extends Binding {
  readonly key: string;
  readonly file: string;
}

/** The key, in any casing, if it occurs only as text. */
export function judgeNamed(occurrence: Occurrence, meaning: Meaning, { references, loose }: FileFindings): void {
  if (meaning.kind !== 'key' && meaning.kind !== 'constant' && meaning.kind !== 'casing') return;
  if (!isWholeRun(occurrence)) return;
  if (meaning.isPlain) loose.push(meaning.key);
  else
    references.push({
      key: meaning.key,
      place: occurrence.source.placeOf(occurrence.start),
      form: 'text',
      certain: false,
    });
}

/** A program may find files by the keys of flags. */
export function judgeName(file: string, names: Names, findings: FileFindings): void {
  const bytes = Buffer.from(file);
  const source = { ...sourceText({ file, bytes }), placeOf: () => ({ file, line: 1, column: 1 }) };
  names.words.find(bytes, {
    onWord: (word, start) => {
      const occurrence = { source, word, start, end: start + word.length };
      for (const meaning of names.meaningsOf(word)) judgeNamed(occurrence, meaning, findings);
    },
  });
}

/** The keys alone, which are not certain: a program wrote the file. */
export function findKeys(file: CodeFile, names: Names, findings: FileFindings): void {
  const source = sourceText(file);
  names.words.find(file.bytes, {
    onWord: (word, start) => {
      const occurrence = { source, word, start, end: start + word.length };
      for (const meaning of names.meaningsOf(word))
        if (meaning.kind === 'key') judgeNamed(occurrence, meaning, findings);
    },
  });
}
