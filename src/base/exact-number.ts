/**
 * Numbers that a double cannot hold, which `Number` would silently change. An integer becomes a bigint, any other number a
 * `LongDecimal`. Neither is used for a number that a double holds, so that equal numbers have one form.
 */

/** A number that neither a double nor a bigint holds, such as `1.00000000000000000001`; keeps its spelling. */
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

  /** Equal for all spellings of the number. */
  normal(): string {
    return decimal(this.#literal);
  }
}

/** The largest number of digits that is expanded, including those that an exponent stands for. */
const MOST_DIGITS = 1000;

/** The value of a JSON or YAML number literal, with all its digits. */
export function exactNumber(literal: string): number | bigint | LongDecimal {
  if (!isRounded(literal)) return Number(literal);
  return wholeNumber(literal) ?? new LongDecimal(literal);
}

/**
 * Whether reading a literal as a double changes the number: `9007199254740993`, `1e400`. A double counts as the shortest
 * decimal that reads as it, so `1e20` and `0.1` are not rounded.
 */
export function isRounded(literal: string): boolean {
  return decimal(literal) !== decimal(String(Number(literal)));
}

/** Whether JSON text has a number that is rounded; digits within strings do not count. */
export function holdsRoundedNumber(jsonText: string): boolean {
  for (const [token] of jsonText.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && isRounded(token)) return true;
  }
  return false;
}

/** Matches the strings and numbers of valid JSON text. */
export const STRING_OR_NUMBER: RegExp = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** A number as `digits` times ten to the power of `scale`. */
export function decimalParts(value: number): { readonly digits: bigint; readonly scale: number } {
  const { sign, digits, scale } = parseLiteral(String(value)) as NumberParts;
  return { digits: BigInt(sign + (digits === '' ? '0' : digits)), scale: digits === '' ? 0 : scale };
}

interface NumberParts {
  readonly sign: string;
  /** The digits without leading and trailing zeros; empty for the number 0. */
  readonly digits: string;
  readonly scale: number;
}

function parseLiteral(literal: string): NumberParts | undefined {
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
  const parts = parseLiteral(literal);
  if (parts === undefined) return literal;
  return parts.digits === '' ? '0' : `${parts.sign}${parts.digits}e${parts.scale}`;
}

function wholeNumber(literal: string): bigint | undefined {
  const { sign, digits, scale } = parseLiteral(literal) ?? { sign: '', digits: '', scale: -1 };
  return scale < 0 || digits.length + scale > MOST_DIGITS ? undefined : BigInt(`${sign}${digits}${'0'.repeat(scale)}`);
}
