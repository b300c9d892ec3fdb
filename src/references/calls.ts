/** Reads calls of an SDK, and its components. */

import { readKey, readKeyArgument, type KeyArgument } from './key-argument.ts';
import type { Meaning } from './names.ts';
import { ownerOf, type Occurrence } from './occurrence.ts';
import { FLAG_NAME, type Nearness } from './sdk-calls.ts';

export type CallRead =
  | Exclude<KeyArgument, { readonly kind: 'none' }>
  /** A name whose value the file has. */
  | { readonly kind: 'value'; readonly text: string; readonly at: number };

/** `undefined`: the word reads no flag here. */
export function readCall(
  occurrence: Occurrence,
  meaning: Meaning & { kind: 'call' | 'component' },
): CallRead | undefined {
  const argument = meaning.kind === 'call' ? readFunction(occurrence, meaning) : readComponent(occurrence, meaning);
  if (argument.kind !== 'name') return argument.kind === 'none' ? undefined : argument;
  return valueOf(argument, occurrence) ?? argument;
}

/** The function is declared here, and not called. */
export function isDefinition({ source, start }: Occurrence): boolean {
  return /\b(?:function|def|func|fun|fn|defp)\s+(?:\([^)]*\)\s*|self\.)?$/.test(source.before(start));
}

function readFunction(occurrence: Occurrence, { call }: Meaning & { kind: 'call' }): KeyArgument {
  const { source, end } = occurrence;
  if (call.near !== undefined && !isNear(occurrence, call.near)) return { kind: 'none' };
  if (call.argument === 'none') return readAll(occurrence);
  return readKeyArgument(source.text, end, call.argument);
}

/** A call without arguments is no declaration unless a type or a body follows. */
function readAll({ source, end }: Occurrence): KeyArgument {
  const isCall =
    /^\s*\(\s*\)(?!\s*[:{])/.test(source.from(end)) || readKeyArgument(source.text, end, 0).kind !== 'none';
  return { kind: isCall ? 'expression' : 'none' };
}

function isNear(occurrence: Occurrence, near: Nearness): boolean {
  if (near === 'file') return occurrence.source.namesOpenFeature();
  return FLAG_NAME.test(ownerOf(occurrence) ?? '');
}

/** More than the attributes of a component take. */
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
