/** Finds words of a set in the bytes of a file, in one pass for a set of any size. */

export interface WordSet {
  /**
   * `onWord` gets every run of letters, digits, `_` and `-` that is in the set, and every part of one between `-`. `onRun` gets the runs that
   * have one of `parts` between `-` and `_`, in any casing, and may be a part of a longer string: beside a quote or what is filled in, or with a
   * separator at an end; with `everyRun`, all that have one.
   */
  find(bytes: Uint8Array, on: { readonly onWord: OnWord; readonly onRun?: OnWord; readonly everyRun?: boolean }): void;
}

type OnWord = (word: string, start: number) => void;

/** Words and parts consist of letters, digits, `_` and `-` of ASCII. `anyCasing`: words in lower case, which are in the set in any casing. */
export function wordSet(
  words: Iterable<string>,
  { parts = [], anyCasing = [] }: { readonly parts?: Iterable<string>; readonly anyCasing?: Iterable<string> } = {},
): WordSet {
  const known = new Set(words);
  const knownInLower = new Set(anyCasing);
  const knownParts = new Set(parts);
  const hashes = hashesOf([...known, ...knownInLower]);
  const partHashes = hashesOf(knownParts);
  return {
    find: (bytes, { onWord, onRun, everyRun = false }) => {
      const report = (start: number, end: number, hash: number): void => {
        if (hashes[hash & MASK] !== 1) return;
        const word = textBetween(bytes, start, end);
        if (known.has(word) || knownInLower.has(word.toLowerCase())) onWord(word, start);
      };
      const hasPart = (start: number, end: number): boolean => {
        let [part, hash] = [start, SEED];
        for (let at = start; at <= end; at += 1) {
          const byte = bytes[at] as number;
          if (at < end && byte !== HYPHEN && byte !== UNDERSCORE) hash = (Math.imul(hash, 31) + (byte | LOWER)) | 0;
          else {
            if (partHashes[hash & MASK] === 1 && knownParts.has(textBetween(bytes, part, at).toLowerCase()))
              return true;
            [part, hash] = [at + 1, SEED];
          }
        }
        return false;
      };
      for (let at = 0; at < bytes.length; at += 1) {
        if (SORTS[bytes[at] as number] === OTHER) continue;
        const start = at;
        at = readRun(bytes, start, report);
        if (onRun === undefined || at - start > LONGEST) continue;
        if ((everyRun || isBeside(bytes, start, at)) && hasPart(start, at)) onRun(textBetween(bytes, start, at), start);
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
    hash = (Math.imul(hash, 31) + (byte | LOWER)) | 0;
    if (sort === LETTER) partHash = (Math.imul(partHash, 31) + (byte | LOWER)) | 0;
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

function isBeside(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    BEFORE[bytes[start - 1] ?? 0] === 1 ||
    AFTER[bytes[end] ?? 0] === 1 ||
    SEPARATORS[bytes[start] as number] === 1 ||
    SEPARATORS[bytes[end - 1] as number] === 1
  );
}

/** This bit makes letters lower case, and leaves the other characters of keys apart. */
const LOWER = 32;
const HASHES = 1 << 20;
const MASK = HASHES - 1;
const SEED = 5381;
const OTHER = 0;
const LETTER = 1;
const JOINT = 2;
const HYPHEN = 45;
const UNDERSCORE = 95;
/** No key is longer. */
const LONGEST = 400;

/** Bytes by their sort. */
const SORTS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === HYPHEN) return JOINT;
  return /[A-Za-z0-9_]/.test(String.fromCharCode(byte)) ? LETTER : OTHER;
});

const SEPARATORS = bytesOf('-_');
/** Quotes, and the ends of `${x}`, `$x`, `%s`, `\(x)`, `<%= x %>`; `^` begins a pattern. */
const BEFORE = bytesOf('"\'`}$%)>@^');
/** Quotes, and the beginnings of `${x}`, `{x}`, `%s`, `\(x)`, `<%= x %>`; `*` stands for any characters. */
const AFTER = bytesOf('"\'`$#@{%<\\*');

function bytesOf(characters: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (characters.includes(String.fromCharCode(byte)) ? 1 : 0));
}

function hashesOf(words: Iterable<string>): Uint8Array {
  const hashes = new Uint8Array(HASHES);
  for (const word of words) hashes[hashOf(word)] = 1;
  return hashes;
}

function hashOf(word: string): number {
  let hash = SEED;
  for (let at = 0; at < word.length; at += 1) hash = (Math.imul(hash, 31) + (word.charCodeAt(at) | LOWER)) | 0;
  return hash & MASK;
}

function textBetween(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += 1) text += String.fromCharCode(bytes[at] as number);
  return text;
}
