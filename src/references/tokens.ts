/** Finds words of a set in the bytes of a file, in one pass whatever the size of the set. */

export interface WordSet {
  has(word: string): boolean;
  /** `onWord` gets every run of letters, digits, `_` and `-` that is in the set, and every part of one between `-`. */
  find(bytes: Uint8Array, onWord: (word: string, start: number) => void): void;
}

/** The words consist of letters, digits, `_` and `-` of ASCII. */
export function wordSet(words: Iterable<string>): WordSet {
  const known = new Set(words);
  const hashes = new Uint8Array(HASHES);
  for (const word of known) hashes[hashOf(word)] = 1;
  return {
    has: (word) => known.has(word),
    find: (bytes, onWord) => {
      const report = (start: number, end: number, hash: number): void => {
        if (hashes[hash & MASK] !== 1) return;
        const word = textBetween(bytes, start, end);
        if (known.has(word)) onWord(word, start);
      };
      for (let at = 0; at < bytes.length; at += 1) {
        if (SORTS[bytes[at] as number] !== OTHER) at = readRun(bytes, at, report);
      }
    },
  };
}

/** @returns The end of the run that begins at `start`. */
function readRun(bytes: Uint8Array, start: number, report: (start: number, end: number, hash: number) => void): number {
  let [hash, part, partHash] = [SEED, start, SEED];
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const sort = SORTS[byte];
    if (sort === OTHER) break;
    hash = (Math.imul(hash, 31) + byte) | 0;
    if (sort === LETTER) partHash = (Math.imul(partHash, 31) + byte) | 0;
    else {
      if (part < at) report(part, at, partHash);
      part = at + 1;
      partHash = SEED;
    }
  }
  if (part > start && part < at) report(part, at, partHash);
  report(start, at, hash);
  return at;
}

const HASHES = 1 << 20;
const MASK = HASHES - 1;
const SEED = 5381;
const OTHER = 0;
const LETTER = 1;
const HYPHEN = 2;

/** Bytes by their sort. */
const SORTS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === '-') return HYPHEN;
  return /[A-Za-z0-9_]/.test(character) ? LETTER : OTHER;
});

function hashOf(word: string): number {
  let hash = SEED;
  for (let at = 0; at < word.length; at += 1) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
  return hash & MASK;
}

function textBetween(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += 1) text += String.fromCharCode(bytes[at] as number);
  return text;
}
