/** Finds what would turn a flag on again that is off: scheduled changes of the service, and steps of its manifest. */

import { defined } from '../../base/optional.ts';
import { readSchedulesOf } from '../../posthog/reading/pending-changes.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { schedulesAgainstOff } from '../../posthog/flag/schedules.ts';
import type { LiveState } from '../../posthog/live.ts';
import { pageUrl } from '../../posthog/names/page-url.ts';
import { quoteShort } from '../../report/escape.ts';
import { notKnownText, scheduleText } from '../../report/words/warnings.ts';
import { timeText } from '../../report/words/amounts.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { OpenProject } from '../project/open-project.ts';

/** Finds what the service will do by itself that would turn a flag on again: nobody who stops an incident looks for that. */
export async function findSchedules(
  { client, identity }: OpenProject,
  flags: readonly Flag[],
): Promise<readonly string[]> {
  const off = flags.filter(({ active }) => active === false);
  const { schedules = [], unknownSchedules: unknown } = await readSchedulesOf(client, off).catch(UNREAD);
  if (unknown !== undefined) return [notKnownText({ key: 'schedules', why: unknown })];
  return schedulesAgainstOff(off, schedules).flatMap((facts) => {
    const url = pageUrl(identity, {
      resource: 'flag',
      ...defined({ id: off.find(({ key }) => key === facts.key)?.id }),
    });
    const place = url === undefined ? '' : `: ${url}`;
    return [scheduleText(facts, quoteShort), `  Delete it in the service before then, or it does so unasked${place}`];
  });
}

const UNREAD = (): Pick<LiveState, 'schedules' | 'unknownSchedules'> => ({ unknownSchedules: 'failed' });

/**
 * A flag that was off before is as declared, so its rollout does not wait. Loads the manifests; if they cannot be read, the note is only
 * shorter.
 */
export async function findSteps(
  { config, project }: LoadedProject,
  flags: readonly Flag[],
): Promise<readonly string[]> {
  const keys = new Set(flags.map(({ key }) => key));
  const { loadDesired } = await import('../../posthog/manifests/load.ts');
  const { root, manifests: patterns } = config;
  const allProjects = Object.keys(config.projects);
  const loading = loadDesired({ root, patterns, project, allProjects });
  const { desired } = await loading.catch(() => ({ desired: undefined }));
  return (desired?.flags ?? []).flatMap((flag) => {
    if (flag.kind !== 'declared' || !keys.has(flag.key)) return [];
    const switches = (flag.rollouts ?? []).filter(({ path }) => path === '/active');
    const next = switches.flatMap(({ step, steps }) => steps.slice(step + 1)).find(({ to }) => to === true);
    if (next === undefined) return [];
    const key = quoteShort(flag.key);
    return [
      `${key}: a step of its manifest turns it on at ${timeText(next.at)}`,
      '  Remove the step from the manifest before then: only this machine knows that you want the flag off',
    ];
  });
}
