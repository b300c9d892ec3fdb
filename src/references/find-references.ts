/** Finds the places of files that name flags. */

import type { Place } from '../base/place.ts';
import { isDefinition, readCall, type CallRead } from './calls.ts';
import type { Meaning, Names } from './names.ts';
import {
  bindingOf,
  isMemberName,
  isName,
  isNearFlags,
  isOfFlags,
  isOtherString,
  isQuoted,
  isUnquotedString,
  isWholeRun,
  type Binding,
  type Occurrence,
} from './occurrence.ts';
import { isApart, keysMadeAt, keysOfWords, keysSpelledAt, type LooseWord, type MadeKey } from './parts.ts';
import type { IndirectRead, Reference, ReferenceForm, UnknownRead } from './reference.ts';
import { sourceText, type CodeFile, type SourceText } from './source-text.ts';

export interface FileFindings {
  readonly references: FoundReference[];
  readonly unknownReads: UnknownRead[];
  readonly indirectReads: IndirectRead[];
  /** Reads of a key that is the value of a name. */
  readonly namedReads: { readonly name: string; readonly place: Place }[];
  readonly bindings: BoundName[];
  readonly loose: string[];
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

/** `isWrapper`: functions of the file pass on keys that their callers write. */
export function findInFile(file: CodeFile, names: Names, isWrapper: boolean): FileFindings {
  const findings: FileFindings = {
    references: [],
    unknownReads: [],
    indirectReads: [],
    namedReads: [],
    bindings: [],
    loose: [],
  };
  let search: FileSearch | undefined;
  const occurrenceOf = (word: string, start: number): [Occurrence, FileSearch] => {
    search ??= { source: sourceText(file), names, isWrapper, findings, arguments: new Set(), apart: [] };
    return [{ source: search.source, word, start, end: start + word.length }, search];
  };
  names.words.find(
    file.bytes,
    (word, start) => {
      const [occurrence, into] = occurrenceOf(word, start);
      for (const meaning of names.meanings.get(word) ?? []) judge(occurrence, meaning, into);
    },
    (run, start) => judgePart(...occurrenceOf(run, start)),
  );
  if (search !== undefined) for (const made of keysOfWords(search.apart, names.parts)) addMade(made, search);
  judgeName(file.file, names, findings);
  return findings;
}

/** A program may find files by the keys of flags. */
function judgeName(file: string, names: Names, { references, loose }: FileFindings): void {
  const bytes = Buffer.from(file);
  names.words.find(bytes, (word, start) => {
    if (!isWholeRun({ source: sourceText({ file, bytes }), word, start, end: start + word.length })) return;
    for (const meaning of names.meanings.get(word) ?? []) {
      if (meaning.kind !== 'key' && meaning.kind !== 'constant') continue;
      if (meaning.isPlain) loose.push(meaning.key);
      else references.push({ key: meaning.key, place: { file, line: 1, column: 1 }, form: 'text', certain: false });
    }
  });
}

interface FileSearch {
  readonly source: SourceText;
  readonly names: Names;
  readonly isWrapper: boolean;
  readonly findings: FileFindings;
  /** The positions of strings that are arguments of an SDK's functions. */
  readonly arguments: Set<number>;
  /** Words of keys that stand for themselves. */
  readonly apart: LooseWord[];
}

function judge(occurrence: Occurrence, meaning: Meaning, search: FileSearch): void {
  switch (meaning.kind) {
    case 'key':
      return judgeKey(occurrence, meaning, search);
    case 'constant':
      return judgeConstant(occurrence, meaning, search);
    case 'accessor':
    case 'pattern':
      return judgeSurrounded(occurrence, meaning, search);
    case 'call':
    case 'component':
      return judgeCall(occurrence, meaning, search);
  }
}

function judgeKey(occurrence: Occurrence, meaning: Meaning & { kind: 'key' }, search: FileSearch): void {
  const { key, isPlain } = meaning;
  const { source, start } = occurrence;
  if (!isWholeRun(occurrence)) return;
  if (!isQuoted(occurrence)) return judgeUnquoted(occurrence, meaning, search);
  const isArgument = search.arguments.has(start);
  if (isNoCode(occurrence)) return add(search, occurrence, { key, form: 'text', certain: false });
  const binding = bindingOf(occurrence);
  const isMeant = isPlain ? isNearFlags(occurrence) : !isOtherString(occurrence);
  add(search, occurrence, { key, form: isArgument ? 'call' : 'string', certain: isArgument || isMeant });
  if (binding !== undefined && isMeant) search.findings.bindings.push({ ...binding, key, file: source.file });
}

function judgeUnquoted(occurrence: Occurrence, meaning: Meaning & { kind: 'key' }, search: FileSearch): void {
  const { key, isPlain } = meaning;
  const isText = isNoCode(occurrence);
  if (!isText && isUnquotedString(occurrence))
    return add(search, occurrence, { key, form: 'string', certain: !isPlain });
  if (!key.includes('-') && !isText) return judgeConstant(occurrence, { ...meaning, kind: 'constant' }, search);
  if (isPlain) search.findings.loose.push(key);
  else add(search, occurrence, { key, form: 'text', certain: false });
}

function judgeConstant(
  occurrence: Occurrence,
  { key, isPlain }: Meaning & { kind: 'constant' },
  search: FileSearch,
): void {
  const { word } = occurrence;
  const isText = isNoCode(occurrence) || !isName(occurrence) || word.includes('-');
  if (!isText && isOfFlags(occurrence))
    return add(search, occurrence, {
      key,
      form: 'constant',
      certain: true,
      name: word,
      isMember: isMemberName(occurrence),
    });
  if (isPlain) return void search.findings.loose.push(key);
  add(
    search,
    occurrence,
    isText
      ? { key, form: 'text', certain: false }
      : { key, form: 'constant', certain: false, name: word, isMember: isMemberName(occurrence) },
  );
}

function judgeSurrounded(
  occurrence: Occurrence,
  { kind, key, before, after }: Meaning & { kind: 'accessor' | 'pattern' },
  search: FileSearch,
): void {
  const { source, start, end } = occurrence;
  if (!source.text.startsWith(before, start - before.length) || !source.text.startsWith(after, end)) return;
  if (kind === 'pattern' ? !isWholeRun(occurrence) : !isAccess(occurrence, before, after)) return;
  if (isNoCode(occurrence)) return add(search, occurrence, { key, form: 'text', certain: false });
  add(search, occurrence, { key, form: kind, certain: true });
}

function isAccess(occurrence: Occurrence, before: string, after: string): boolean {
  const { source, start, end } = occurrence;
  if (source.text[start - before.length - 1] === '$') return false;
  return /^\s*\??\.\s*(?:isOn|value|payload)\(/.test(source.text.slice(end + after.length, end + after.length + 60));
}

function judgePart(run: Occurrence, search: FileSearch): void {
  const { start, word } = run;
  if (isApart(run)) search.apart.push({ word: word.toLowerCase(), at: start });
  for (const key of keysSpelledAt(run, search.names.parts)) add(search, run, { key, form: 'text', certain: false });
  for (const made of keysMadeAt(run, search.names.parts)) if (!search.arguments.has(made.at)) addMade(made, search);
}

function addMade({ at, ...made }: MadeKey, { source, findings }: FileSearch): void {
  if (!isNoCode({ source, start: at })) findings.indirectReads.push({ place: source.placeOf(at), ...made });
}

/** Nothing runs there. */
function isNoCode({ source, start }: Pick<Occurrence, 'source' | 'start'>): boolean {
  return source.isProse || source.isComment(start);
}

function judgeCall(
  occurrence: Occurrence,
  meaning: Meaning & { kind: 'call' | 'component' },
  search: FileSearch,
): void {
  if (isNoCode(occurrence) || isDefinition(occurrence)) return;
  const read = readCall(occurrence, meaning);
  if (read !== undefined) addRead(read, occurrence, search);
}

function addRead(read: CallRead, { source, start }: Occurrence, search: FileSearch): void {
  const { findings } = search;
  switch (read.kind) {
    case 'literal':
      if (search.names.keys.has(read.text)) search.arguments.add(read.at);
      else findings.unknownReads.push({ key: read.text, place: source.placeOf(read.at) });
      return;
    case 'value':
      if (!search.names.keys.has(read.text))
        findings.unknownReads.push({ key: read.text, place: source.placeOf(read.at) });
      else
        findings.references.push({ key: read.text, place: source.placeOf(read.at), form: 'constant', certain: true });
      return;
    case 'built':
      search.arguments.add(read.at);
      findings.indirectReads.push({
        place: source.placeOf(read.at),
        ...(read.prefix === '' ? {} : { prefix: read.prefix }),
        ...(read.suffix === '' ? {} : { suffix: read.suffix }),
      });
      return;
    case 'name':
      if (!search.isWrapper) findings.namedReads.push({ name: read.name, place: source.placeOf(read.at) });
      return;
    case 'expression':
      if (!search.isWrapper) findings.indirectReads.push({ place: source.placeOf(start) });
  }
}

interface NewReference {
  readonly key: string;
  readonly form: ReferenceForm;
  readonly certain: boolean;
  readonly name?: string;
  readonly isMember?: boolean;
}

function add({ findings }: FileSearch, { source, start }: Occurrence, reference: NewReference): void {
  findings.references.push({ ...reference, place: source.placeOf(start) });
}
