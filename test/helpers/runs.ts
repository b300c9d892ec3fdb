/** Properties, each with a number of runs that `npm run test:long` multiplies. */

import { env } from 'node:process';
import fc from 'fast-check';

type Arbitraries<Values extends readonly unknown[]> = { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> };

/**
 * The number of runs of a property: the number that it names times `PROPERTY_RUNS`, which `npm run test:long` sets to 10.
 * Without it a quarter of them, so that the suite stays short.
 */
export function runs(usual: number): number {
  return Math.max(1, Math.ceil(usual * Number(env['PROPERTY_RUNS'] ?? 1 / 4)));
}

/** Asserts that the predicate holds for all values. */
export function holds<Values extends readonly unknown[]>(
  usual: number,
  values: Arbitraries<Values>,
  predicate: (...values: Values) => boolean | void,
): void {
  const property = fc.property(...([...values, predicate] as unknown as Parameters<typeof fc.property>));
  fc.assert(property, { numRuns: runs(usual) });
}

export async function holdsAsync<Values extends readonly unknown[]>(
  usual: number,
  values: Arbitraries<Values>,
  predicate: (...values: Values) => Promise<boolean | void>,
): Promise<void> {
  const property = fc.asyncProperty(...([...values, predicate] as unknown as Parameters<typeof fc.asyncProperty>));
  await fc.assert(property, { numRuns: runs(usual) });
}

/** Random numbers from 0 to 1 that a seed decides: Mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
