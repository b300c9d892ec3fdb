/** A rollout whose steps wait for a guard, and the file of verdicts that the guard reads. */

import { expect } from 'vitest';
import { hour, timedStage, type TimedStage } from './timed-stage.ts';

/** `checkout` has a step after one hour and after five. */
export const guardedBy = (guard: string): string => `flags:
  checkout:
    active: true
    rollout_percentage:
      guard: ${guard}
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(5)}, to: 50 }
`;

/** The verdict that guards call `error-budget`. */
export const verdict = (says: string, at: number, reason?: string): string =>
  JSON.stringify({ verdicts: [{ name: 'error-budget', verdict: says, at: hour(at), ...(reason && { reason }) }] });

export const GIVEN: readonly string[] = ['--verdicts', 'verdicts.json'];

/** At 10% since the first hour; the guard let that step through. */
export async function begunGuarded(config: string, manifest: string = guardedBy('budget')): Promise<TimedStage> {
  const staged = await timedStage(manifest, { config });
  staged.write('verdicts.json', verdict('pass', 1));
  for (const hours of [0, 1]) expect(await staged.runAt(hours, 'apply', '--yes', ...GIVEN)).toMatchObject({ code: 0 });
  return staged;
}
