import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBatchReader, type StoredObject } from '../../src/git/batch-reader.ts';
import { runs } from '../helpers/runs.ts';

const ID = 'a'.repeat(40);

const answer = fc.option(fc.string({ maxLength: 30 }).map((text) => Buffer.from(`\n${text}\n${ID} blob 3\n`)));

test('answers are read wherever the output of git is cut', () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 5 }), fc.array(fc.nat(200)), (bodies, cuts) => {
      const output = Buffer.concat(
        bodies.flatMap((body) =>
          body === null
            ? [Buffer.from('gone missing\n')]
            : [Buffer.from(`${ID} blob ${body.length}\n`), body, Buffer.from('\n')],
        ),
      );
      const read: (StoredObject | undefined)[] = [];
      const take = createBatchReader((object) => read.push(object));
      const ends = [...cuts.toSorted((a, b) => a - b), output.length];
      ends.forEach((end, index) => take(output.subarray(ends[index - 1] ?? 0, end)));
      expect(read.map((object) => object?.bytes?.toString())).toEqual(bodies.map((body) => body?.toString()));
    }),
    { numRuns: runs(200) },
  );
});
