/** Reads back what was applied and reports what still differs, path by path. Only this read proves that `off` turned a flag off. */

import type { Remainder } from '../engine/diff.ts';
import type { ReadBack } from '../engine/writer.ts';
import type { ServiceClient } from '../posthog/service-client.ts';
import { byKind } from '../posthog/kinds.ts';
import type { RunState } from '../posthog/run-state.ts';
import type { ChangeResult, Outcome } from './result.ts';

export interface Verification extends ReadBack<RunState, ServiceClient> {
  /** The changes that this run sent itself, by ref. */
  readonly sent: ReadonlySet<string>;
}

/** @throws {ServiceError} when what was written cannot be read. */
export async function findRemainder(
  results: readonly ChangeResult[],
  verification: Verification,
): Promise<readonly Remainder[]> {
  const applied = results.filter(({ result }) => result.outcome === 'applied').map(({ change }) => change);
  const remainder: Remainder[] = [];
  for (const { kind, own } of byKind(applied)) remainder.push(...(await kind.writer.readBack(own, verification)));
  return remainder.map((rest) => (verification.sent.has(rest.ref) ? rest : withoutBlame(rest)));
}

/** An earlier run or another user wrote the value, so not only the service may have changed it since. */
function withoutBlame(rest: Remainder): Remainder {
  const ofService = rest.reason === 'service_changed_value' || rest.reason === 'service_dropped_value';
  return ofService ? { ...rest, reason: 'changed_afterwards' } : rest;
}

/** `remainder`: absent if nothing could be read. An answer alone is no proof: a proxy or a replica may have given it. */
export function provenOutcomes(
  results: readonly ChangeResult[],
  remainder: readonly Remainder[] | undefined,
): readonly Outcome[] {
  return results.map(({ change, result }) => {
    if (result.outcome !== 'applied') return result;
    if (remainder === undefined) return notVerified('the flag could not be read after the write');
    const rest = remainder.find(({ ref }) => ref === change.ref);
    if (rest === undefined) return result;
    if (rest.reason === 'not_found') return notVerified('the flag was not found after the write');
    const error = { code: 'not_stored', message: 'the service accepted the write, and the flag is not as written' };
    return { outcome: 'failed', error };
  });
}

function notVerified(message: string): Outcome {
  return { outcome: 'unknown', error: { code: 'not_verified', message } };
}
