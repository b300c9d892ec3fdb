/** The parts of a regular expression of the service, whose dialect is Rust's fancy-regex 0.17 (docs/evaluation.md, "Regular expressions"). */

export type PatternNode =
  /** One character of a set; `set` is a source for JavaScript's flag `u`. `isBig`: Unicode's tables decide. */
  | { readonly kind: 'set'; readonly set: string; readonly isBig: boolean }
  /** `isHard`: the service leaves it to its own engine, which counts steps. */
  | { readonly kind: 'assertion'; readonly source: string; readonly isHard: boolean }
  | { readonly kind: 'group'; readonly number: number; readonly body: PatternNode }
  | { readonly kind: 'look'; readonly opening: LookOpening; readonly body: PatternNode }
  | { readonly kind: 'atomic'; readonly body: PatternNode }
  | RepeatNode
  | { readonly kind: 'reference'; readonly group: number }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] };

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly body: PatternNode;
  readonly least: number;
  readonly most: number;
  readonly isLazy: boolean;
}

export type LookOpening = '(?=' | '(?!' | '(?<=' | '(?<!';

/** Ends the reading of a pattern. */
export class PatternFault extends Error {
  /** `invalid`: the service cannot use the pattern. `unknown`: nobody here knows what it makes of it. */
  readonly kind: 'invalid' | 'unknown';
  /** Why, as a clause. */
  readonly reason: string;

  constructor(kind: PatternFault['kind'], reason: string) {
    super(reason);
    this.kind = kind;
    this.reason = reason;
  }
}

export function invalid(reason: string): PatternFault {
  return new PatternFault('invalid', reason);
}

/** `part`: the part of the pattern that is not translated. */
export function untranslated(part: string): PatternFault {
  return new PatternFault('unknown', `${part} is not translated`);
}
