/** The number of runs of a property: its usual number times `PROPERTY_RUNS`, which `npm run test:long` sets to 10. */

import { env } from 'node:process';

export function runs(usual: number): number {
  return Math.max(1, Math.ceil(usual * Number(env['PROPERTY_RUNS'] ?? 1)));
}
