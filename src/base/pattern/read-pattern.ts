/**
 * What a regular expression of the service means here. The service has the dialect of Rust's fancy-regex; this is the one place that
 * translates it (docs/evaluation.md, "Regular expressions").
 */

import { invalid, PatternFault, untranslated } from './characters.ts';
import { type ParsedPattern, parsePattern, type PatternNode, type RepeatNode } from './parse.ts';
import { once } from '../once.ts';
import { searchRegex } from '../search-regex.ts';
import { TextMemo } from '../text-memo.ts';

export type Pattern =
  | {
      readonly kind: 'known';
      /** Searches a text. */
      readonly regexFor: (text: string) => RegExp;
      /** Whether the answer about a text is the service's. */
      readonly isAnswered: (text: string) => boolean;
    }
  /** Nobody here knows what the service makes of it. `reason`: a clause. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The service cannot use it. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** The answer is the service's. */
export const UNKNOWN = 'unknown';

const patterns = new TextMemo<Pattern>(1_000_000);

export function readPattern(pattern: string): Pattern {
  return patterns.get('', pattern, () => read(pattern));
}

/** Whether the pattern occurs in the text; `undefined` for one that is invalid, which matches nothing, also if it is negated. */
export function findPattern(pattern: Pattern, text: string): boolean | typeof UNKNOWN | undefined {
  if (pattern.kind !== 'known') return pattern.kind === 'invalid' ? undefined : UNKNOWN;
  return pattern.isAnswered(text) ? (searchRegex(pattern.regexFor(text), text) ?? UNKNOWN) : UNKNOWN;
}

const LONGEST = 1000;
const BIGGEST = 20_000;
/** The service gives up after 10,000 steps back. */
const MOST_STEPS = 10_000;

function read(pattern: string): Pattern {
  if (pattern.length > LONGEST) return unknown(`it has more than ${LONGEST} characters`);
  try {
    const parsed = parsePattern(pattern);
    const source = translatePattern(parsed);
    if (sizeOf(parsed.root) > BIGGEST) return unknown('it is so large that the service may refuse it');
    const regex = new RegExp(source, 'u');
    // V8 also looks for a match between the halves of a surrogate pair, unless it begins at the start.
    const fromStart = once(() => new RegExp(`^[^]*?(?:${source})`, 'u'));
    const regexFor = (text: string): RegExp => (/[\u{10000}-\u{10ffff}]/u.test(text) ? fromStart() : regex);
    return { kind: 'known', regexFor, isAnswered: answeredTexts(pattern, source, parsed) };
  } catch (error) {
    if (error instanceof PatternFault) return { kind: error.kind, reason: error.reason };
    if (error instanceof SyntaxError) return unknown('JavaScript cannot express it');
    throw error;
  }
}

function unknown(reason: string): Pattern {
  return { kind: 'unknown', reason };
}

/** The characters that Unicode 17 added. */
const UNICODE_17 =
  '88f c5c cdc 1acf-1add 1ae0-1aeb 20c1 2b96 a7ce-a7cf a7d2 a7d4 a7f1 fbc3-fbd2 fd90-fd91 fdc8-fdce 10940-10959 10ec5-10ec7 10ed0-10ed8 10efa-10efb 11b60-11b67 11db0-11ddb 11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18d09-18d1e 18d80-18df2 1ccfa-1ccfc 1ceba-1ced0 1cee0-1cef0 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 1f6d8 1f777-1f77a 1f8d0-1f8d8 1fa54-1fa57 1fa8a 1fa8e 1fac8 1facd 1faea 1faef 1fbfa 2b73a-2b73f 2cea2-2cead 323b0-33479';

/** Characters that the service's tables of Unicode (16.0) or those of this process lack. */
const NEWER = new RegExp(
  `[\\p{Cn}\\p{Surrogate}${UNICODE_17.replaceAll(/[0-9a-f]+/g, '\\u{$&}').replaceAll(' ', '')}]`,
  'u',
);

/** The texts about which the translation gives the service's answer. */
function answeredTexts(pattern: string, source: string, parsed: ParsedPattern): (text: string) => boolean {
  const isReferenced = (group: number): boolean => parsed.referenced.has(group);
  const isCounted = isHard(parsed.root, isReferenced);
  const readsTables = /\\p/i.test(source) || /\(\?[a-zA-Z]*i/.test(pattern);
  return (text) =>
    !(readsTables ? NEWER : /\p{Surrogate}/u).test(text) &&
    (!isCounted || mostSteps(parsed.root, isReferenced, text.length) <= MOST_STEPS);
}

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
function translatePattern({ root, referenced }: ParsedPattern): string {
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
  if (writer.isAtomic && lengthOf(body).least === 0) throw untranslated('the repetition of a part that may be empty');
  const source = least === 0 ? apart(writer, (inner) => write(body, inner)) : write(body, writer);
  const repeated = body.kind === 'set' ? source : `(?:${source})`;
  return `${repeated}${timesText(least, most)}${isLazy ? '?' : ''}`;
}

function timesText(least: number, most: number): string {
  if (most === 1 && least === 0) return '?';
  if (most === Infinity) return least > 1 ? `{${least},}` : least === 1 ? '+' : '*';
  return `{${least},${most}}`;
}

type IsReferenced = (group: number) => boolean;

/** Whether the engine of fancy-regex has to run, instead of the one that needs no steps back. */
function isHard(node: PatternNode, isReferenced: IsReferenced): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'assertion':
      return node.isHard;
    case 'group':
      return isReferenced(node.number) || isHard(node.body, isReferenced);
    case 'repeat':
      return isHard(node.body, isReferenced);
    case 'sequence':
    case 'choice':
      return node.items.some((item) => isHard(item, isReferenced));
    case 'look':
    case 'atomic':
    case 'reference':
      return true;
  }
}

