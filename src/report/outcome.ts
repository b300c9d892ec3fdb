/** What the outcome of a change means for its run. */

import type { ChangeResult, Outcome } from '../apply/result.ts';

/** The live state already matched the plan; nothing was sent. */
export function wasAlready({ result }: ChangeResult): boolean {
  return result.outcome === 'applied' && result.already === true;
}

/** The run did not start or did not finish the change; resuming the run does. */
export function wasStopped(result: Outcome): boolean {
  if (result.outcome !== 'skipped') return result.outcome === 'unknown';
  return ['interrupted', 'deadline', 'not_recorded', 'key_refused'].includes(result.reason.code);
}
