/** Manifests at several times. Between two steps of rollouts nothing that they declare changes, so each stretch of time is resolved once. */

import { readRollout } from '../../rollout/read-rollout.ts';
import type { ManifestFile } from './manifests.ts';

/** `resolve` is called with a time of each stretch that is asked about. */
export function overTime<Resolved>(
  files: readonly ManifestFile[],
  resolve: (at: number) => Resolved,
): (at: number) => Resolved {
  const times = [...new Set(files.flatMap(stepTimes))];
  const known = new Map<number, Resolved>();
  return (at) => {
    const stretch = times.filter((time) => time <= at).length;
    const found = known.get(stretch) ?? resolve(at);
    known.set(stretch, found);
    return found;
  };
}

function stepTimes({ declarations }: ManifestFile): number[] {
  const written = declarations.flatMap(({ rollouts = [] }) => rollouts);
  return written.flatMap(({ written: one }) => readRollout(one).rollout?.steps.map(({ at }) => Date.parse(at)) ?? []);
}
