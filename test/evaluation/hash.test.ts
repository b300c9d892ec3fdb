/** The hash against the service's published algorithm, implemented again with big integers. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdoutHash, rolloutHash, variantHash } from '../../src/evaluation/hash.ts';

const VECTORS: readonly (readonly [string, number, number, number])[] = [
  ['user-1', 0.5293013589753516, 0.4683496507347886, 0.17805599206573022],
  ['user-2', 0.5753851795099535, 0.7806228581125657, 0.928387330790184],
  ['acme-co', 0.483966524661983, 0.8550516717212916, 0.8689869983692718],
];

describe('hashes', () => {
  it.each(VECTORS)('of %s for checkout-v2', (identifier, rollout, variant, holdout) => {
    expect(rolloutHash('checkout-v2', identifier)).toBe(rollout);
    expect(variantHash('checkout-v2', identifier)).toBe(variant);
    expect(holdoutHash(identifier)).toBe(holdout);
  });

  it('are 0 for an empty identifier, except for holdouts', () => {
    expect(rolloutHash('checkout-v2', '')).toBe(0);
    expect(variantHash('checkout-v2', '')).toBe(0);
    expect(holdoutHash('')).toBeGreaterThan(0);
  });

  it.each([
    ['short ones', fc.string({ minLength: 1 })],
    ['those of about one block', fc.string({ minLength: 46, maxLength: 54 })],
    ['those beyond ASCII', fc.string({ unit: 'grapheme', minLength: 1 })],
  ])('round as one division of the first fifteen digits does: %s', (_, identifiers) => {
    fc.assert(
      fc.property(identifiers, (identifier) => {
        const digits = createHash('sha1').update(`flag.${identifier}`).digest('hex').slice(0, 15);
        expect(rolloutHash('flag', identifier)).toBe(Number(BigInt(`0x${digits}`)) / Number(0xfffffffffffffffn));
      }),
    );
  });
});
