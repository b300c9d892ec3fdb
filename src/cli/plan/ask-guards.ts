/** Asks the guards of due steps: alerts of the service and the file of verdicts. What cannot be read is not known, and holds. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import { jsonEquals } from '../../base/json.ts';
import {
  DEFAULT_MAX_AGE_MS,
  DEFAULT_PATIENCE_MS,
  readGuard,
  type Guard,
  type GuardReading,
  type Sighting,
} from '../../core/rollout/guard.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { Moment, PlannedRollout } from '../../core/rollout/rollout.ts';
import type { Alert } from '../../posthog/client/operations/alerts.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import {
  findGuardedSteps,
  guardsNamed,
  guardsOf,
  holdGuarded,
  isWideningStep,
  sightingOf,
  type AskedGuards,
  type GuardedStep,
  type SeenAlert,
} from '../../posthog/rollouts/guarded.ts';
import { isDue } from '../../posthog/rollouts/rollouts.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import { readingText } from '../../report/words/guards.ts';
import { findJudge, type Judge } from '../applied/find-judge.ts';
import type { BaseSearch, RunBase } from '../applied/open-checkout.ts';
import { loadDesiredState, type LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';

type AlertReader = Pick<ServiceClient, 'listAlerts' | 'readAlert'>;

interface Sources {
  /** Absent for runs that read nothing of the service. */
  readonly client?: AlertReader;
  /** The file of verdicts; absent: none was given. */
  readonly verdicts?: string;
}

interface Asking extends Sources {
  readonly loaded: LoadedProject;
  readonly search: Omit<BaseSearch, 'known'>;
  /** What was applied last, whose guards count too. */
  readonly base: RunBase | undefined;
  /** Absent for runs that are not judged: they show what those that are would do. */
  readonly judge?: Judge;
  readonly moment: Pick<Moment, 'now' | 'reach'>;
}

/**
 * The state without the due steps that guards do not let through. Asks nothing if no guarded step is due. A plan of a later time assumes that
 * every step is made.
 */
export async function askGuards(session: Session, desired: DesiredState, asking: Asking): Promise<DesiredState> {
  const { loaded, search, base, moment } = asking;
  const former = base !== undefined && 'desired' in base ? base.desired : undefined;
  const steps = moment.reach === 'planned' ? [] : findGuardedSteps(desired, former);
  if (steps.length === 0) return desired;
  const judge =
    asking.judge ?? (base?.facts.kind === 'commit' ? await findJudge(session, search, base.facts) : undefined);
  const sets = declaredSets(loaded, judge);
  const look = lookAt(session, asking);
  const asked = new Map<GuardedStep, AskedGuards>();
  for (const step of steps) asked.set(step, await askAbout(step, sets, { look, now: moment.now }));
  return holdGuarded(desired, asked, { now: moment.now, every: loaded.config.stepsEvery ?? DEFAULT_STEPS_EVERY });
}

/**
 * A plan that was made before is applied unchanged, so its guards are asked again, as they are declared by now, and those that the manifests
 * name by now. Returns its rollouts with what lets their steps through.
 * @throws {FlagwrightError} `refused` if one of them does not let a step of the plan through; `manifest_invalid` as `loadDesiredState`.
 */
export async function refuseGuarded(
  session: Session,
  { rollouts = [], changes }: Pick<Plan, 'rollouts' | 'changes'>,
  {
    now,
    loaded,
    judge,
    ...sources
  }: Sources & Pick<Asking, 'loaded'> & { readonly now: number; readonly judge?: Judge },
): Promise<readonly PlannedRollout[]> {
  const keys = new Set(changes.map(({ key }) => key));
  const made = rollouts.filter((one) => keys.has(one.key) && isDue(one) && isWideningStep(one));
  const sets = declaredSets(loaded, judge);
  // Where no guard is declared, the manifests name none.
  const isNamed = made.length > 0 && sets.some(({ guards }) => guards.length > 0);
  const desired = isNamed ? await loadDesiredState(session, loaded) : { flags: [] };
  const look = lookAt(session, sources);
  const passed = new Map<PlannedRollout, readonly GuardReading[]>();
  for (const one of made) {
    const { key, applied, guard_readings: before = [] } = one;
    const guards = [...new Set([...before.map(({ guard }) => guard), ...guardsOf(desired, one)])];
    const since = applied !== undefined && applied.step >= 0 ? applied.at : undefined;
    const own = { guards: before.flatMap((reading) => guardOfPlan(reading, sets)), project: loaded.project.name };
    const step = { guards, ...defined({ since }) };
    const { readings } = await askAbout(step, [...sets, own], { look, now });
    passed.set(one, readings);
    const holding = readings.find(({ says }) => says !== 'pass');
    if (holding === undefined) continue;
    const words = `The plan makes a step of ${escapeLine(key)} that its guard no longer lets through: ${readingText(holding)}. Nothing was written.`;
    throw new FlagwrightError('refused', words, {
      remedy: 'Plan again: the step then waits, and the rest is applied.',
    });
  }
  return rollouts.map((one) => ({ ...one, ...defined({ guard_readings: passed.get(one) ?? one.guard_readings }) }));
}

