/** Checks the guards of rollouts: that each alert is one that can let a step through, and that a rollout names each guard. */

import { memberOf } from '../../base/json.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { readGuard, type Guard } from '../../core/rollout/guard.ts';
import { hasScope } from '../../posthog/key-scopes.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { resultOf, type CheckResult, type CheckSubject } from '../../report/check-result.ts';
import { lookUpAlert, unlessFailed } from '../plan/ask-guards.ts';
import { withProject } from '../project/open-project.ts';
import { createProgress } from '../session/progress.ts';
import { PATIENCE, type ProjectProbe, type Surroundings } from './surroundings.ts';

export async function checkGuards({
  session,
  configuration,
  manifests,
  probes,
}: Surroundings): Promise<readonly CheckResult[]> {
  const { config, projects } = configuration;
  const { projects: probed } = await probes();
  const results: CheckResult[] = [];
  for (const project of projects) {
    const guards = alertGuards(config, project.name);
    if (guards.length === 0 || !isReadable(probed.get(project.name))) continue;
    const progress = createProgress(session);
    const subject = { section: 'project', project: project.name } as const;
    const found = await withProject(session, { project, progress, patience: PATIENCE }, async ({ client }) =>
      checkAlerts(subject, { guards, client, now: session.context.now() }),
    );
    results.push(...found);
  }
  const { desired } = await manifests();
  const named = [...desired.values()].flatMap(({ flags }) =>
    flags.flatMap((flag) => (flag.kind === 'declared' ? (flag.rollouts ?? []) : []).flatMap(({ guard = [] }) => guard)),
  );
  const idle = config.guards.filter(({ name }) => !named.includes(name)).map(({ name }) => name);
  // Rollouts of projects that were not read may name them.
  const isKnown = Object.keys(config.projects).every((name) => desired.has(name));
  if (isKnown && idle.length > 0)
    results.push(resultOf({ section: 'configuration' }, 'ok', ['guards_idle', { guards: idle }]));
  return results;
}

/** Those that guard rollouts of the project by an alert. */
export function alertGuards(
  { guards }: Pick<Config, 'guards'>,
  project: ProjectConfig['name'],
): readonly (Guard & { readonly source: { readonly alert: string } })[] {
  return guards.flatMap(({ source, ...guard }) =>
    'alert' in source && guard.projects?.includes(project) !== false ? [{ ...guard, source }] : [],
  );
}

/** Whether alerts are worth asking for. Of a key that lacks the scope, the check of scopes tells. */
function isReadable({ flag, current }: Partial<ProjectProbe> = {}): boolean {
  if (flag === undefined || 'failure' in flag) return false;
  return current === undefined || 'failure' in current || hasScope(current.value.scopes, 'alert:read');
}

interface Checked {
  readonly guards: ReturnType<typeof alertGuards>;
  readonly client: Pick<ServiceClient, 'listAlerts' | 'readAlert'>;
  readonly now: number;
}

async function checkAlerts(subject: CheckSubject, { guards, client, now }: Checked): Promise<CheckResult[]> {
  const alerts = await unlessFailed(() => client.listAlerts());
  const results: CheckResult[] = [];
  for (const guard of guards) {
    const { name, source, maxAge } = guard;
    const sighting = 'says' in alerts ? alerts : await unlessFailed(() => lookUpAlert(client, alerts, source.alert));
    const reading = { ...readGuard(guard, sighting, { now }), source };
    results.push(resultOf(subject, reading.says === 'unknown' ? 'warning' : 'ok', ['guard_alert', reading]));
    const { interval = '' } = ('says' in alerts ? [] : alerts).find((one) => one.name === source.alert) ?? {};
    if ((memberOf(INTERVALS, interval) ?? 0) <= maxAge) continue;
    const facts = { guard: name, alert: source.alert, interval, max_age_seconds: Math.round(maxAge / 1000) };
    results.push(resultOf(subject, 'warning', ['guard_slow', facts]));
  }
  return results;
}

const HOUR_MS = 3_600_000;

/** How long PostHog waits between two checks, in ms: the least. */
const INTERVALS: Readonly<Record<string, number>> = {
  every_15_minutes: HOUR_MS / 4,
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
  monthly: 28 * 24 * HOUR_MS,
};
