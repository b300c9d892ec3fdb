/**
 * Whether a text identifies a person, in any spelling, or as a regular expression. Takes time proportional to the length of any text, and to
 * the number of texts that an expression asks for.
 */

/** One character of several. */
export const OPEN = '\u0001';
/** Any number of characters of several. */
export const OPEN_RUN = '\u0002';

export type PersonalData = 'email' | 'phone';

/**
 * Finds only unambiguous data: a pattern for a whole domain or for many addresses identifies nobody. `isAllowed` accepts addresses and
 * numbers that identify nobody.
 */
export function findPersonalData(
  text: string,
  isRegex: boolean,
  isAllowed: (found: string) => boolean,
): PersonalData | undefined {
  const plain = toPlain(text);
  // A copied pattern may keep its backslashes.
  const read = isRegex ? textsOf(plain) : { texts: [plain.replaceAll(/\\([.@+-])/g, '$1')], isCut: false };
  // The rest is unknown.
  if (read.isCut && plain.includes('@')) return 'email';
  const texts = isRegex ? read.texts.map(toPlain) : read.texts;
  const isNamed = (found: readonly string[]): boolean => found.some((one) => !isAllowed(one));
  if (texts.some((one) => isNamed(emailsIn(one)))) return 'email';
  return texts.some((one) => isNamed(phoneIn(one))) ? 'phone' : undefined;
}

/** One form for all spellings: without invisible characters, and with the usual characters instead of their variants and codes. */
function toPlain(text: string): string {
  let plain = text;
  // A code may stand for the character with which another code begins.
  for (let round = 0; round < 3; round += 1) {
    const next = plain
      .replaceAll(/(?:%[0-9a-f]{2})+/gi, decodePercent)
      .replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (whole: string, hex?: string, decimal?: string) => {
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      })
      .replaceAll(/&(?:commat|period|plus);/gi, (name) => ENTITIES.get(name.toLowerCase()) ?? name);
    if (next === plain) break;
    plain = next;
  }
  return closeSigns(
    plain
      .normalize('NFKC')
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replaceAll('\u3002', '.'),
  );
}

/**
 * Removes the space around each `@`. A pattern that begins with any number of spaces would take time proportional to the square of their
 * number.
 */
function closeSigns(text: string): string {
  const parts = text.split('@');
  const closed = parts.map((part, index) => {
    const begun = index === 0 ? part : part.trimStart();
    return index === parts.length - 1 ? begun : begun.trimEnd();
  });
  return closed.join('@');
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&commat;': '@', '&period;': '.', '&plus;': '+' }),
);

function decodePercent(codes: string): string {
  try {
    return decodeURIComponent(codes);
  } catch {
    return codes;
  }
}

/** Longer than a valid mailbox or domain. */
const LONGEST_LOCAL = 100;
const LONGEST_DOMAIN = 255;

/** A mailbox with some known characters, at a domain. */
function emailsIn(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const [local = ''] = LOCAL.exec(text.slice(Math.max(0, at - LONGEST_LOCAL), at)) ?? [];
    const [domain] = DOMAIN.exec(text.slice(at + 1, at + 1 + LONGEST_DOMAIN)) ?? [];
    if (domain !== undefined && /[\p{L}\p{N}]/u.test(local) && !local.includes(OPEN_RUN)) {
      found.push(`${local}@${domain}`.replaceAll(OPEN, '.'));
    }
  }
  return found;
}

const LOCAL = new RegExp(`[\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~${OPEN}${OPEN_RUN}-]+$`, 'u');
/** An open part may be a dot, and the end of a domain. */
const DOMAIN = new RegExp(
  `^(?:[\\p{L}\\p{N}${OPEN}${OPEN_RUN}-]{1,63}(?:[.${OPEN}][\\p{L}\\p{N}${OPEN}${OPEN_RUN}-]{1,63}){0,9}?[.${OPEN}](?:[\\p{L}${OPEN}]{2}|${OPEN_RUN})[\\p{L}\\p{N}${OPEN}.-]{0,60}|${OPEN_RUN})`,
  'u',
);

const LONGEST_PHONE = 40;
/** International: a plus or two zeros, and 8 to 15 digits with the usual separators; after zeros, at least 10. */
const PHONE = /^\s*\(?(?:\+\)?[ ]?[1-9](?:[ ()./-]{0,3}\d){7,14}|00\)?[ ]?[1-9](?:[ ()./-]{0,3}\d){9,14})\s*$/;

function phoneIn(text: string): string[] {
  const named = text.slice(0, LONGEST_PHONE + 1).replace(/^\s*(?:tel:|mailto:)/i, '');
  return PHONE.test(named) ? [named.trim()] : [];
}

/** The most combinations of alternatives, and the most characters in all of them. */
const MOST_TEXTS = 1000;
const LONGEST = 10_000;

/**
 * The texts that a regular expression asks for: with each alternative, without anchors and repetitions, and with marks for characters that it
 * leaves open. `isCut`: the list is incomplete.
 */
export function textsOf(source: string): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const reader = { source: source.slice(0, LONGEST), at: 0, isCut: source.length > LONGEST };
  return { texts: readAlternatives(reader, 0), isCut: reader.isCut };
}

interface RegexReader {
  readonly source: string;
  at: number;
  isCut: boolean;
}

