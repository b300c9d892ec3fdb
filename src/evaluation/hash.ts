/** Hashes that spread identifiers evenly between 0 and 1 (docs/evaluation.md, "Hashing"). */

import { hash } from 'node:crypto';

/** Fifteen hexadecimal digits `f`. As a double it rounds to 2^60, here and in the service. */
const SCALE = Number(0xfffffffffffffffn);

/** Decides whether a condition's rollout includes the identifier. */
export function rolloutHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, '');
}

/** Decides the variant of the identifier; its salt makes it independent of the rollout. */
export function variantHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, 'variant');
}

/** Does not contain the flag's key: a person is held out of all flags of a holdout or of none. */
export function holdoutHash(identifier: string, prefix: string = HOLDOUT_PREFIX): number {
  return fraction(prefix + identifier);
}

export const HOLDOUT_PREFIX = 'holdout-';

// An empty identifier hashes to 0, which every rollout includes. Conditions for which that would be wrong are skipped
// before.
function keyedHash(flagKey: string, identifier: string, salt: string): number {
  return identifier === '' ? 0 : fraction(`${flagKey}.${identifier}${salt}`);
}

/**
 * Two exact halves of the first 60 bits: the sum and the quotient are each rounded once. A digest as a string takes a third of the time of
 * one as a buffer.
 */
function fraction(text: string): number {
  const digest = hash('sha1', text, 'binary');
  return (bitsAt(digest, 0) * 2 ** 28 + (bitsAt(digest, 4) >>> 4)) / SCALE;
}

/** 32 bits from a byte on, the first one highest. */
function bitsAt(digest: string, at: number): number {
  const byte = (index: number): number => digest.charCodeAt(at + index);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}
