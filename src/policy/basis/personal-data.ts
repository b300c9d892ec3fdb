/** Whether a text identifies a person, in any spelling. Takes time proportional to the length of any text. */

import { OPEN, OPEN_RUN, textsOf } from './regex-texts.ts';

export type PersonalData = 'email' | 'phone';

export interface PersonalDataOptions {
  /** The text is a regular expression. */
  readonly isRegex: boolean;
  /** Accepts addresses and numbers that identify nobody. */
  readonly isAllowed: (found: string) => boolean;
}

/** Finds only unambiguous data: a pattern for a whole domain or for many addresses identifies nobody. */
export function findPersonalData(text: string, { isRegex, isAllowed }: PersonalDataOptions): PersonalData | undefined {
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
      .replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (whole, hex?: string, decimal?: string) =>
        decodeEntity(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), whole),
      )
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

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&commat;', '@'],
  ['&period;', '.'],
  ['&plus;', '+'],
]);

function decodePercent(codes: string): string {
  try {
    return decodeURIComponent(codes);
  } catch {
    return codes;
  }
}

function decodeEntity(code: number, whole: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
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
