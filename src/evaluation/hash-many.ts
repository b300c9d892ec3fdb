/** Hashes many texts after one prefix, as `hash.ts` hashes each of them. */

import { fraction, fractionOf } from './hash.ts';
import { createSha1Lanes, LENGTHS, ROW_BYTES, type Sha1Lanes, STATE } from './sha1-lanes.ts';

export interface ManyHashes {
  /** Replaces the texts: at most as many as `createManyHashes` was told. */
  readonly load: (texts: readonly string[]) => void;
  /** Puts the hash of the prefix with each text into `hashes`. */
  readonly hash: (prefix: string, hashes: Float64Array) => void;
}

/** `createLanes`: for so many pages of memory. */
export function createManyHashes(most: number, createLanes: typeof createSha1Lanes = createSha1Lanes): ManyHashes {
  const lanes = createLanes(Math.ceil((ROWS + Math.ceil(most / 4) * ROWS_BYTES) / 0x10000));
  const many = lanes && hashInLanes(lanes);
  return many !== undefined && isRight(many) ? many : hashEach();
}

/** False on a processor with another order of bytes. */
function isRight({ load, hash }: ManyHashes): boolean {
  const found = new Float64Array(1);
  load(['person']);
  hash('flag.', found);
  return found[0] === fraction('flag.person');
}

function hashEach(): ManyHashes {
  let texts: readonly string[] = [];
  return {
    load: (given) => {
      texts = given;
    },
    hash: (prefix, hashes) => hashes.set(texts.map((text) => fraction(prefix + text))),
  };
}

/** Longer messages are hashed one by one. The last block also has a bit that ends the message, and its length. */
const MOST_BLOCKS = 2;
const BLOCK_BYTES = 64;
const LONGEST_IN_LAST = 55;
const LONGEST = (MOST_BLOCKS - 1) * BLOCK_BYTES + LONGEST_IN_LAST;

/** Addresses behind the state: the one before the first block, the words of the prefix, and the rows of each four texts. */
const FIRST_STATE = STATE + 5 * ROW_BYTES;
const PREFIX = FIRST_STATE + 5 * ROW_BYTES;
const ROWS = PREFIX + MOST_BLOCKS * BLOCK_BYTES;

/** Texts are preceded by as many rows of zeros, which stand for the prefix. */
const TEXT_ROWS = (MOST_BLOCKS * BLOCK_BYTES) / 4;
const ROWS_BYTES = 2 * TEXT_ROWS * ROW_BYTES;

const INITIAL_STATE = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

interface LoadedTexts {
  readonly texts: readonly string[];
  /** The lengths in bytes. */
  readonly lengths: Int32Array;
  readonly longest: number;
}

function hashInLanes({ memory, compress }: Sha1Lanes): ManyHashes {
  const words = new Int32Array(memory);
  for (const [row, word] of INITIAL_STATE.entries())
    words.fill(word, wordAt(FIRST_STATE, row), wordAt(FIRST_STATE, row + 1));
  let { texts, lengths, longest } = loadTexts([], words);
  return {
    load: (given) => {
      ({ texts, lengths, longest } = loadTexts(given, words));
    },
    hash: (prefix, hashes) => {
      const bytes = encoder.encode(prefix);
      const prefixLength = Math.min(bytes.length, LONGEST + 1);
      words.fill(0, PREFIX / 4, ROWS / 4);
      writeBytes(words, bytes.subarray(0, prefixLength), (word) => PREFIX / 4 + word);
      const hashing = { words, compress, lengths, prefixLength };
      for (let first = 0; first < texts.length; first += 4) hashFour(hashing, first, hashes);
      if (prefixLength + longest <= LONGEST) return;
      for (const [index, text] of texts.entries())
        if (prefixLength + (lengths[index] ?? 0) > LONGEST) hashes[index] = fraction(prefix + text);
    },
  };
}

const encoder = new TextEncoder();

/** Writes each text with the bit that ends its message, unless it is too long. */
function loadTexts(texts: readonly string[], words: Int32Array): LoadedTexts {
  words.fill(0, ROWS / 4);
  const encoded = texts.map((text) => encoder.encode(text));
  for (const [index, bytes] of encoded.entries()) {
    const lane = wordAt(rowsOf(index - (index % 4)), TEXT_ROWS) + (index % 4);
    if (bytes.length <= LONGEST) writeBytes(words, [...bytes, 0x80], (word) => lane + word * (ROW_BYTES / 4));
  }
  const lengths = Int32Array.from(encoded, ({ length }) => length);
  return { texts, lengths, longest: Math.max(0, ...lengths) };
}

/** The words of a message have their highest byte first. */
function writeBytes(words: Int32Array, bytes: Iterable<number>, placeOf: (word: number) => number): void {
  let at = 0;
  for (const byte of bytes) {
    const place = placeOf(at >> 2);
    words[place] = (words[place] ?? 0) | (byte << (24 - (at % 4) * 8));
    at += 1;
  }
}

interface Hashing extends Pick<LoadedTexts, 'lengths'>, Pick<Sha1Lanes, 'compress'> {
  readonly words: Int32Array;
  readonly prefixLength: number;
}

/** Hashes the four texts from `first` on, unless they are too long. */
function hashFour({ words, compress, lengths, prefixLength }: Hashing, first: number, hashes: Float64Array): void {
  const rows = rowsOf(first) + (TEXT_ROWS - 1 - (prefixLength >> 2)) * ROW_BYTES;
  const end = Math.min(first + 4, lengths.length);
  words.copyWithin(STATE / 4, FIRST_STATE / 4, PREFIX / 4);
  for (let block = 0, left = end - first; left > 0 && block < MOST_BLOCKS; block += 1) {
    for (let index = first; index < end; index += 1) {
      const length = prefixLength + (lengths[index] ?? 0);
      words[wordAt(LENGTHS, 0) + index - first] = isLast(block, length) ? length * 8 : 0;
    }
    compress(rows + block * 16 * ROW_BYTES, PREFIX + block * BLOCK_BYTES, (prefixLength % 4) * 8);
    for (let index = first; index < end; index += 1) {
      if (!isLast(block, prefixLength + (lengths[index] ?? 0))) continue;
      const lane = wordAt(STATE, 0) + index - first;
      hashes[index] = fractionOf((words[lane] ?? 0) >>> 0, (words[lane + ROW_BYTES / 4] ?? 0) >>> 0);
      left -= 1;
    }
  }
}

function wordAt(address: number, row: number): number {
  return (address + row * ROW_BYTES) / 4;
}

/** The address of the rows of the four texts from `first` on. */
function rowsOf(first: number): number {
  return ROWS + (first / 4) * ROWS_BYTES;
}

/** Whether a message of this length ends in the block, with what follows it. */
function isLast(block: number, length: number): boolean {
  const rest = length - block * BLOCK_BYTES;
  return rest <= LONGEST_IN_LAST && rest > LONGEST_IN_LAST - BLOCK_BYTES;
}