interface Length {
  /** The fewest characters. */
  readonly least: number;
  /** Whether the service's engine sees that it is the only number. */
  readonly isFixed: boolean;
}

function lengthOf(node: PatternNode): Length {
  switch (node.kind) {
    case 'set':
      return { least: 1, isFixed: true };
    case 'assertion':
    case 'look':
      return { least: 0, isFixed: true };
    case 'reference':
      return { least: 0, isFixed: false };
    case 'group':
    case 'atomic':
      return lengthOf(node.body);
    case 'repeat': {
      const { least, isFixed } = lengthOf(node.body);
      return { least: least * node.least, isFixed: isFixed && node.least === node.most };
    }
    case 'sequence':
    case 'choice': {
      const items = node.items.map(lengthOf);
      const leasts = items.map(({ least }) => least);
      const areFixed = items.every(({ isFixed }) => isFixed);
      if (node.kind === 'sequence') return { least: sum(leasts), isFixed: areFixed };
      const least = Math.min(...leasts);
      return { least, isFixed: areFixed && least === Math.max(...leasts) };
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** A set of Unicode's tables takes this many parts of the service's program. */
const BIG_SET = 200;
const SMALL_SET = 20;

/** An estimate of the size of the service's program. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return node.isBig ? BIG_SET : SMALL_SET;
    case 'assertion':
    case 'reference':
      return 1;
    case 'group':
    case 'look':
    case 'atomic':
      return sizeOf(node.body) + 1;
    case 'repeat':
      return (sizeOf(node.body) + 1) * Math.max(1, node.most === Infinity ? node.least + 1 : node.most);
    case 'sequence':
    case 'choice':
      return sum(node.items.map(sizeOf)) + 1;
  }
}

/** An upper bound of the ways through a part from one place, and of the places to step back to that they leave. */
interface Ways {
  readonly ways: number;
  readonly marks: number;
}

const ONE_WAY: Ways = { ways: 1, marks: 0 };

/** An upper bound of the steps back in a text of so many characters, for a pattern that is hard. */
function mostSteps(root: PatternNode, isReferenced: IsReferenced, length: number): number {
  const { marks } = waysOf(root, false, { isReferenced, length });
  const [first] = root.kind === 'sequence' ? root.items : [root];
  const isAnchored = first?.kind === 'assertion' && first.source === '^';
  return (isAnchored ? 1 : length + 1) * (marks + 2);
}

interface WaysContext {
  readonly isReferenced: IsReferenced;
  readonly length: number;
}

/** Follows how fancy-regex compiles: it leaves to the other engine what is not hard and has nothing hard behind it (`isInner`). */
function waysOf(node: PatternNode, isInner: boolean, context: WaysContext): Ways {
  if (!isInner && !isHard(node, context.isReferenced)) return ONE_WAY;
  switch (node.kind) {
    case 'set':
    case 'assertion':
    case 'reference':
      return ONE_WAY;
    case 'group':
      return waysOf(node.body, isInner, context);
    case 'atomic':
      return { ways: 1, marks: waysOf(node.body, false, context).marks };
    case 'look': {
      const { ways, marks } = waysOf(node.body, false, context);
      const alternatives = node.body.kind === 'choice' ? node.body.items.length : 1;
      return { ways: node.opening.endsWith('!') ? 1 : ways * alternatives, marks: marks + alternatives };
    }
    case 'choice': {
      const items = node.items.map((item) => waysOf(item, isInner, context));
      return { ways: sum(items.map(({ ways }) => ways)), marks: sum(items.map(({ marks }) => marks + 1)) };
    }
    case 'sequence':
      return waysOfItems(node.items, isInner, context).reduce(
        (before, { ways, marks }) => ({ ways: before.ways * ways, marks: before.marks + before.ways * marks }),
        ONE_WAY,
      );
    case 'repeat':
      return waysOfRepeat(node, isInner, context);
  }
}

function waysOfItems(items: readonly PatternNode[], isInner: boolean, context: WaysContext): readonly Ways[] {
  const isPlain = (item: PatternNode): boolean => !isHard(item, context.isReferenced);
  const isMoving = (item: PatternNode): boolean => !isPlain(item) || !lengthOf(item).isFixed;
  const from = items.findIndex(isMoving);
  const until = items.findLastIndex(isInner ? isMoving : (item) => !isPlain(item));
  return items.map((item, at) => (at < from || at > until ? ONE_WAY : waysOf(item, true, context)));
}

function waysOfRepeat(node: RepeatNode, isInner: boolean, context: WaysContext): Ways {
  const { body, least, most } = node;
  if (least === 0 && most === 1) {
    const once = waysOf(body, isInner, context);
    return { ways: once.ways + 1, marks: once.marks + 1 };
  }
  const once = waysOf(body, isInner || isHard(node, context.isReferenced), context);
  const times = Math.min(most, Math.max(least, context.length + 1));
  let [ways, marks, all] = [1, 0, least === 0 ? 1 : 0];
  for (let time = 1; time <= times && marks < Infinity; time += 1) {
    marks += ways * (once.marks + 1);
    ways *= once.ways;
    if (time >= least) all += ways;
  }
  return { ways: all, marks: marks + ways };
}
