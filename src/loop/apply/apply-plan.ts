/** Applies a plan: reads again, skips what moved, writes the rest, and reads back what was written. */

import pLimit from 'p-limit';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Remainder } from '../../core/engine/diff.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { refusesKey } from '../../posthog/client/failure-table.ts';
import { ServiceError, isNotFound } from '../../posthog/client/service-error.ts';
import { withoutSecrets } from '../../posthog/planning/plan-document.ts';
import { kindFor, byKind } from '../../posthog/kinds.ts';
import { findUnwritable, type Unwritable } from '../../posthog/planning/drift-groups.ts';
import type { LiveState } from '../../posthog/live.ts';
import { changeRequestUrl } from '../../posthog/names/resource-name.ts';
import type { Change, Plan, FieldChange } from '../../posthog/plan.ts';
import { openRun, type RunState } from '../../posthog/run-state.ts';
import {
  outcomeOfError,
  isConflict,
  isKeyTaken,
  isUncertain,
  needsSeveralApprovals,
  outcomeOfAttempts,
  outcomeOfEffect,
  requestIn,
} from './outcome-of-error.ts';
import { type ApplyProgress, type ApplyRecorder, NO_RECORDER, watched } from './recorder.ts';
import { readAgain, type ReadAgain } from './read-again.ts';
import type { ApplyResult, ChangeResult, NotKnown, Outcome, OutcomeCounts, SkipReason } from './result.ts';
import { earlierOutcome, type EarlierRun } from './resume.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { ChangeRequest } from '../../core/engine/change-request.ts';
import type { LookUpResult, WriteRefusal, Write, WritePart, ReadBack } from '../../core/engine/writer.ts';

