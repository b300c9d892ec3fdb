import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBatchReader, type StoredObject } from '../../../src/loop/git/objects.ts';
import { holds } from '../../helpers/runs.ts';

const ID = 'a'.repeat(40);

const answer = fc.option(fc.string({ maxLength: 30 }).map((text) => Buffer.from(`\n${text}\n${ID} blob 3\n`)));

test('answers are read wherever the output of git is cut', () => {
  holds(200, [fc.array(answer, { maxLength: 5 }), fc.array(fc.nat(200))], (bodies, cuts) => {
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
  });
});

test('of an object that is too large, the first part and the size are read, and the next one is whole', () => {
  const sizes = [20_000_000, 20_000_001, 3];
  const read: (StoredObject | undefined)[] = [];
  const take = createBatchReader((object) => read.push(object));
  for (const size of sizes) {
    take(Buffer.from(`${ID} blob ${size}\n`));
    take(Buffer.from('abc'));
    const rest = Buffer.alloc(size + 1 - 3, 'x');
    take(rest.subarray(0, 5));
    take(rest.subarray(5));
  }
  expect(read.map((object) => [object?.size, object?.bytes?.length, object?.start?.toString()])).toEqual([
    [20_000_000, 20_000_000, undefined],
    [20_000_001, undefined, 'abc'],
    [3, 3, undefined],
  ]);
});

test('what is no object is one that is missing, whatever git says of it', () => {
  const read: (StoredObject | undefined)[] = [];
  const take = createBatchReader((object) => read.push(object));
  for (const line of ['x missing', 'abc ambiguous', `${ID} blob`, `${ID} blob 1x`, `x${ID} blob 1`, '']) {
    take(Buffer.from(`${line}\n`));
  }
  expect(read).toEqual(Array.from({ length: 6 }));
});