type GuardSets = Parameters<typeof guardsNamed>[1];

/** Those that were applied last, so that no change loosens its own guard, and today's. */
function declaredSets({ config, project }: LoadedProject, judge: Judge | undefined): GuardSets {
  const former = judge?.from === 'base' ? [{ guards: judge.config.guards, project: judge.project }] : [];
  return [...former, { guards: config.guards, project: project.name }];
}

/** What let the step through when the plan was made, where nothing declares it any more. */
function guardOfPlan({ guard: name, source }: GuardReading, sets: GuardSets): readonly Guard[] {
  const isDeclared = sets.some(({ guards }) =>
    guards.some((one) => one.name === name && source !== undefined && jsonEquals(one.source, source)),
  );
  if (source === undefined || isDeclared) return [];
  return [{ name, source, maxAge: DEFAULT_MAX_AGE_MS, patience: DEFAULT_PATIENCE_MS }];
}

async function askAbout(
  { guards, since }: Pick<GuardedStep, 'guards' | 'since'>,
  sets: GuardSets,
  { look, now }: { readonly look: Look; readonly now: number },
): Promise<AskedGuards> {
  const readings: GuardReading[] = [];
  const patient: { readonly passes: boolean; readonly patience: number }[] = [];
  for (const name of guards) {
    const found = guardsNamed(name, sets);
    if (found.length === 0) readings.push({ guard: name, says: 'unknown', why: 'undeclared' });
    for (const guard of found.filter(({ isOwn }) => isOwn)) {
      const reading = readGuard(guard, await look(guard), { since, now });
      readings.push(reading);
      patient.push({ passes: reading.says === 'pass', patience: guard.patience });
    }
  }
  const waiting = patient.filter(({ passes }) => !passes);
  const counted = (waiting.length > 0 ? waiting : patient).map(({ patience }) => patience);
  return { readings, ...(counted.length === 0 ? {} : { patience: Math.min(...counted) }) };
}

type Look = (guard: Pick<Guard, 'source'>) => Promise<Sighting>;

/** Reads the list of alerts and the file once at most. */
function lookAt(session: Session, { client, verdicts }: Sources): Look {
  const findAlert = once(async () => (client === undefined ? 'not_read' : readAlerts(client)));
  const findVerdict = once(async () => (verdicts === undefined ? 'not_given' : verdictsIn(session, verdicts)));
  return async ({ source }) => {
    const found = 'alert' in source ? await findAlert() : await findVerdict();
    if (typeof found === 'string') return { says: 'unknown', why: found };
    if (typeof found === 'object') return found;
    return found('alert' in source ? source.alert : source.verdict);
  };
}

type Finding = ((name: string) => Promise<Sighting>) | Sighting;

async function verdictsIn({ context }: Session, file: string): Promise<Finding> {
  const { readVerdicts } = await import('../../config/verdicts.ts');
  try {
    const sightingIn = await readVerdicts({ path: path.resolve(context.cwd, file), file });
    return async (name) => sightingIn(name);
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    return { says: 'unknown', why: 'file_unread', detail: error.message };
  }
}

async function readAlerts(client: AlertReader): Promise<Finding> {
  const listed = await unlessFailed(() => client.listAlerts());
  if ('says' in listed) return listed;
  return async (name) => unlessFailed(() => lookUpAlert(client, listed, name));
}

/**
 * An alert is read by itself only if its state is not enough: the list has no checks.
 * @throws {ServiceError}
 */
export async function lookUpAlert(
  client: Pick<ServiceClient, 'readAlert'>,
  listed: readonly Alert[],
  name: string,
): Promise<Sighting> {
  const first = sightingOf(name, listed);
  const alert = listed.find((one) => one.name === name);
  if (first.says !== 'unknown' || first.why !== 'never_checked' || alert === undefined) return first;
  return sightingOf(name, [await client.readAlert(alert.id)] satisfies SeenAlert[]);
}

/** What was read, or that it could not be. */
export async function unlessFailed<Value>(read: () => Promise<Value>): Promise<Value | Unknown> {
  try {
    return await read();
  } catch (error) {
    return failedSighting(error);
  }
}

type Unknown = Extract<Sighting, { readonly says: 'unknown' }>;

function failedSighting(error: unknown): Unknown {
  if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
  const { kind } = error.failure;
  if (kind === 'forbidden') return { says: 'unknown', why: 'no_scope' };
  if (kind === 'not_found') return { says: 'unknown', why: 'not_supported' };
  return { says: 'unknown', why: 'failed', detail: error.message };
}