/** Deeper groups are not read. */
const DEEPEST = 50;

function readAlternatives(reader: RegexReader, depth: number): readonly string[] {
  const found: string[] = [];
  do {
    found.push(...readSequence(reader, depth));
  } while (take(reader, '|'));
  return found;
}

function readSequence(reader: RegexReader, depth: number): readonly string[] {
  let texts: readonly string[] = [''];
  while (reader.at < reader.source.length && peek(reader) !== '|' && !(peek(reader) === ')' && depth > 0)) {
    const atoms = repeated(readAtom(reader, depth), reader);
    const product = texts.length * atoms.length > MOST_TEXTS ? atoms.slice(0, MOST_TEXTS / texts.length) : atoms;
    if (product.length < atoms.length) reader.isCut = true;
    texts = texts.flatMap((text) => product.map((atom) => text + atom));
  }
  return texts;
}

function readAtom(reader: RegexReader, depth: number): readonly string[] {
  const character = next(reader);
  switch (character) {
    case '^':
    case '$':
      return [''];
    case '.':
      return [OPEN];
    case '\\':
      return [readEscape(reader)];
    case '[':
      return [readClass(reader)];
    case '(':
      if (depth < DEEPEST) return readGroup(reader, depth);
      reader.isCut = true;
      return [''];
    default:
      return [character];
  }
}

/** A look around and flags stand for no characters. */
function readGroup(reader: RegexReader, depth: number): readonly string[] {
  const [kind = ''] =
    /^\?(?:[imsux-]*[:)]|<?[=!]|P?<\w*>|#)/.exec(reader.source.slice(reader.at, reader.at + 60)) ?? [];
  reader.at += kind.length;
  if (kind.endsWith(')')) return [''];
  const texts = readAlternatives(reader, depth + 1);
  take(reader, ')');
  return /[=!#]$/.test(kind) ? [''] : texts;
}

/** Drops the repetition: once, or nothing for an open part that may be omitted. */
function repeated(atoms: readonly string[], reader: RegexReader): readonly string[] {
  const [whole = '', least = '', comma, most = ''] =
    /^(?:[*+?]|\{(\d{0,6})(,)?(\d{0,6})\})[?+]?/.exec(reader.source.slice(reader.at, reader.at + 20)) ?? [];
  if (whole === '' || whole.startsWith('{}') || whole.startsWith('{,}')) return atoms;
  reader.at += whole.length;
  const isUnbounded = /^[*+]/.test(whole) || (comma !== undefined && most === '');
  const mayBeEmpty = /^[*?]/.test(whole) || least === '' ? !whole.startsWith('+') : Number(least) === 0;
  return atoms.map((atom) => {
    if (!atom.includes(OPEN) && !atom.includes(OPEN_RUN)) return atom;
    if (isUnbounded) return atom.length === 1 ? OPEN_RUN : atom;
    if (mayBeEmpty && atom.length === 1) return '';
    return atom.repeat(Math.min(3, Number(least) || 1));
  });
}

/** `\x40`, `\u0040`, `\U00000040`, each also with braces, and `\100`. */
const CODES = /^(?:[xuU]\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{8})|0?([0-7]{3}))/;
/** Escapes of one character each. */
const CONTROLS: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', t: '\t', r: '\r', f: '\f' }));

function readEscape(reader: RegexReader): string {
  const [code, ...digits] = CODES.exec(reader.source.slice(reader.at, reader.at + 11)) ?? [];
  if (code !== undefined) {
    reader.at += code.length;
    const octal = digits.pop();
    const hex = digits.find((found) => found !== undefined) ?? '';
    const value = octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8);
    return value <= 0x10ffff ? String.fromCodePoint(value) : OPEN;
  }
  const character = next(reader);
  if (/[bBAzZG]/.test(character)) return '';
  if (/[pP]/.test(character)) {
    reader.at += /^(?:\{[^}]{0,40}\}|.)/.exec(reader.source.slice(reader.at, reader.at + 42))?.[0].length ?? 0;
    return OPEN;
  }
  if (/[dDwWsShHvNRX]/.test(character)) return OPEN;
  return CONTROLS.get(character) ?? character;
}

/** A class of a few characters stands for the one that an address needs; any other leaves it open. */
function readClass(reader: RegexReader): string {
  const members: string[] = [];
  const isNegated = take(reader, '^');
  for (let first = true; reader.at < reader.source.length && (first || peek(reader) !== ']'); first = false) {
    const character = next(reader);
    members.push(character === '\\' ? readEscape(reader) : character);
  }
  take(reader, ']');
  if (isNegated || members.length > 8 || members.includes(OPEN) || members.slice(1, -1).includes('-')) return OPEN;
  const distinct = new Set(members.map((member) => member.toLowerCase()));
  const [first = ''] = distinct;
  return ['@', '.', '+'].find((wanted) => distinct.has(wanted)) ?? (distinct.size <= 1 ? first : OPEN);
}

function peek({ source, at }: RegexReader): string {
  return source.charAt(at);
}

function next(reader: RegexReader): string {
  const character = String.fromCodePoint(reader.source.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  return character;
}

function take(reader: RegexReader, character: string): boolean {
  const isNext = peek(reader) === character;
  if (isNext) reader.at += 1;
  return isNext;
}
