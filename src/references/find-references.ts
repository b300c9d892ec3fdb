/** Finds the places of files that name flags. */

import { isDefinition, readCall, type CallRead } from './calls.ts';
import { decodeEscapes } from './escapes.ts';
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
} from './occurrence.ts';
import { isApart, keysMadeAt, keysOfWords, keysSpelledAt, type LooseWord, type MadeKey } from './parts.ts';
import type { IndirectRead, ReferenceForm } from './reference.ts';
import { ROUTE } from './sdk-calls.ts';
import { DATA, sourceText, type CodeFile, type SourceText } from './source-text.ts';

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
