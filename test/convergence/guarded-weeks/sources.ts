/** What guards look at in the ten weeks: alerts of the service and a file of verdicts, with what is known of each without asking the command. */

import path from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { KEY } from '../../helpers/stage.ts';
import { DAY, HOUR, MINUTE } from '../rollout-weeks/known.ts';
import type { Weeks } from '../rollout-weeks/weeks.ts';

const ALERTS = ['Errors', 'Latency'] as const;
export const SEED: JsonValue = { alerts: ALERTS.map((name) => ({ name })) };

/** What a guard declares, as the configuration has it. */
export interface Definition {
  readonly source: { readonly alert: string } | { readonly verdict: string };
  readonly maxAge: number;
  readonly patience: number;
}

interface KnownAlert {
  id: string;
  name: string;
  enabled: boolean;
  snoozed: boolean;
  /** The newest check that computed something. */
  check?: { readonly at: number; readonly state: CheckState };
  /** Somebody edited what it watches for, and it was not checked since. */
  isEdited: boolean;
}

type CheckState = 'Firing' | 'Not firing' | 'Errored';

interface KnownVerdict {
  readonly name: string;
  readonly verdict: 'pass' | 'hold';
  readonly at: number;
}

export interface Sources {
  alerts: KnownAlert[];
  /** Absent: the file is not there, or no program can read it. */
  verdicts?: readonly KnownVerdict[];
  /** The service answers each question about alerts with it, or only those about one alert. */
  fails?: number;
  failsLate?: boolean;
}

export async function findAlerts(weeks: Weeks): Promise<KnownAlert[]> {
  const { results } = await send(weeks, 'GET', '?limit=100');
  return (results as unknown as readonly KnownAlert[]).map(({ id, name }) => {
    return { id, name, enabled: true, snoozed: false, isEdited: false };
  });
}

