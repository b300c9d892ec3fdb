/** What an outcome says about the run that it belongs to. */

import type { ChangeResult, Outcome } from '../apply/result.ts';

/** Found as the plan wants it; nothing was sent. */
export function wasAlready({ result }: ChangeResult): boolean {
  return result.outcome === 'applied' && result.already === true;
}

/** The run did not get to it, or not to its end: resuming the run does. */
export function wasStopped(result: Outcome): boolean {
  if (result.outcome !== 'skipped') return result.outcome === 'unknown';
  return ['interrupted', 'deadline', 'not_recorded'].includes(result.reason.code);
}
