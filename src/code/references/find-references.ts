/** Finds the places of files that name flags. */

import type { Place } from '../../base/place.ts';
import type { Meaning, Names } from './names.ts';
import { isProse } from './file-kinds.ts';
import {
  bindingOf,
  isAboutFlags,
  isMemberName,
  isName,
  isNearFlags,
  isOfFlags,
  isOtherString,
  isQuoted,
  isUnquotedString,
  isWholeRun,
  LISTS,
  ownerOf,
  readKey,
  readKeyArgument,
  type Binding,
  type KeyArgument,
  type Occurrence,
} from './occurrence.ts';
import { isApart, keysMadeAt, keysOfWords, keysSpelledAt, type LooseWord, type MadeKey } from './parts.ts';
import type { IndirectRead, Reference, UnknownRead } from './reference.ts';
import { ROUTE, FLAG_NAME, type MethodOwner, type SdkCall } from './sdk-calls.ts';
import { DATA, decodeEscapes, sourceText, type CodeFile, type SourceText } from './source-text.ts';

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
    ...{ references: [], unknownReads: [], indirectReads: [], namedReads: [] },
    ...{ bindings: [], loose: [], readsIfUsed: [], sdks: [] },
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
function judgeNamed(occurrence: Occurrence, meaning: Meaning, { references, loose }: FileFindings): void {
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

/** `isWrapper`: functions of the file pass on keys that their callers write. */
export function findInFile(file: CodeFile, names: Names, isWrapper: boolean): FileFindings {
  const findings = noFindings();
  let search: FileSearch | undefined;
  const occurrenceOf = (word: string, start: number): [Occurrence, FileSearch] => {
    search ??= { source: sourceText(file), names, isWrapper, findings, arguments: new Set(), apart: [] };
    return [{ source: search.source, word, start, end: start + word.length }, search];
  };
  const everyRun = DATA.test(file.file) || LISTS.test(file.file);
  names.words.find(file.bytes, {
    everyRun,
    onWord: (word, start) => {
      const [occurrence, into] = occurrenceOf(word, start);
      for (const meaning of names.meaningsOf(word)) judge(occurrence, meaning, into);
    },
    onRun: (run, start) => judgePart(...occurrenceOf(run, start)),
  });
  if (search !== undefined) for (const made of keysOfWords(search.apart, names.parts)) addMade(made, search);
  judgeEscaped(file, names, findings);
  // A program may find files by the keys of flags.
  const bytes = Buffer.from(file.file);
  const start = { file: file.file, line: 1, column: 1 };
  const source = { ...sourceText({ file: file.file, bytes }), placeOf: () => start };
  names.words.find(bytes, { onWord: onNamed({ source, names, findings }) });
  return findings;
}

/** The keys alone, which are not certain: a program wrote the file. */
export function findKeys(file: CodeFile, names: Names, findings: FileFindings): void {
  names.words.find(file.bytes, { onWord: onNamed({ source: sourceText(file), names, findings }, ['key']) });
}

function onNamed(
  { source, names, findings }: Pick<FileSearch, 'source' | 'names' | 'findings'>,
  kinds?: readonly Meaning['kind'][],
): (word: string, start: number) => void {
  return (word, start) => {
    const occurrence = { source, word, start, end: start + word.length };
    for (const meaning of names.meaningsOf(word))
      if (kinds?.includes(meaning.kind) !== false) judgeNamed(occurrence, meaning, findings);
  };
}

/** What is only there once escapes are decoded is never certain. */
function judgeEscaped(file: CodeFile, names: Names, findings: FileFindings): void {
  const decoded = decodeEscapes(file.bytes);
  if (decoded === undefined) return;
  const { placeOf } = sourceText(file);
  const source: SourceText = {
    ...sourceText({ file: file.file, bytes: decoded.bytes }),
    placeOf: (at) => placeOf(decoded.originOf(at)),
  };
  const search: FileSearch = { source, names, isWrapper: false, findings, arguments: new Set(), apart: [] };
  const onEscaped =
    (judgeOne: (occurrence: Occurrence) => void) =>
    (word: string, start: number): void => {
      if (decoded.isDecodedIn(start, start + word.length)) judgeOne({ source, word, start, end: start + word.length });
    };
  names.words.find(decoded.bytes, {
    onWord: onEscaped((occurrence) => {
      for (const meaning of names.meaningsOf(occurrence.word)) judgeNamed(occurrence, meaning, findings);
    }),
    onRun: onEscaped((run) => judgePart(run, search)),
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
    case 'casing':
      return judgeNamed(occurrence, meaning, search.findings);
    case 'accessor':
    case 'pattern':
      return judgeSurrounded(occurrence, meaning, search);
    case 'call':
    case 'component':
      return judgeCall(occurrence, meaning, search);
    case 'sdk':
      return isNoCode(occurrence) ? undefined : void search.findings.sdks.push(meaning.sdk);
    case 'route':
      return judgeRoute(occurrence, search);
  }
}

function judgeKey(occurrence: Occurrence, meaning: Meaning & { kind: 'key' }, search: FileSearch): void {
  const { key, isPlain } = meaning;
  const { source, start } = occurrence;
  if (!isWholeRun(occurrence)) return;
  if (!isQuoted(occurrence)) return judgeUnquoted(occurrence, meaning, search);
  const isArgument = search.arguments.has(start);
  if (isNoCode(occurrence)) return add(search, occurrence, { key, form: 'text', certain: false });
  const isMeant = isPlain ? isNearFlags(occurrence) : isMeantAsKey(occurrence);
  add(search, occurrence, { key, form: isArgument ? 'call' : 'string', certain: isArgument || isMeant });
  const binding = isMeant ? bindingOf(occurrence) : undefined;
  if (binding !== undefined) search.findings.bindings.push({ ...binding, key, file: source.file });
}

function judgeUnquoted(occurrence: Occurrence, meaning: Meaning & { kind: 'key' }, search: FileSearch): void {
  const { key, isPlain } = meaning;
  const isText = isNoCode(occurrence);
  if (!isText && isUnquotedString(occurrence))
    return add(search, occurrence, { key, form: 'string', certain: !isPlain && isMeantAsKey(occurrence) });
  if (!key.includes('-') && !isText) return judgeConstant(occurrence, { ...meaning, kind: 'constant' }, search);
  if (isPlain) search.findings.loose.push(key);
  else add(search, occurrence, { key, form: 'text', certain: false });
}

function judgeConstant(
  occurrence: Occurrence,
  { key, isPlain }: Meaning & { kind: 'constant' },
  search: FileSearch,
): void {
  const { word: name } = occurrence;
  const isText = isNoCode(occurrence) || !isName(occurrence) || name.includes('-');
  const certain = !isText && isOfFlags(occurrence);
  if (isPlain && !certain) return void search.findings.loose.push(key);
  const isMember = isMemberName(occurrence);
  add(search, occurrence, isText ? { key, form: 'text', certain } : { key, form: 'constant', certain, name, isMember });
}

function judgeSurrounded(
  occurrence: Occurrence,
  { kind, key, before, after }: Meaning & { kind: 'accessor' | 'pattern' },
  search: FileSearch,
): void {
  const { source, start, end } = occurrence;
  if (!source.text.startsWith(before, start - before.length) || !source.text.startsWith(after, end)) return;
  const behind = source.text.slice(end + after.length, end + after.length + 60);
  const isAccess =
    source.text[start - before.length - 1] !== '$' && /^\s*\??\.\s*(?:isOn|value|payload)\(/.test(behind);
  if (kind === 'pattern' ? !isWholeRun(occurrence) : !isAccess) return;
  if (isNoCode(occurrence)) return add(search, occurrence, { key, form: 'text', certain: false });
  add(search, occurrence, { key, form: kind, certain: true });
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
  return isProse(source.kind) || source.isComment(start);
}

/** In a file of data, only what is about flags is more than a mention. */
function isMeantAsKey(occurrence: Occurrence): boolean {
  return occurrence.source.kind === 'data' ? isAboutFlags(occurrence) : !isOtherString(occurrence);
}

function judgeCall(
  occurrence: Occurrence,
  meaning: Meaning & { kind: 'call' | 'component' },
  search: FileSearch,
): void {
  // A declaration of the function is no call.
  const isDefinition = /\b(?:function|def|func|fun|fn|defp)\s+(?:\([^)]*\)\s*|self\.)?$/;
  if (isNoCode(occurrence) || isDefinition.test(occurrence.source.before(occurrence.start))) return;
  const read = readCall(occurrence, meaning);
  if (read !== undefined) addRead(read, occurrence, search);
}

/** Such an answer has all flags. */
function judgeRoute(occurrence: Occurrence, { isWrapper, findings }: FileSearch): void {
  const { source, start } = occurrence;
  if (isWrapper || source.text[start - 1] !== '/' || !ROUTE.test(source.from(start)) || isNoCode(occurrence)) return;
  findings.indirectReads.push({ place: source.placeOf(start) });
}

function addRead(read: CallRead, { source, start }: Occurrence, search: FileSearch): void {
  const { findings } = search;
  switch (read.kind) {
    case 'literal':
    case 'value': {
      const [key, place] = [read.text, source.placeOf(read.at)];
      if (!search.names.keys.has(key)) findings.unknownReads.push({ key, place });
      else if (read.kind === 'literal') search.arguments.add(read.at);
      else findings.references.push({ key, place, form: 'constant', certain: true });
      return;
    }
    case 'built':
      search.arguments.add(read.at);
      return addIndirect(read, search, {
        place: source.placeOf(read.at),
        ...(read.prefix === '' ? {} : { prefix: read.prefix }),
        ...(read.suffix === '' ? {} : { suffix: read.suffix }),
      });
    case 'name':
      if (search.isWrapper) return;
      if (read.ifUsed === undefined) findings.namedReads.push({ name: read.name, place: source.placeOf(read.at) });
      else addIndirect(read, search, { place: source.placeOf(read.at) });
      return;
    case 'expression':
      if (!search.isWrapper) addIndirect(read, search, { place: source.placeOf(start) });
  }
}

function addIndirect({ ifUsed }: CallRead, { findings }: FileSearch, read: IndirectRead): void {
  if (ifUsed === undefined) findings.indirectReads.push(read);
  else findings.readsIfUsed.push({ ...read, sdk: ifUsed });
}

function add({ findings }: FileSearch, { source, start }: Occurrence, reference: Omit<FoundReference, 'place'>): void {
  findings.references.push({ ...reference, place: source.placeOf(start) });
}

type CallRead = (
  | Exclude<KeyArgument, { readonly kind: 'none' }>
  /** A name whose value the file has. */
  | { readonly kind: 'value'; readonly text: string; readonly at: number }
) & {
  /** It reads a flag if the code of the repository uses this SDK. */
  readonly ifUsed?: MethodOwner;
};

/** `undefined`: the word reads no flag here. */
function readCall(occurrence: Occurrence, meaning: Meaning & { kind: 'call' | 'component' }): CallRead | undefined {
  if (meaning.kind === 'component') return resolved(readComponent(occurrence, meaning), occurrence);
  const { of } = meaning.call;
  const read = resolved(readFunction(occurrence, meaning.call), occurrence);
  const isNear = (owner: MethodOwner): boolean =>
    owner === 'openfeature' ? occurrence.source.namesOpenFeature() : FLAG_NAME.test(ownerOf(occurrence) ?? '');
  if (of === undefined || read === undefined || isNear(of)) return read;
  if (of === 'flags' || read.kind === 'literal' || read.kind === 'value') return undefined;
  // Loggers, buttons and plugins have a function `isEnabled` too, and code that hands evaluated flags on names them somewhere.
  return of === 'evaluated' && !occurrence.source.namesFlags() ? undefined : { ...read, ifUsed: of };
}

/** A name stands for the string that the file gives to it, if it is written there. */
function resolved(argument: KeyArgument, { source }: Occurrence): CallRead | undefined {
  if (argument.kind !== 'name') return argument.kind === 'none' ? undefined : argument;
  const text = source.values().get(argument.name);
  return text === undefined ? argument : { kind: 'value', text, at: argument.at };
}

function readFunction(occurrence: Occurrence, { argument }: SdkCall): KeyArgument {
  const { source, end } = occurrence;
  if (argument === 'none') {
    // A call without arguments is no declaration unless a type or a body follows.
    const isCall =
      /^\s*\(\s*\)(?!\s*[:{])/.test(source.from(end)) || readKeyArgument(source.text, end, 0).kind !== 'none';
    return { kind: isCall ? 'expression' : 'none' };
  }
  if (argument === 'callback') {
    // A function that takes nothing reads no flag.
    const isRead = /^\s*\(\s*(?!\)|(?:async\s*)?\(\s*\)\s*=>|(?:async\s+)?function\b[^(]*\(\s*\)|\w+\s*:)/;
    return { kind: isRead.test(source.text.slice(end, end + MOST)) ? 'expression' : 'none' };
  }
  const read = readKeyArgument(source.text, end, argument);
  return read.kind === 'none' && isPassedOn(occurrence) ? { kind: 'expression' } : read;
}

/** The function itself gets another name, or is an argument: whoever has it may read any flag. */
function isPassedOn({ source, start, end }: Occurrence): boolean {
  const [before, after] = [source.before(start), source.from(end)];
  if (/\b(?:expect|mocked|spyOn|stub|verify|typeof|assert\w*)\b/.test(before)) return false;
  if (/^\s*\.\s*(?:bind|call|apply)\(/.test(after) || /^\s+as\s+[A-Za-z_$](?!.*\bmock)/i.test(after)) return true;
  if (/^\s*:\s*[A-Za-z_$][\w$]*\s*[,}][^=]*=(?![=>])/.test(after) && /[{,]\s*$/.test(before)) return true;
  return /(?:[=(,]|\breturn)\s*(?:await\s+)?(?:[\w$]+(?:\.|::|->|\?\.))*$/.test(before) && /^\s*(?:[;),]|$)/.test(after)
    ? !/^\s*(?:import|export|from)\b|^[\s\w$,{]*$/.test(before)
    : false;
}

/** More than the attributes of a component take, or the beginning of a function. */
const MOST = 1000;

function readComponent(
  { source: { text }, start, end }: Occurrence,
  { attribute }: Meaning & { kind: 'component' },
): KeyArgument {
  if (text[start - 1] !== '<') return { kind: 'none' };
  const rest = text.slice(end, end + MOST);
  const found = new RegExp(`^[^<>]*?\\s${attribute}=\\{?`).exec(rest);
  if (found === null) return { kind: 'none' };
  const argument = readKey(rest.slice(found[0].length));
  return 'at' in argument ? { ...argument, at: argument.at + end + found[0].length } : argument;
}
