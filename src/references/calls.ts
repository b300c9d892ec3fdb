/** Reads calls of an SDK, and its components. */

import { readKey, readKeyArgument, type KeyArgument } from './key-argument.ts';
import type { Meaning } from './names.ts';
import { ownerOf, type Occurrence } from './occurrence.ts';
import { FLAG_NAME, type MethodOwner, type SdkCall } from './sdk-calls.ts';

export type CallRead = (
  | Exclude<KeyArgument, { readonly kind: 'none' }>
  /** A name whose value the file has. */
  | { readonly kind: 'value'; readonly text: string; readonly at: number }
) & {
  /** It reads a flag if the code of the repository uses this SDK. */
  readonly ifUsed?: MethodOwner;
};

/** `undefined`: the word reads no flag here. */
export function readCall(
  occurrence: Occurrence,
  meaning: Meaning & { kind: 'call' | 'component' },
): CallRead | undefined {
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
export function isDefinition({ source, start }: Occurrence): boolean {
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
