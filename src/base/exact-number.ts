/**
 * Numbers that a double cannot hold: reading one with `Number` would silently change it. A whole number becomes a bigint,
 * any other one a `LongDecimal`; both are used for nothing that a double holds, so that equal numbers have one form.
 */

/** A number that neither a double nor a bigint holds, such as `1.00000000000000000001`: kept as it was written. */
export class LongDecimal {
  readonly #literal: string;

  constructor(literal: string) {
    this.#literal = literal;
  }

  toString(): string {
    return this.#literal;
  }

  /** Makes `JSON.stringify` throw, as it does for a bigint, instead of writing an empty object. */
  toJSON(): bigint {
    return 0n;
  }

  equals(other: LongDecimal): boolean {
    return this.normal() === other.normal();
  }

  /** The same for all spellings of the number. */
  normal(): string {
    return decimal(this.#literal);
  }
}

/** More digits, and no exponent that stands for them, are worked with. */
const MOST_DIGITS = 1000;

/** The number that a literal of JSON or YAML stands for, with all its digits. */
export function exactNumber(literal: string): number | bigint | LongDecimal {
  if (!isRounded(literal)) return Number(literal);
  return wholeNumber(literal) ?? new LongDecimal(literal);
}

/**
 * Whether a number as it is written is another one once it is read as a double: `9007199254740993`, `1e400`. A double
 * stands for the shortest decimal that reads as it, as it is written again: `1e20` and `0.1` are not rounded.
 */
export function isRounded(literal: string): boolean {
  return decimal(literal) !== decimal(String(Number(literal)));
}

/** Whether JSON text holds such a number; numbers inside of strings do not count. */
export function holdsRoundedNumber(jsonText: string): boolean {
  for (const [token] of jsonText.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && isRounded(token)) return true;
  }
  return false;
}

/** In valid JSON text. */
export const STRING_OR_NUMBER: RegExp = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

interface Parts {
  readonly sign: string;
  /** Neither the first nor the last is 0; empty for the number 0. */
  readonly digits: string;
  readonly scale: number;
}

function partsOf(literal: string): Parts | undefined {
  const found = literal.length > MOST_DIGITS ? null : /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(literal);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return Number.isSafeInteger(scale) ? { sign: sign === '-' ? '-' : '', digits: significant, scale } : undefined;
}

/** One form for all spellings of a decimal number: `1.50`, `15e-1` and `1.5` are the same. */
function decimal(literal: string): string {
  const parts = partsOf(literal);
  if (parts === undefined) return literal;
  return parts.digits === '' ? '0' : `${parts.sign}${parts.digits}e${parts.scale}`;
}

function wholeNumber(literal: string): bigint | undefined {
  const { sign, digits, scale } = partsOf(literal) ?? { sign: '', digits: '', scale: -1 };
  return scale < 0 || digits.length + scale > MOST_DIGITS ? undefined : BigInt(`${sign}${digits}${'0'.repeat(scale)}`);
}
