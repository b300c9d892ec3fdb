/** Names the recorded runs of `off` among who made differences: the journal tells what the log may not. */

import { defined } from '../../base/optional.ts';
import type { Attribution, Attributions, KnownAttribution } from '../attribution.ts';
import type { Plan } from '../plan.ts';
import { takenBack, type TurnedOff, type TurnedOffFlags } from '../turned-off.ts';

/** An entry of the log by another author has priority. */
export function withTurnedOff(
  attributions: Attributions,
  { changes }: Pick<Plan, 'changes'>,
  turnedOff: TurnedOffFlags = new Map(),
): Attributions {
  const found = new Map(attributions);
  for (const change of changes) {
    const off = change.resource === 'flag' && change.id !== undefined ? turnedOff.get(change.id) : undefined;
    if (off === undefined || !('fields' in change)) continue;
    const own = new Map(found.get(change.ref));
    for (const { path } of takenBack(change.fields, off)) own.set(path, attributionOf(own.get(path), off));
    if (own.size > 0) found.set(change.ref, own);
  }
  return found;
}

function attributionOf(logged: Attribution | undefined, off: TurnedOff): KnownAttribution {
  const { run, at, by, reason } = off;
  const facts = { run, off: defined({ reason }) };
  if (logged?.kind !== 'known') return { kind: 'known', ...defined({ by }), at, via: 'apply', ...facts };
  return logged.run === run ? { ...logged, ...facts } : logged;
}
