/** The hash that spreads identifiers evenly between 0 and 1 (docs/evaluation.md, "Hashing"). */

import { hash } from 'node:crypto';

/** Fifteen hexadecimal digits of ones. As a double it rounds to 2^60, in the service as here. */
const SCALE = Number(0xfffffffffffffffn);

/** Decides whether a condition's roll-out includes the identifier. */
export function rolloutHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, '');
}

/** Decides which variant the identifier gets; independent of the roll-out by its salt. */
export function variantHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, 'variant');
}

/** Without the flag's key: one person is held out of all flags of a holdout, or of none. */
export function holdoutHash(identifier: string): number {
  return fraction(`holdout-${identifier}`);
}

// Nobody to hash is 0, which every roll-out includes; where that would be wrong the condition was skipped before.
function keyedHash(flagKey: string, identifier: string, salt: string): number {
  return identifier === '' ? 0 : fraction(`${flagKey}.${identifier}${salt}`);
}

// The first 60 bits in two exact halves, so that their sum and the quotient are each rounded once.
function fraction(text: string): number {
  const digest = hash('sha1', text, 'buffer');
  return (digest.readUInt32BE(0) * 2 ** 28 + (digest.readUInt32BE(4) >>> 4)) / SCALE;
}
