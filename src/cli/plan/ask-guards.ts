/** Asks the guards of due steps: alerts of the service and the file of verdicts. What cannot be read is not known, and holds. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { jsonEquals } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import {
  DEFAULT_MAX_AGE_MS,
  readGuard,
  type Guard,
  type GuardReading,
  type Sighting,
} from '../../core/rollout/guard.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { Moment } from '../../core/rollout/rollout.ts';
import type { Alert } from '../../posthog/client/operations/alerts.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import {
  findGuardedSteps,
  guardsNamed,
  holdGuarded,
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
import type { GitFacts } from '../applied/find-base.ts';
import type { Judge } from '../applied/find-judge.ts';
import type { LoadedProject } from '../project/load-project.ts';
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
  /** Absent for runs that compare with no commit. */
  readonly git?: GitFacts;
  /** Absent for runs that are not judged. */
  readonly judge?: Judge | undefined;
  readonly moment: Pick<Moment, 'now' | 'reach'>;
}

/**
 * The state without the due steps that guards do not let through. Asks nothing if no guarded step is due. A plan of a later time assumes that
 * every step is made.
 */
export async function askGuards(session: Session, desired: DesiredState, asking: Asking): Promise<DesiredState> {
  const { loaded, git, judge, moment } = asking;
  const former = git?.base !== undefined && 'desired' in git.base ? git.base.desired : undefined;
  const steps = moment.reach === 'planned' ? [] : findGuardedSteps(desired, former);
  if (steps.length === 0) return desired;
  const { config, project } = loaded;
  const sets = [
    ...(judge?.from === 'base' ? [{ guards: judge.config.guards, project: judge.project }] : []),
    { guards: config.guards, project: project.name },
  ];
  const look = lookAt(session, asking);
  const asked = new Map<GuardedStep, AskedGuards>();
  for (const step of steps) asked.set(step, await askAbout(step, sets, { look, now: moment.now }));
  return holdGuarded(desired, asked, { now: moment.now, every: config.stepsEvery ?? DEFAULT_STEPS_EVERY });
}

/**
 * A plan that was made before is applied unchanged, so its guards are asked again.
 * @throws {FlagwrightError} `refused` if one of them does not let a step of the plan through.
 */
export async function refuseGuarded(
  session: Session,
  { rollouts = [], changes, project }: Pick<Plan, 'rollouts' | 'changes' | 'project'>,
  { now, config, ...sources }: Sources & { readonly now: number; readonly config: Config },
): Promise<void> {
  const keys = new Set(changes.map(({ key }) => key));
  const look = lookAt(session, sources);
  const made = rollouts.filter((one) => keys.has(one.key) && isDue(one));
  for (const { key, applied, guard_readings: readings = [] } of made) {
    const since = applied !== undefined && applied.step >= 0 ? applied.at : undefined;
    for (const guard of readings.flatMap(guardsToday(config, project.name))) {
      const reading = readGuard(guard, await look(guard), { since, now });
      if (reading.says === 'pass') continue;
      const words = `The plan makes a step of ${escapeLine(key)} that its guard no longer lets through: ${readingText(reading)}. Nothing was written.`;
      throw new FlagwrightError('refused', words, {
        remedy: 'Plan again: the step then waits, and the rest is applied.',
      });
    }
  }
}

/** As the configuration declares the guard now, and as it was when it let the step through, if that differs. */
function guardsToday({ guards }: Config, project: string): (reading: GuardReading) => readonly Guard[] {
  return ({ guard: name, source }) => {
    const now = guards.filter((one) => one.name === name && one.projects?.includes(project) !== false);
    if (source === undefined || now.some((one) => jsonEquals(one.source, source))) return now;
    return [...now, { name, source, maxAge: DEFAULT_MAX_AGE_MS, patience: 0 }];
  };
}

async function askAbout(
  { guards, since }: GuardedStep,
  sets: Parameters<typeof guardsNamed>[1],
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
