/** Finds which changes of a recorded run can be undone, and what undoing them needs to read. */

import type { Outcome, PendingRequest, WrittenParts } from '../apply/result.ts';
import { earlierOutcome } from '../apply/resume.ts';
import { reach } from '../../base/graph.ts';
import { defined } from '../../base/optional.ts';
import { matchKeys, unmatchedPatterns } from '../../core/engine/scope.ts';
import type { SealOptions } from '../../core/engine/seal-plan.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { readReference } from '../../posthog/flag/model/cohort-filters.ts';
import { cohortValues, namedFlags } from '../../posthog/flag/model/references.ts';
import { stagesOfCreate, writtenPart } from '../../posthog/flag/split-change.ts';
import { type AppliedChange, type Inversion, invertPlan } from '../../posthog/planning/invert-plan.ts';
import { kindFor, nameOfChange } from '../../posthog/kinds.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change } from '../../posthog/plan.ts';
import { openRun, type RunState } from '../../posthog/run-state.ts';
import { type LiveSelection, selectionToUndo } from '../../posthog/live-selection.ts';
import type { Run } from './read.ts';

export interface InvertedRun extends Inversion {
  /** The live state that the plan was computed against. */
  readonly live: LiveState;
}

/**
 * The changes that the run itself made, in the plan's order: those that the journal records as applied, those that were sent without an
 * answer and are live now, and the written parts of those that were sent in parts. A change that was already in effect is not undone.
 */
export function appliedChanges(run: Run, live: LiveState): readonly AppliedChange[] {
  const { changes } = run.plan;
  const state = openRun(live, changes, { resumed: true });
  return changes.flatMap((change) => {
    const parts = writtenParts(run, change);
    if (parts !== undefined && change.resource === 'flag') {
      return [{ change: writtenPart(change, parts.written), ...defined({ id: parts.id }) }];
    }
    const outcome = earlierOutcome(change, run, state) ?? createdPart(change, run, state);
    if (outcome?.outcome !== 'applied' || outcome.already === true) return [];
    return [{ change, ...defined({ id: outcome.id }) }];
  });
}

/** The parts of a change that is written only in part. */
function writtenParts({ outcomes }: Pick<Run, 'outcomes'>, { ref }: Pick<Change, 'ref'>): WrittenParts | undefined {
  const outcome = outcomes.get(ref);
  const parts = outcome === undefined || outcome.outcome === 'applied' ? undefined : outcome.parts;
  return parts === undefined || parts.written.length === 0 ? undefined : parts;
}

/** Finds a create that was interrupted between its parts: the flag exists, disabled. */
function createdPart(change: Change, { sent }: Run, state: RunState): Outcome | undefined {
  if (change.resource !== 'flag' || change.action !== 'create' || !sent.has(change.ref)) return undefined;
  const [id] = stagesOfCreate(change.body).flatMap((body) => {
    const made = { ...change, body };
    return kindFor(made).writer.findEffect(made, state) ?? [];
  });
  return id === undefined ? undefined : { outcome: 'applied', id };
}

/** Whether the run wrote the change or a part of it, or may have. */
export function wasSent(run: Pick<Run, 'applied' | 'sent' | 'outcomes'>, change: Pick<Change, 'ref'>): boolean {
  return run.applied.has(change.ref) || run.sent.has(change.ref) || writtenParts(run, change) !== undefined;
}

/** Whether the run may have made a change that can be undone. */
export function mayBeUndone({ plan, ...run }: Run): boolean {
  if (run.sent.size > 0 || [...run.applied.values()].some((outcome) => !('already' in outcome))) return true;
  return plan.changes.some((change) => writtenParts(run, change) !== undefined);
}

/** The change requests that were open when the run ended. They have written nothing, so an undo does not withdraw them. */
export function requestsOf({
  plan,
  outcomes,
}: Pick<Run, 'plan' | 'outcomes'>): readonly { readonly key: string; readonly request: PendingRequest }[] {
  return plan.changes.flatMap(({ ref, key }) => {
    const outcome = outcomes.get(ref);
    return outcome?.outcome === 'pending' && outcome.request !== undefined ? [{ key, request: outcome.request }] : [];
  });
}

/** Selects every flag that the run may have written, by id since some are deleted, and the role access that it changed. */
export function selectionForUndo(run: Run): LiveSelection {
  const written = run.plan.changes.filter((change) => wasSent(run, change));
  return selectionToUndo(
    written.map((change) => {
      const outcome = run.applied.get(change.ref);
      return { change, id: outcome?.outcome === 'applied' ? outcome.id : writtenParts(run, change)?.id };
    }),
  );
}

/** Reads the flags that the run wrote. @throws {ServiceError} when they could not be read. */
export async function invertRun(run: Run, client: ServiceClient, options?: Partial<SealOptions>): Promise<InvertedRun> {
  const live = await readLiveState(client, selectionForUndo(run));
  return { ...invertPlan(appliedChanges(run, live), live, { ...options, undoes: run.name }), live };
}

/**
 * The changes of the targets, and of the flags that they depended on before the run: a flag whose dependency stays deleted or
 * disabled could not get its conditions back. `unmatched`: targets that match none of the flags that the run wrote, whose `keys` are these.
 */
export function limitRun(
  run: Run,
  targets: readonly string[],
): { readonly run: Run; readonly unmatched: readonly string[]; readonly keys: readonly string[] } {
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
