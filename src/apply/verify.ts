/** Reads back what was applied and reports what still differs, path by path. */

import type { Remainder } from '../engine/diff.ts';
import type { ReadBack } from '../engine/writer.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import type { RunState } from '../posthog/run-state.ts';
import { KINDS } from '../posthog/kinds.ts';
import type { ChangeResult } from './result.ts';

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
  for (const { name, writer } of KINDS) {
    const changes = applied.filter(({ resource }) => resource === name);
    remainder.push(...(await writer.readBack(changes, verification)));
  }
  return remainder.map((rest) => (verification.sent.has(rest.ref) ? rest : withoutBlame(rest)));
}

/** An earlier run or another user wrote the value, so others than the service may have changed it since. */
function withoutBlame(rest: Remainder): Remainder {
  const ofService = rest.reason === 'service_changed_value' || rest.reason === 'service_dropped_value';
  return ofService ? { ...rest, reason: 'changed_afterwards' } : rest;
}
