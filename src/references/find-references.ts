/** Finds the places of files that name flags. */

import { judgeName, judgeNamed, noFindings, type FileFindings } from './findings.ts';
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
  LISTS,
  type Occurrence,
  ownerOf,
} from './occurrence.ts';
import { isApart, keysMadeAt, keysOfWords, keysSpelledAt, type LooseWord, type MadeKey } from './parts.ts';
import type { IndirectRead, ReferenceForm } from './reference.ts';
import { ROUTE, FLAG_NAME, type MethodOwner, type SdkCall } from './sdk-calls.ts';
import { DATA, sourceText, type CodeFile, type SourceText } from './source-text.ts';
import { readKey, readKeyArgument, type KeyArgument } from './key-argument.ts';

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
  judgeName(file.file, names, findings);
  return findings;
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
  if (of === undefined || read === undefined || isNear(occurrence, of)) return read;
  if (of === 'flags' || read.kind === 'literal' || read.kind === 'value') return undefined;
  // Loggers, buttons and plugins have a function `isEnabled` too, and code that hands evaluated flags on names them somewhere.
  return of === 'evaluated' && !occurrence.source.namesFlags() ? undefined : { ...read, ifUsed: of };
}

function resolved(argument: KeyArgument, occurrence: Occurrence): CallRead | undefined {
  if (argument.kind !== 'name') return argument.kind === 'none' ? undefined : argument;
  return valueOf(argument, occurrence) ?? argument;
}

/** The function is declared here, and not called. */
function isDefinition({ source, start }: Occurrence): boolean {
  return /\b(?:function|def|func|fun|fn|defp)\s+(?:\([^)]*\)\s*|self\.)?$/.test(source.before(start));
}

function readFunction(occurrence: Occurrence, { argument }: SdkCall): KeyArgument {
  const { source, end } = occurrence;
  if (argument === 'none') return isCallWithout(occurrence) ? { kind: 'expression' } : { kind: 'none' };
  if (argument === 'callback') return readCallback(source.text.slice(end, end + MOST));
  const read = readKeyArgument(source.text, end, argument);
  return read.kind === 'none' && isPassedOn(occurrence) ? { kind: 'expression' } : read;
}

/** A call without arguments is no declaration unless a type or a body follows. */
function isCallWithout({ source, end }: Occurrence): boolean {
  return /^\s*\(\s*\)(?!\s*[:{])/.test(source.from(end)) || readKeyArgument(source.text, end, 0).kind !== 'none';
}

/** A function that takes nothing reads no flag. */
function readCallback(text: string): KeyArgument {
  const isRead = /^\s*\(\s*(?!\)|(?:async\s*)?\(\s*\)\s*=>|(?:async\s+)?function\b[^(]*\(\s*\)|\w+\s*:)/.test(text);
  return { kind: isRead ? 'expression' : 'none' };
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

function isNear(occurrence: Occurrence, of: MethodOwner): boolean {
  if (of === 'openfeature') return occurrence.source.namesOpenFeature();
  return FLAG_NAME.test(ownerOf(occurrence) ?? '');
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

/** The string that the file gives to the name, if it is written there. */
function valueOf({ name, at }: KeyArgument & { kind: 'name' }, { source }: Occurrence): CallRead | undefined {
  const text = source.values().get(name);
  return text === undefined ? undefined : { kind: 'value', text, at };
}

interface DecodedText {
  /** The bytes as a file would have them. */
  readonly bytes: Uint8Array;
  /** The position in the file as it is written. */
  readonly originOf: (at: number) => number;
  /** Something between the positions was decoded. */
  readonly isDecodedIn: (start: number, end: number) => boolean;
}

/** `undefined` if nothing is escaped, as in most files. */
export function decodeEscapes(bytes: Uint8Array): DecodedText | undefined {
  if (!mayHaveEscapes(bytes)) return undefined;
  const text = latin1(bytes);
  const pieces: string[] = [];
  const escapes: Escape[] = [];
  let [written, at] = [0, 0];
  for (const found of text.matchAll(ESCAPES)) {
    const character = characterOf(found);
    if (character === undefined) continue;
    pieces.push(text.slice(written, found.index), character);
    at += found.index - written;
    written = found.index + found[0].length;
    escapes.push({ at, length: character.length, to: written });
    at += character.length;
  }
  if (escapes.length === 0) return undefined;
  pieces.push(text.slice(written));
  return {
    bytes: Buffer.from(pieces.join(''), 'latin1'),
    originOf: (position) => originOf(position, escapes),
    isDecodedIn: (start, end) => isDecodedIn(start, end, escapes),
  };
}

/** One escape. */
interface Escape {
  /** The position in the decoded text. */
  readonly at: number;
  /** 0: lines were joined. */
  readonly length: number;
  /** Its end in the file. */
  readonly to: number;
}

const ESCAPES =
  /\\(?:u00|u\{0*|U000000|x|x\{0*)([0-9a-fA-F]{2})\}?|\\0?([0-7]{2,3})|%([2-7][0-9a-fA-F])|&#0*(\d{2,3});|&#[xX]0*([0-9a-fA-F]{2});|(\\\r?\n)|(\\N\{HYPHEN-MINUS\})|&(lowbar);/g;

/** `undefined`: a character that is in no key. */
function characterOf([, hex, octal, percent, decimal, hexOfMarkup, joint, hyphen, line]: RegExpMatchArray):
  string | undefined {
  if (joint !== undefined) return '';
  if (hyphen !== undefined) return '-';
  if (line !== undefined) return '_';
  const code = decimal === undefined ? undefined : Number(decimal);
  const inHex = hex ?? percent ?? hexOfMarkup;
  const character = String.fromCharCode(code ?? (inHex === undefined ? parseInt(octal ?? '', 8) : parseInt(inHex, 16)));
  return /[\w-]/.test(character) ? character : undefined;
}

/** Whether it is worth to make a string of the bytes. */
function mayHaveEscapes(bytes: Uint8Array): boolean {
  return Object.entries(MARKS).some(([mark, next]) => {
    const byte = mark.charCodeAt(0);
    for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) {
      if (next.includes(bytes[at + 1] ?? 0) && isEscape(latin1(bytes.subarray(at, at + LONGEST)))) return true;
    }
    return false;
  });
}

function isEscape(text: string): boolean {
  const [found] = text.matchAll(ESCAPES);
  return found?.index === 0 && characterOf(found) !== undefined;
}

/** What begins an escape, and what may follow that. */
const MARKS: Readonly<Record<string, Uint8Array>> = {
  '\\': Buffer.from('uUxN01234567\r\n'),
  '%': Buffer.from('234567'),
  '&': Buffer.from('#l'),
};
/** More than an escape has. */
const LONGEST = 24;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function originOf(position: number, escapes: readonly Escape[]): number {
  const escape = escapes[firstWhere(escapes, ({ at, length }) => at + length > position) - 1];
  return escape === undefined ? position : escape.to + position - escape.at - escape.length;
}

function isDecodedIn(start: number, end: number, escapes: readonly Escape[]): boolean {
  const escape = escapes[firstWhere(escapes, ({ at, length }) => (length === 0 ? at > start : at >= start))];
  return escape !== undefined && escape.at < end;
}

function firstWhere(escapes: readonly Escape[], isBehind: (escape: Escape) => boolean): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(escapes[middle] as Escape)) high = middle;
    else low = middle + 1;
  }
  return low;
}
