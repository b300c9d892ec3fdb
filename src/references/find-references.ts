/** Finds the places of files that name flags. */

import type { Place } from '../base/place.ts';
import { isDefinition, readCall, type CallRead } from './calls.ts';
import { JOINS } from './key-argument.ts';
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
  names.words.find(file.bytes, (word, start) => {
    search ??= { source: sourceText(file), names, isWrapper, findings, arguments: new Set() };
    const occurrence = { source: search.source, word, start, end: start + word.length };
    for (const meaning of names.meanings.get(word) ?? []) judge(occurrence, meaning, search);
  });
  return findings;
}

interface FileSearch {
  readonly source: SourceText;
  readonly names: Names;
  readonly isWrapper: boolean;
  readonly findings: FileFindings;
  /** The positions of strings that are arguments of an SDK's functions. */
  readonly arguments: Set<number>;
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
    case 'prefix':
    case 'suffix':
      return judgePart(occurrence, meaning, search);
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
  if (source.isProse || source.isComment(start)) return add(search, occurrence, { key, form: 'text', certain: false });
  const binding = bindingOf(occurrence);
  const isMeant = isPlain ? isNearFlags(occurrence) : !isOtherString(occurrence);
  add(search, occurrence, { key, form: isArgument ? 'call' : 'string', certain: isArgument || isMeant });
  if (binding !== undefined && isMeant) search.findings.bindings.push({ ...binding, key, file: source.file });
}

function judgeUnquoted(occurrence: Occurrence, meaning: Meaning & { kind: 'key' }, search: FileSearch): void {
  const { key, isPlain } = meaning;
  const { source, start } = occurrence;
  const isText = source.isProse || source.isComment(start);
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
  const { source, start, word } = occurrence;
  const isText = source.isProse || source.isComment(start) || !isName(occurrence);
  if (!isText && isOfFlags(occurrence))
    return add(search, occurrence, {
      key,
      form: 'constant',
      certain: true,
      name: word,
      isMember: isMemberName(occurrence),
    });
  if (isPlain) return word === key ? void search.findings.loose.push(key) : undefined;
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
  if (source.isProse || source.isComment(start)) return add(search, occurrence, { key, form: 'text', certain: false });
  add(search, occurrence, { key, form: kind, certain: true });
}

function isAccess(occurrence: Occurrence, before: string, after: string): boolean {
  const { source, start, end } = occurrence;
  if (source.text[start - before.length - 1] === '$') return false;
  return /^\s*\??\.\s*(?:isOn|value|payload)\(/.test(source.text.slice(end + after.length, end + after.length + 60));
}

function judgePart(occurrence: Occurrence, meaning: Meaning & { kind: 'prefix' | 'suffix' }, search: FileSearch): void {
  const { source, start, end } = occurrence;
  const isMade = meaning.kind === 'prefix' ? beginsString(occurrence) : endsString(occurrence);
  if (!isMade || search.arguments.has(start) || source.isProse || source.isComment(start)) return;
  search.findings.indirectReads.push({
    place: source.placeOf(meaning.kind === 'prefix' ? start : end - meaning.text.length),
    ...(meaning.kind === 'prefix' ? { prefix: meaning.text } : { suffix: meaning.text }),
  });
}

function beginsString({ source: { text }, start, end }: Occurrence): boolean {
  const quote = text[start - 1] ?? '';
  if (!/["'`]/.test(quote)) return false;
  return text[end] === quote
    ? JOINS.test(text.slice(end + 1, end + 40))
    : /^(?:[#$]?\{|%[sdv]|\\\(|\$[A-Za-z_])/.test(text.slice(end, end + 3));
}

function endsString({ source: { text }, start, end }: Occurrence): boolean {
  const quote = text[end] ?? '';
  if (!/["'`]/.test(quote)) return false;
  return text[start - 1] === quote
    ? /(?:\+|<>|\|\||\.\.|\s\.)\s*$/.test(text.slice(Math.max(0, start - 40), start - 1))
    : /[})sd]/.test(text[start - 1] ?? '');
}

function judgeCall(
  occurrence: Occurrence,
  meaning: Meaning & { kind: 'call' | 'component' },
  search: FileSearch,
): void {
  const { source, start } = occurrence;
  if (source.isProse || source.isComment(start) || isDefinition(occurrence)) return;
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
