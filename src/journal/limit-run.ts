/** Limits a recorded run to some flags, so that only those of its changes are undone. */

import { reach } from '../base/graph.ts';
import { matchKeys, unmatchedPatterns } from '../engine/scope.ts';
import { readReference } from '../posthog/filter-tree.ts';
import { cohortValues, namedFlags } from '../posthog/flag/references.ts';
import { kindFor, nameOfChange } from '../posthog/kinds.ts';
import type { Change } from '../posthog/plan.ts';
import type { Run } from './read.ts';
import { wasSent } from './undo.ts';

export interface LimitedRun {
  readonly run: Run;
  /** Targets that match no flag that the run wrote. */
  readonly unmatched: readonly string[];
  /** The keys of the flags that the run wrote. */
  readonly keys: readonly string[];
}

/**
 * The changes of the targets, and of the flags that they depended on before the run: a flag whose dependency stays deleted or
 * disabled could not get its conditions back.
 */
export function limitRun(run: Run, targets: readonly string[]): LimitedRun {
  const sent = run.plan.changes.filter((change) => wasSent(run, change));
  const keys = [...new Set(sent.flatMap(keysOf))].sort();
  const changesOf = (key: string): readonly Change[] => sent.filter((change) => keysOf(change).includes(key));
  const reached = reach(keys.filter(matchKeys(targets)), (key) =>
    changesOf(key).flatMap((change) => [...keysOf(change), ...formerDependencies(change, sent)]),
  );
  const changes = run.plan.changes.filter((change) => keysOf(change).some((key) => reached.has(key)));
  return { run: { ...run, plan: { ...run.plan, changes } }, unmatched: unmatchedPatterns(targets, keys), keys };
}

/** The keys by which options name the resource, after the run and before it. */
function keysOf(change: Change): readonly string[] {
  return [nameOfChange(change), kindFor(change).liveKey(change)];
}

function formerDependencies(change: Change, sent: readonly Change[]): readonly string[] {
  if (change.resource !== 'flag' || change.action === 'create') return [];
  const { filters } = change.base.former;
  const ids = cohortValues(filters).map(readReference);
  const cohorts = sent.filter(({ resource, id }) => resource === 'cohort' && id !== undefined && ids.includes(id));
  return [...namedFlags(filters), ...cohorts.flatMap(keysOf)];
}
