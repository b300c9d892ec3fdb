/** Many hashes at once against each of them. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdoutHash, rolloutHash } from '../../src/evaluation/hash.ts';
import { createManyHashes, type ManyHashes } from '../../src/evaluation/hash-many.ts';
import { createSha1Lanes, type Sha1Lanes } from '../../src/evaluation/sha1-lanes.ts';
import { runs } from '../helpers/runs.ts';

const MOST = 9;
const idle: Sha1Lanes = { memory: new ArrayBuffer(0x10000), compress: () => undefined };

it('vectors hash what is short enough', () => {
  let blocks = 0;
  const many = createManyHashes(5, (pages) => {
    const lanes = createSha1Lanes(pages);
    if (lanes === undefined) return undefined;
    const compress: Sha1Lanes['compress'] = (...given) => {
      blocks += 1;
      lanes.compress(...given);
    };
    return { ...lanes, compress };
  });
  many.load(['a', 'b', 'c', 'd', 'e']);
  blocks = 0;
  many.hash('flag.', new Float64Array(5));
  expect(blocks).toBe(2);
});

it.each([
  ['with vectors', createManyHashes(MOST)],
  ['without them', createManyHashes(MOST, () => undefined)],
  ['with some that are wrong', createManyHashes(MOST, () => idle)],
])('each hash is that of the flag and the identifier, %s', (_, many) => {
  const text = fc.oneof(fc.string({ maxLength: 130 }), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  const identifiers = fc.array(text.filter(Boolean), { maxLength: MOST });
  fc.assert(
    fc.property(fc.array(fc.tuple(identifiers, fc.array(text, { minLength: 1 })), { minLength: 1 }), (batches) => {
      for (const [ids, keys] of batches) {
        many.load(ids);
        for (const key of keys) expect(hashes(many, `${key}.`, ids)).toEqual(ids.map((id) => rolloutHash(key, id)));
        expect(hashes(many, 'holdout-', ids)).toEqual(ids.map((id) => holdoutHash(id)));
      }
    }),
    { numRuns: runs(100) },
  );
});

it.each([0, 1, 3, 4, 5, 51, 52, 55, 56, 59, 60, 63, 64, 65, 115, 118, 119, 120, 200])(
  'messages of all lengths are hashed, after a prefix of %s bytes and a point',
  (length) => {
    const many = createManyHashes(130);
    const ids = Array.from({ length: 130 }, (_, index) => 'x'.repeat(index + 1));
    const key = 'k'.repeat(length);
    many.load(ids);
    expect(hashes(many, `${key}.`, ids)).toEqual(ids.map((id) => rolloutHash(key, id)));
  },
);

function hashes(many: ManyHashes, prefix: string, texts: readonly string[]): number[] {
  const found = new Float64Array(texts.length);
  many.hash(prefix, found);
  return [...found];
}
