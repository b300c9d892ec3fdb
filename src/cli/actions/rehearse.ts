/** `flagwright rehearse KEY…`: makes the steps of rollouts in seconds, with the runs that CI would start, in a service in memory. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import { shareOn } from '../../impact/share.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { PlannedRollout } from '../../rollout/rollout.ts';
import { DEFAULT_STEPS_EVERY } from '../../rollout/read-rollout.ts';
import type { RehearsalMoment } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { withPlan } from '../plan/make-plan.ts';
import { chooseProject, loadConfiguration } from '../project/load-project.ts';
import { readProjects } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';
import { apply } from './apply.ts';
import { type Stage, withStage } from './rehearsal-stage.ts';

export interface RehearseOptions {
  readonly keys: readonly string[];
  /** How late each run is, in ms. */
  readonly late?: number;
  readonly approvedBy?: readonly string[];
}

/** Exits with 4 if a policy or a limit refuses a run: the rehearsal ends there. */
export async function rehearse(session: Session, { keys, ...options }: RehearseOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: true });
  const chosen = chooseProject(session, config);
  const { projects } = await readProjects(session, config, [chosen]);
  const [{ project, resolution }] = projects as [(typeof projects)[number]];
  const begin = beginOf(resolution.desired, keys, project.name);
  const every = config.stepsEvery ?? DEFAULT_STEPS_EVERY;
  const { moments, isRefused } = await withStage(session, { config, project, begin: begin - every }, async (stage) =>
    runAll(stage, keys, { ...options, every }),
  );
  await session.publish({ kind: 'rehearsal', project: project.name, moments, isRefused });
  return isRefused ? 4 : 0;
}

/** The time of the first step that nobody made yet: the rehearsal begins where the rollouts are. */
function beginOf({ flags }: DesiredState, keys: readonly string[], project: string): number {
  const times = keys.map((key) => {
    const flag = flags.find((one) => one.key === key);
    if (flag === undefined) {
      const suggestion = nearest(
        key,
        flags.map((one) => one.key),
      );
      throw new FlagwrightError('usage', `No manifest declares a flag ${quoted(key)} for ${project}.`, {
        remedy: didYouMean(suggestion, 'Correct the key, or declare the flag.'),
      });
    }
    const rollouts = flag.kind === 'declared' ? (flag.rollouts ?? []) : [];
    const ahead = rollouts.flatMap(({ steps }) => steps.slice(steps.findLastIndex(({ done }) => done === true) + 1));
    const steps = ahead.length > 0 ? ahead : rollouts.flatMap((rollout) => rollout.steps.slice(-1));
    if (steps.length > 0) return Math.min(...steps.map(({ at }) => Date.parse(at)));
    throw new FlagwrightError('usage', `${quoted(key)} has no steps over time in ${project}.`, {
      remedy: 'Declare `steps` instead of a percentage or of `active` (docs/rollouts.md), or name another flag.',
    });
  });
  return Math.min(...times);
}

interface Rehearsed {
  readonly moments: readonly RehearsalMoment[];
  readonly isRefused: boolean;
}

interface Running extends Omit<RehearseOptions, 'keys'> {
  readonly every: number;
}

/** A run takes place at each interval in which a step is due; in the others there is nothing to do. */
async function runAll(
  stage: Stage,
  keys: readonly string[],
  { every, late = 0, approvedBy }: Running,
): Promise<Rehearsed> {
  const { session, now, moveTo, takeOutput } = stage;
  const begin = now();
  const first = await apply(session, { yes: true, journal: false, ...(approvedBy && { approvedBy }) });
  if (first !== 0) throw refused(takeOutput());
  let seen = await observe(stage, keys);
  const moments: RehearsalMoment[] = [...seen.moments];
  while (seen.due !== undefined) {
    const intervals = Math.max(1, Math.ceil((Math.max(seen.due, now() - late + 1) - begin) / every));
    moveTo(begin + intervals * every + late);
    const code = await apply(session, { due: true, journal: false });
    if (code !== 0) return { moments, isRefused: true };
    const former = seen;
    seen = await observe(stage, keys);
    moments.push(...seen.moments.filter(({ key, step }) => step > (former.steps.get(key) ?? -2)));
  }
  return { moments, isRefused: false };
}

function refused(output: string): FlagwrightError {
  return new FlagwrightError('refused', `The rollout cannot begin: apply refuses the manifests.\n${output}`, {
    remedy: 'Name who approves the steps with --approved-by, or change what is refused.',
  });
}

interface Seen {
  readonly moments: readonly RehearsalMoment[];
  /** How many steps each flag has made. */
  readonly steps: ReadonlyMap<string, number>;
  readonly due?: number;
}

/** The state that the next run would find. */
async function observe({ session, now, takeOutput }: Stage, keys: readonly string[]): Promise<Seen> {
  return withPlan(session, { due: true, who: false }, async ({ plan, live }) => {
    takeOutput();
    const rollouts = (plan.rollouts ?? []).filter(({ key }) => keys.includes(key));
    const dues = rollouts.flatMap(({ due }) => (due === undefined ? [] : [Date.parse(due)]));
    const moments = keys.map((key): RehearsalMoment => {
      const own = rollouts.filter((rollout) => rollout.key === key);
      const flag = live.flags.find((one) => one.key === key);
      const steps = own.reduce((sum, { steps: all }) => sum + all.length, 0);
      return {
        at: new Date(now()).toISOString(),
        key,
        step: madeIn(own),
        steps,
        share: shareOn(flag ?? { active: false }),
      };
    });
    const steps = new Map(moments.map(({ key, step }) => [key, step]));
    return { moments, steps, ...(dues.length === 0 ? {} : { due: Math.min(...dues) }) };
  });
}

function madeIn(rollouts: readonly PlannedRollout[]): number {
  return rollouts.reduce((sum, { applied }) => sum + (applied?.step ?? -1) + 1, 0);
}
