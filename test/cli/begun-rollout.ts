/** A rollout whose first step was made, for tests of what happens then. */

import { expect } from 'vitest';
import { timedStage, type TimedStage } from '../helpers/timed-stage.ts';

/** Applied at the start, and an hour later, when the first step was due. `argv`: further words of both runs. */
export async function begunRollout(
  manifest: string,
  options: Parameters<typeof timedStage>[1] = {},
  ...argv: string[]
): Promise<TimedStage> {
  const staged = await timedStage(manifest, options);
  for (const hours of [0, 1]) expect(await staged.runAt(hours, 'apply', '--yes', ...argv)).toMatchObject({ code: 0 });
  return staged;
}