async function send({ here }: Weeks, method: string, at: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await fetch(`${here.world.url}/api/projects/1/alerts/${at}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  return answer.status === 204 ? {} : ((await answer.json()) as JsonObject);
}

/** Whether a reading of it lets a step through that follows one at `since`. */
export function passes(
  { source, maxAge }: Definition,
  { alerts, verdicts, fails }: Sources,
  { since, now }: { readonly since: number; readonly now: number },
): { readonly at: number } | undefined {
  const isFresh = (at: number): boolean => at > since && now - at <= maxAge && at <= now + MINUTE;
  if ('verdict' in source) {
    const [one, second] = (verdicts ?? []).filter(({ name }) => name === source.verdict);
    const is = one !== undefined && second === undefined && one.verdict === 'pass' && isFresh(one.at);
    return is ? { at: one.at } : undefined;
  }
  const [one, second] = alerts.filter(({ name }) => name === source.alert);
  if (fails !== undefined || one === undefined || second !== undefined) return undefined;
  const { enabled, snoozed, isEdited, check } = one;
  const is = enabled && !snoozed && !isEdited && check?.state === 'Not firing' && isFresh(check.at);
  return is ? { at: check.at } : undefined;
}

/** Whether a run cannot look at it. */
export function isUnread({ source }: Definition, { alerts, verdicts, fails, failsLate = false }: Sources): boolean {
  if ('verdict' in source) return verdicts === undefined;
  // The list says what fires, and what is gone, but not whether it was ever checked.
  const [one, second] = alerts.filter(({ name }) => name === source.alert);
  const isSettled = one === undefined || second !== undefined || !one.enabled || one.snoozed;
  return (
    fails !== undefined &&
    (!failsLate || (!isSettled && (one.isEdited || (one.check?.state ?? 'Not firing') === 'Not firing')))
  );
}

/** The service checks its alerts, but for those that are disabled or snoozed. */
export function checkAlerts({ here, below, now, log }: Weeks, sources: Sources, states: readonly CheckState[]): void {
  for (const alert of sources.alerts) {
    if (!alert.enabled || alert.snoozed) continue;
    const state = states[below(states.length)] ?? 'Not firing';
    here.world.checkAlert({ alert: alert.id, state, value: 1 });
    Object.assign(alert, { check: { at: now(), state }, isEdited: false });
    log(`the alert ${alert.name} is checked: ${state}`);
  }
}

const THRESHOLD = { configuration: { type: 'absolute', bounds: { upper: 1 } } };

/** A person does something to an alert in the service. */
export async function touchAlert(weeks: Weeks, sources: Sources): Promise<void> {
  const { pick, below, log } = weeks;
  const alert = pick(sources.alerts);
  const kind = pick(['rename', 'delete', 'switch', 'snooze', 'edit', 'copy'] as const);
  log(`a person does to the alert ${alert.name}: ${kind}`);
  const patch = async (body: JsonObject): Promise<JsonObject> => send(weeks, 'PATCH', `${alert.id}/`, body);
  switch (kind) {
    case 'rename':
      alert.name = alert.name.startsWith('old ') ? alert.name.slice(4) : `old ${alert.name}`;
      return void (await patch({ name: alert.name }));
    case 'delete':
      if (sources.alerts.length === 1) return undefined;
      sources.alerts = sources.alerts.filter((one) => one !== alert);
      return void (await send(weeks, 'DELETE', `${alert.id}/`));
    case 'switch':
      alert.enabled = !alert.enabled;
      return void (await patch({ enabled: alert.enabled }));
    case 'snooze':
      alert.snoozed = !alert.snoozed;
      return void (await patch({ snoozed_until: alert.snoozed ? '9w' : null }));
    case 'edit':
      alert.isEdited = true;
      return void (await patch({ threshold: { configuration: { type: 'absolute', bounds: { upper: below(1e6) } } } }));
    case 'copy':
      return createAlert(weeks, sources, alert.name);
  }
}

async function createAlert(weeks: Weeks, sources: Sources, name: string): Promise<void> {
  const { results } = await send(weeks, 'GET', '?limit=1');
  const [{ insight = null } = {}] = results as unknown as readonly { readonly insight?: { readonly id: number } }[];
  const made = await send(weeks, 'POST', '', {
    name,
    threshold: THRESHOLD,
    insight: insight?.id ?? null,
    subscribed_users: [],
  });
  sources.alerts.push({ id: made['id'] as string, name, enabled: true, snoozed: false, isEdited: false });
}

/** One alert of each name, which was checked just now. */
export async function repairAlerts(weeks: Weeks, sources: Sources): Promise<void> {
  for (const { id } of sources.alerts.slice(1)) await send(weeks, 'DELETE', `${id}/`);
  sources.alerts = sources.alerts.slice(0, 1);
  for (const name of ALERTS) await createAlert(weeks, sources, name);
  await send(weeks, 'DELETE', `${sources.alerts.shift()?.id ?? ''}/`);
  checkAlerts(weeks, sources, ['Not firing']);
}

const VERDICTS = ['budget', 'go'] as const;
export const ALWAYS = 'always';

/** What a step of CI writes before the run, or what became of it. `kept`: the program failed, and the file is that of the last run. */
export function writeVerdicts(
  { here, below, pick, now, log }: Weeks,
  sources: Sources,
  wanted?: 'well' | 'alarm',
): void {
  const file = path.join(here.root, 'verdicts.json');
  const bad = ['hold', 'old', 'future', 'without', 'twice', 'broken', 'gone'] as const;
  const kind = wanted ?? (below(2) > 0 ? 'well' : below(5) < 2 ? 'kept' : pick(bad));
  log(`the verdicts: ${kind}`);
  if (kind === 'kept') return;
  rmSync(file, { force: true });
  delete sources.verdicts;
  if (kind === 'gone') return;
  if (kind === 'broken') return writeFileSync(file, pick(['{', 'verdicts: [{}]', 'verdicts: &a [*a]', 'a: 1\na: 2']));
  const away: Partial<Record<typeof kind, number>> = {
    old: -(1 + below(12 * 24)) * HOUR,
    future: 2 * MINUTE + below(60) * HOUR,
  };
  const moved = away[kind] ?? 0;
  // Times have whole seconds, and offsets of any zone.
  const at = Math.floor((now() + moved) / 1000) * 1000;
  const all = VERDICTS.map((name): KnownVerdict => ({ name, at, verdict: 'pass' }));
  const one = below(all.length);
  const holding = kind === 'hold' ? [one] : kind === 'alarm' ? all.keys() : [];
  for (const index of holding) all[index] = { ...(all[index] as KnownVerdict), verdict: 'hold' };
  if (kind === 'without') all.splice(one, 1);
  if (kind === 'twice') all.push({ ...(all[one] as KnownVerdict), verdict: pick(['pass', 'hold']) });
  // A person who wants to go on looks for a guard that never holds.
  if (kind !== 'without') all.push({ name: ALWAYS, at, verdict: 'pass' });
  sources.verdicts = all;
  const zone = pick(['Z', '+00:00', '+05:30', '-08:00']);
  writeFileSync(file, JSON.stringify({ verdicts: all.map((entry) => ({ ...entry, at: inZone(entry.at, zone) })) }));
}

function inZone(time: number, zone: string): string {
  const [, sign = '+', hours = 0, minutes = 0] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
  return new Date(time + offset).toISOString().slice(0, 19) + zone;
}

export const DEFINITIONS: Readonly<Record<string, Definition>> = {
  errors: { source: { alert: 'Errors' }, maxAge: 5 * DAY, patience: DAY },
  latency: { source: { alert: 'Latency' }, maxAge: 9 * DAY, patience: 3 * DAY },
  budget: { source: { verdict: 'budget' }, maxAge: 2 * DAY, patience: DAY },
  go: { source: { verdict: 'go' }, maxAge: 9 * DAY, patience: 2 * DAY },
};
