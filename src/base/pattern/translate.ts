/** Writes the tree of a pattern in JavaScript's dialect, for the flag `u`. */

import { isHard, lengthOf } from './cost.ts';
import type { ParsedPattern } from './parse.ts';
import { untranslated, invalid, type PatternNode, type RepeatNode } from './tree.ts';

interface PatternWriter {
  readonly isReferenced: (group: number) => boolean;
  readonly isHardPattern: boolean;
  /** The groups that took part whenever the engine is here. */
  set: ReadonlySet<number>;
  atoms: number;
  readonly isBehind: boolean;
  readonly isAtomic: boolean;
}

/** @throws {PatternFault} */
export function translatePattern({ root, referenced }: ParsedPattern): string {
  const isReferenced = (group: number): boolean => referenced.has(group);
  const isHardPattern = isHard(root, isReferenced);
  return write(root, { isReferenced, isHardPattern, set: new Set(), atoms: 0, isBehind: false, isAtomic: false });
}

function write(node: PatternNode, writer: PatternWriter): string {
  switch (node.kind) {
    case 'set':
      return node.set;
    case 'assertion':
      return node.source;
    case 'group': {
      const body = write(node.body, writer);
      if (!writer.isReferenced(node.number)) return `(?:${body})`;
      writer.set = new Set([...writer.set, node.number]);
      return `(?<g${node.number}>${body})`;
    }
    case 'look':
      return writeLook(node, writer);
    case 'atomic': {
      if (writer.isBehind) throw untranslated('an atomic group in a look-behind');
      // What a look-ahead found is not searched again.
      const name = `a${(writer.atoms += 1)}`;
      const body = within(writer, { isAtomic: true }, (inner) => write(node.body, inner));
      return `(?:(?=(?<${name}>${body}))\\k<${name}>)`;
    }
    case 'reference':
      // One of a group that took no part matches nothing there, and anything here.
      if (writer.isBehind || !writer.set.has(node.group))
        throw untranslated('a reference to a group that may take no part');
      return `(?:\\k<g${node.group}>)`;
    case 'sequence':
      return node.items
        .map((item) => (item.kind === 'choice' ? `(?:${write(item, writer)})` : write(item, writer)))
        .join('');
    case 'choice':
      return node.items.map((item) => apart(writer, (inner) => write(item, inner))).join('|');
    case 'repeat':
      return writeRepeat(node, writer);
  }
}

/** Writes a part after which nobody knows whether its groups took part. */
function apart(writer: PatternWriter, made: (inner: PatternWriter) => string): string {
  const { set } = writer;
  const source = made(writer);
  writer.set = set;
  return source;
}

function within(writer: PatternWriter, change: Partial<PatternWriter>, made: (inner: PatternWriter) => string): string {
  const inner = { ...writer, ...change };
  const source = made(inner);
  writer.set = inner.set;
  writer.atoms = inner.atoms;
  return source;
}

function writeLook({ opening, body }: Extract<PatternNode, { readonly kind: 'look' }>, writer: PatternWriter): string {
  const isBehind = opening.startsWith('(?<');
  const parts = body.kind === 'choice' ? body.items : [body];
  if (isBehind && parts.some((part) => !lengthOf(part).isFixed && isHard(part, writer.isReferenced))) {
    throw untranslated('such a look-behind of different lengths');
  }
  return apart(writer, (outer) => within(outer, { isBehind }, (inner) => `${opening}${write(body, inner)})`));
}

function writeRepeat(node: RepeatNode, writer: PatternWriter): string {
  const { body, least, most, isLazy } = node;
  if (most < least)
    throw writer.isHardPattern
      ? untranslated('such a number of times')
      : invalid('numbers out of order in {} quantifier');
  // Engines differ in what they try first where a repeated part may be empty.
  const length = lengthOf(body);
  if (writer.isAtomic && (length === undefined || length.least === 0))
    throw untranslated('the repetition of a part that may be empty');
  const source = least === 0 ? apart(writer, (inner) => write(body, inner)) : write(body, writer);
  const repeated = body.kind === 'set' ? source : `(?:${source})`;
  return `${repeated}${timesText(least, most)}${isLazy ? '?' : ''}`;
}

function timesText(least: number, most: number): string {
  if (most === 1 && least === 0) return '?';
  if (most === Infinity) return least > 1 ? `{${least},}` : least === 1 ? '+' : '*';
  return `{${least},${most}}`;
}
