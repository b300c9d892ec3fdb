/**
 * The number of runs of a property: the number that it names times `PROPERTY_RUNS`, which `npm run test:long` sets to 10.
 * Without it a quarter of them, so that the suite stays short.
 */

import { env } from 'node:process';

export function runs(usual: number): number {
  return Math.max(1, Math.ceil(usual * Number(env['PROPERTY_RUNS'] ?? 1 / 4)));
}
