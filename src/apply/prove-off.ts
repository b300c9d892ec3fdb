/** What is said of a flag that `off` turned off: that it is off only if a read after the write shows it. */

import type { Remainder } from '../engine/diff.ts';
import type { ChangeResult, Outcome } from './result.ts';

/** `remainder`: absent if nothing could be read. An answer alone is no proof: a proxy or a replica may have given it. */
export function provenOutcomes(
  results: readonly ChangeResult[],
  remainder: readonly Remainder[] | undefined,
): readonly Outcome[] {
  return results.map(({ change, result }) => {
    if (result.outcome !== 'applied') return result;
    if (remainder === undefined) return unknown('not_verified', 'the flag could not be read after the write');
    const rest = remainder.find(({ ref }) => ref === change.ref);
    if (rest === undefined) return result;
    if (rest.reason === 'not_found') return unknown('not_verified', 'the flag was not found after the write');
    const error = { code: 'not_stored', message: 'the service accepted the write, and the flag is not as written' };
    return { outcome: 'failed', error };
  });
}

function unknown(code: string, message: string): Outcome {
  return { outcome: 'unknown', error: { code, message } };
}