export interface ApplyOptions {
  /** Changes in flight at once; default 8. */
  readonly concurrency?: number;
  /** Once aborted, no new change starts; those in flight finish. The reason is a `FlagwrightError`. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ApplyProgress) => void;
  readonly recorder?: ApplyRecorder;
  /** The outcomes of an earlier run of the same plan: this run finishes it and repeats nothing. */
  readonly earlier?: EarlierRun;
  /** The state that the plan was computed from, if it was just read: it is not read again. */
  readonly read?: LiveState;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Applies exactly the changes of the plan. The caller decides whether its hazards are permitted.
 * Each change gets one outcome, and a failed one stops only those that need it.
 * @throws {ServiceError} when live state cannot be read; nothing was written.
 */
export async function applyPlan(plan: Plan, client: ServiceClient, given: ApplyOptions = {}): Promise<ApplyResult> {
  const requestsBefore = client.stats().requests;
  const onProgress = guarded(given.onProgress);
  const options = { ...given, onProgress };
  if (plan.changes.length > 0 && given.read === undefined) onProgress({ kind: 'reading' });
  const { live, total } = given.read === undefined ? await readAgain(plan, client) : justRead(given.read);
  const recorder = watched(options.recorder ?? NO_RECORDER);
  const state = openRun(live, plan.changes, { resumed: options.earlier !== undefined });
  const { earlier } = options;
  const context: ChangeContext = { project: plan.project, client, state, recorder, earlier, keyRefused: new Map() };
  client.budget.announce('write', plan.changes.length);
  const written = await runChanges(plan.changes, {
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    run: withProgress(context, { ...options, total: plan.changes.length }, (change) => settle(change, context)),
  });
  const results = pairOutcomes(plan, written);
  const remainder = await verify(results, { client, state, total, sent: recorder.sent }, options);
  const outcomes = plan.off === undefined ? written : provenOutcomes(results, remainder);
  return {
    project: plan.project,
    ...defined({ undoes: plan.undoes, off: plan.off }),
    summary: plan.summary,
    outcomes: countOutcomes(outcomes),
    changes: pairOutcomes(withoutSecrets(plan), outcomes),
    remainder: remainder ?? [],
    ...defined({
      left: plan.left,
      unwritable: unwritableOf(plan),
      released: plan.released,
      notKnown: notKnownTo(plan),
    }),
    verified: remainder !== undefined,
    requests: client.stats().requests - requestsBefore,
  };
}

/** The flags of the project were not counted. With no number to compare with, written flags are read back one by one. */
function justRead(live: LiveState): ReadAgain {
  return { live, total: Infinity };
}

function notKnownTo({ warnings }: Plan): readonly NotKnown[] | undefined {
  const unread = warnings.filter((one) => one.code === 'not_known');
  return unread.length === 0 ? undefined : unread;
}

function unwritableOf({ warnings }: Plan): readonly Unwritable[] | undefined {
  const unwritable = findUnwritable(warnings);
  return unwritable.length === 0 ? undefined : unwritable;
}

type HeardOptions = ApplyOptions & Required<Pick<ApplyOptions, 'onProgress'>>;

/** A listener that throws must not affect the run. */
function guarded(listener: ApplyOptions['onProgress']): (progress: ApplyProgress) => void {
  return (progress) => {
    try {
      listener?.(progress);
    } catch {
      // Ignored.
    }
  };
}

function pairOutcomes({ changes }: Pick<Plan, 'changes'>, outcomes: readonly Outcome[]): readonly ChangeResult[] {
  return changes.map((change, index) => ({ change, result: outcomes[index] as Outcome }));
}

interface ChangeContext {
  readonly project: Plan['project'];
  readonly client: ServiceClient;
  readonly state: RunState;
  readonly recorder: ApplyRecorder;
  readonly earlier: EarlierRun | undefined;
  /** The first change of each kind of resource that the service refused because of the API key: scopes differ by kind. */
  readonly keyRefused: Map<Change['resource'], string>;
}

function withProgress(
  { client }: ChangeContext,
  { signal, onProgress, total }: HeardOptions & { readonly total: number },
  run: (change: Change) => Promise<Outcome>,
): (change: Change) => Promise<Outcome> {
  let done = 0;
  const progress = (): { total: number; leastMs: number } => ({ total, leastMs: client.budget.leastMs(total - done) });
  return async (change) => {
    const stopped = signal?.aborted === true;
    if (!stopped) onProgress({ kind: 'started', change, ...progress() });
    const result: Outcome = stopped ? { outcome: 'skipped', reason: stopReason(signal) } : await run(change);
    done += 1;
    onProgress({ kind: 'finished', change, result, done, ...progress() });
    return result;
  };
}

async function settle(change: Change, context: ChangeContext): Promise<Outcome> {
  const { earlier, state } = context;
  const known = earlier && earlierOutcome(change, earlier, state);
  const result = known ?? (await applyChange(change, context));
  context.recorder.settled(change, result);
  return result;
}

async function applyChange(
  change: Change,
  { project, client, state, recorder, keyRefused }: ChangeContext,
): Promise<Outcome> {
  const { writer } = kindFor(change);
  try {
    if (writer.needsRefresh(change)) await writer.refresh(change, state, client);
  } catch (error) {
    return outcomeOfError(error);
  }
  const standing = writer.inspect(change, state);
  if (standing.kind === 'in_effect') return { outcome: 'applied', id: standing.id, already: true };
  if (standing.kind === 'moved') return { outcome: 'skipped', reason: { code: 'stale', moved: standing.moved } };
  if (standing.kind === 'unshown') return { outcome: 'failed', error: unshown(standing.paths) };
  const prepared = writer.prepare(change, state, client);
  if ('impossible' in prepared) return { outcome: 'failed', error: prepared.impossible };
  const refused = keyRefused.get(change.resource);
  if (refused !== undefined) return { outcome: 'skipped', reason: { code: 'key_refused', ref: refused } };
  const result = withPage(await attemptWrite(change, prepared, { recorder, client }), project);
  const isRefusal = result.outcome === 'failed' && refusesKey(result.error);
  if (isRefusal && !keyRefused.has(change.resource)) keyRefused.set(change.resource, change.ref);
  return result;
}

/** Only a bug of ours, or a plan that was made by other means, gets here. */
function unshown(paths: readonly string[]): { readonly code: string; readonly message: string } {
  return {
    code: 'not_shown',
    message: `The request would also write ${paths.join(', ')}, which the plan does not show.`,
  };
}

/** Adds to a change that waits for approval the page where people decide about it. */
function withPage(outcome: Outcome, project: Plan['project']): Outcome {
  if (outcome.outcome !== 'pending' || outcome.request === undefined) return outcome;
  const { request } = outcome;
  return { ...outcome, request: { ...request, ...defined({ url: changeRequestUrl(project, request.id) }) } };
}

/** `undefined` when the run was stopped or the service is unreachable: nothing is known about what was written. */
async function verify(
  results: readonly ChangeResult[],
  verification: Verification,
  { signal, onProgress }: HeardOptions,
): Promise<readonly Remainder[] | undefined> {
  if (signal?.aborted === true) return undefined;
  if (results.length > 0) onProgress({ kind: 'verifying' });
  try {
    return await findRemainder(results, verification);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function stopReason(signal: AbortSignal | undefined): SkipReason {
  const reason: unknown = signal?.reason;
  return { code: reason instanceof FlagwrightError && reason.code === 'deadline' ? 'deadline' : 'interrupted' };
}

function countOutcomes(outcomes: readonly Outcome[]): OutcomeCounts {
  const counts = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  for (const { outcome } of outcomes) counts[outcome] += 1;
  return counts;
}

interface Schedule {
  readonly concurrency: number;
  readonly run: (change: Change) => Promise<Outcome>;
}

/**
 * Runs changes concurrently: bounded in number, and each after those that it needs, which must precede it in `changes`.
 *
 * Returns one outcome for each change, in the same order.
 */
export async function runChanges(
  changes: readonly Change[],
  { concurrency, run }: Schedule,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const running = new Map<string, Promise<Outcome>>();
  for (const change of changes) {
    const needed = change.needs.flatMap((ref) => {
      const outcome = running.get(ref);
      return outcome === undefined ? [] : [outcome.then(({ outcome: kind }) => ({ ref, kind }))];
    });
    running.set(
      change.ref,
      // A bug of ours fails one change, and the others keep their outcomes.
      runAfter(needed, () => limit(run, change).catch(outcomeOfError)),
    );
  }
  return Promise.all(running.values());
}

interface Needed {
  readonly ref: string;
  readonly kind: Outcome['outcome'];
}

async function runAfter(needed: readonly Promise<Needed>[], start: () => Promise<Outcome>): Promise<Outcome> {
  if (needed.length === 0) return start();
  const refs = (await Promise.all(needed)).filter(({ kind }) => kind !== 'applied').map(({ ref }) => ref);
  return refs.length > 0 ? { outcome: 'skipped', reason: { code: 'needs_failed', refs } } : start();
}

/** The most times that a write is sent that the service refuses. */
const ATTEMPTS = 3;

const REFUSALS: { readonly [Name in WriteRefusal]: (error: unknown) => boolean } = {
  key_taken: isKeyTaken,
  conflict: isConflict,
  not_found: isNotFound,
};

interface Attempting extends Pick<ChangeContext, 'recorder'> {
  readonly client: Pick<ServiceClient, 'waitToRepeat'>;
}

export async function attemptWrite(change: Change, write: Write, attempting: Attempting): Promise<Outcome> {
  const { recorder, client } = attempting;
  if (write.onlyInParts === true && write.parts !== undefined) return attemptParts(change, write.parts, attempting);
  const isRefusal = REFUSALS[write.lookUpAfter];
  const errors: unknown[] = [];
  let { send } = write;
  for (;;) {
    try {
      await recorder.sending(change);
      return await confirmed(await send(), write);
    } catch (error) {
      errors.push(error);
      if (!isUncertain(error) && !isRefusal(error)) break;
      const finding = await lookUp(write);
      if (finding.kind === 'in_effect') return outcomeOfEffect(finding.id, errors);
      if (finding.kind !== 'unwritten') return outcomeOfDoubt(errors, finding.moved);
      const mayRepeat = isRefusal(error)
        ? write.repeatRefused && errors.length < ATTEMPTS
        : isUncertain(error) && (await client.waitToRepeat(error, errors.length));
      if (!mayRepeat) break;
      send = finding.send;
    }
  }
  if (write.parts !== undefined && needsSeveralApprovals(errors.at(-1)))
    return attemptParts(change, write.parts, attempting);
  return compared(outcomeOfAttempts(errors), requestIn(errors.at(-1)), write);
}

/** If the confirming read fails, the service's answer to the write stands. */
async function confirmed(id: ResourceId, { confirm }: Write): Promise<Outcome> {
  if (confirm === undefined) return { outcome: 'applied', id };
  try {
    const found = await confirm(id);
    if (found.kind === 'doubled') return { outcome: 'unknown', error: { code: found.code, message: found.message } };
    return { outcome: 'applied', id: found.id, ...defined({ already: found.already }) };
  } catch {
    return { outcome: 'applied', id };
  }
}

/** Sends a part only once the one before it is in effect: an approval is valid only for the version that it was requested for. */
async function attemptParts(change: Change, parts: readonly WritePart[], attempting: Attempting): Promise<Outcome> {
  let outcome: Outcome = { outcome: 'applied' };
  for (const [index, part] of parts.entries()) {
    const { id }: { readonly id?: ResourceId } = outcome.outcome === 'applied' ? outcome : {};
    outcome = await attemptWrite(change, part.prepare(), attempting);
    if (outcome.outcome === 'applied') continue;
    const fieldsOf = (some: readonly WritePart[]): readonly string[] => some.flatMap(({ fields }) => fields);
    const written = fieldsOf(parts.slice(0, index));
    const created = change.action === 'create' ? defined({ id }) : {};
    const unsent = fieldsOf(parts.slice(index + 1));
    return { ...outcome, parts: { written, waiting: part.fields, unsent, ...created } };
  }
  return outcome;
}

/** Adds to an open change request whether it asks for our change. */
function compared(outcome: Outcome, request: ChangeRequest | undefined, { compareRequest }: Write): Outcome {
  if (outcome.outcome !== 'pending' || outcome.request?.wasOpen !== true || request === undefined) return outcome;
  return { ...outcome, request: { ...outcome.request, ...defined({ asks: compareRequest?.(request) }) } };
}

async function lookUp(write: Write): Promise<LookUpResult | { readonly kind: 'unreadable'; readonly moved?: never }> {
  try {
    return await write.lookUp();
  } catch {
    return { kind: 'unreadable' };
  }
}

/**
 * The state after a lost answer may show our write or another user's over it; the two cannot be distinguished. The service
 * refused each attempt if no answer was lost.
 */
function outcomeOfDoubt(errors: readonly unknown[], moved: readonly FieldChange[] | undefined): Outcome {
  const uncertain = errors.find(isUncertain);
  if (uncertain !== undefined || moved === undefined) return outcomeOfError(uncertain ?? errors.at(-1));
  return { outcome: 'skipped', reason: { code: 'stale', moved } };
}

interface Verification extends ReadBack<RunState, ServiceClient> {
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
function provenOutcomes(
  results: readonly ChangeResult[],
  remainder: readonly Remainder[] | undefined,
): readonly Outcome[] {
  return results.map(({ change, result }) => {
    if (result.outcome !== 'applied') return result;
    if (remainder === undefined) return notVerified('the flag could not be read after the write');
    const rest = remainder.find(({ ref }) => ref === change.ref);
    if (rest === undefined) return result;
    if (rest.reason === 'not_found') return notVerified('the flag was not found after the write');
    const error = { code: 'not_stored', message: 'the service accepted the write, but stored something else' };
    return { outcome: 'failed', error };
  });
}

function notVerified(message: string): Outcome {
  return { outcome: 'unknown', error: { code: 'not_verified', message } };
}
