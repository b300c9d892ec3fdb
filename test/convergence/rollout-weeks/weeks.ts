/** Ten simulated weeks: a repository, a service with its clock, the rollouts as they are known, and a log that explains a failure. */

import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { CONFIG, gitStage, type GitStage } from '../../helpers/git-stage.ts';
import { type Front, startFront } from '../../helpers/front.ts';
import { KEY } from '../../helpers/stage.ts';
import { APPROVED_ABOVE, DAY, type Known, manifestOf, rolloutOf } from './known.ts';
import { seeded } from '../../helpers/runs.ts';

const START = Date.parse('2026-10-01T08:00:00Z');
export const LENGTH: number = 70 * DAY;
const ANN = 'phx_ann_approves';

export interface Weeks {
  readonly here: GitStage;
  /** Before the service, for the command only. */
  readonly front: Front;
  readonly rollouts: Known[];
  /** The service has a policy that gates steps above `APPROVED_ABOVE`. */
  readonly isGated: boolean;
  readonly now: () => number;
  readonly moveTo: (time: number) => void;
  /** At a time, which is now if none is given. */
  readonly isFrozen: (time?: number) => boolean;
  readonly run: (...argv: string[]) => ReturnType<GitStage['run']>;
  readonly random: () => number;
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** The percentage of each flag, or that it is off. */
  readonly live: () => Promise<Live>;
  readonly requests: () => Promise<readonly Request[]>;
  /** As ann, who may approve. */
  readonly decide: (id: string, decision: 'approve' | 'reject') => Promise<void>;
  /** Commits the manifests as the rollouts are known. */
  readonly commit: () => void;
  readonly log: (what: string) => void;
  /** Where rollouts are guarded. */
  readonly guards?: GuardsOfWeeks;
  /** The message of a law that is broken, with all that happened before. */
  readonly told: (law: string) => string;
}

/** What the guards of a rollout say, without asking the command. */
export interface GuardsOfWeeks {
  /** The guards that do not let the next step through. `which`: by the earliest (0) or the latest (1) time of the last step. */
  readonly blocking: (one: Known, which: 0 | 1) => readonly string[];
  /** A step was made now, by guards that were blocking or not. */
  readonly judgeStep: (one: Known) => void;
  /** When a step that is due becomes overdue; at the earliest (0) or at the latest (1). */
  readonly overdueFrom: (one: Known, which: 0 | 1) => number;
  /** The exit codes of a run that succeeds otherwise. */
  readonly codes: () => readonly number[];
}

export interface GuardedSetting {
  /** Added to the configuration. */
  readonly config: string;
  readonly seed: JsonValue;
  readonly guards: (weeks: Weeks) => GuardsOfWeeks;
  /** Which guards a new rollout has. */
  readonly guardOf: (below: (limit: number) => number) => readonly string[];
}

export type Live = ReadonlyMap<string, number | 'off'>;

/** A change request of the service. */
export interface Request {
  readonly id: string;
  readonly flag: number;
  readonly state: string;
  readonly asked: number | undefined;
}

/** Applied before the first step. One history of eight has forty rollouts. */
export async function beginWeeks(seed: number, guarded?: GuardedSetting): Promise<Weeks> {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const amount = below(8) === 0 ? (guarded === undefined ? 40 : 12) : 3 + below(6);
  const rollouts = Array.from({ length: amount }, (_, index) => rolloutOf(`flag-${index}`, START, below));
  for (const one of rollouts) if (guarded !== undefined && !one.jumps) one.guard = guarded.guardOf(below);
  const freeze = guarded === undefined ? freezeBeside(rollouts, below) : undefined;
  const isGated = guarded === undefined && below(2) === 0;
  let now = START;
  const lines: string[] = [];
  const front = await startFront();
  const here = await gitStage((configOf(freeze) + (guarded?.config ?? '')).replace('$HOST', front.url), {
    manifest: manifestOf(rollouts),
    now: () => new Date(now),
    rateLimit: { requests: 480, windowMs: 60_000 },
    ...(isGated ? { seed: GATED } : guarded === undefined ? {} : { seed: guarded.seed }),
  });
  front.target = here.world.url;
  const weeks: Weeks = {
    ...{ here, front, rollouts, isGated, random, below },
    now: () => now,
    moveTo: (time) => void (now = time),
    isFrozen: (time = now) => freeze !== undefined && time >= freeze[0] && time < freeze[1],
    run: async (...argv) => here.runWith({ now }, ...argv),
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    live: async () => new Map((await here.world.client.listFlags()).map(liveOf)),
    requests: async () => (isGated ? ((await ask(here, '')).map(toRequest) as readonly Request[]) : []),
    decide: async (id, decision) => void (await ask(here, `${id}/${decision}/`)),
    commit: () => here.commit({ 'flags/main.yaml': manifestOf(rollouts) }),
    log: (what) => void lines.push(`${new Date(now).toISOString()} ${what}`),
    told: (law) => `seed ${seed}: ${law}\n${lines.join('\n')}`,
  };
  const all: Weeks = guarded === undefined ? weeks : Object.assign(weeks, { guards: guarded.guards(weeks) });
  expect(await all.run('apply', '--yes'), all.told('the first apply')).toMatchObject({ code: 0 });
  return all;
}

type LiveFlag = Awaited<ReturnType<GitStage['world']['client']['listFlags']>>[number];

function liveOf({ key, active, filters }: LiveFlag): [string, number | 'off'] {
  return [key, active === false ? 'off' : Number(filters?.groups?.[0]?.rollout_percentage)];
}

const GATED: JsonValue = {
  members: [{ email: 'ann@example.org', api_key: ANN }],
  approval_policies: [
    {
      action_key: 'feature_flag.update',
      conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: APPROVED_ABOVE },
      approvers: ['ann@example.org'],
    },
  ],
};

/** Newest first. With a path it decides one. */
async function ask({ world }: GitStage, path: string): Promise<readonly JsonObject[]> {
  const sent = path === '' ? {} : { method: 'POST', body: JSON.stringify({ reason: 'decided' }) };
  const headers = { authorization: `Bearer ${path === '' ? KEY : ANN}`, 'content-type': 'application/json' };
  const query = path === '' ? '?limit=200' : path;
  const answer = await fetch(`${world.url}/api/projects/1/change_requests/${query}`, { headers, ...sent });
  const body = (await answer.json()) as JsonObject;
  return (body['results'] as readonly JsonObject[] | undefined) ?? [body];
}

function toRequest(request: JsonObject): Request {
  const text = JSON.stringify(request['intent'] ?? {});
  const [, asked] = /"rollout_percentage":(\d+)/.exec(text) ?? [];
  return {
    id: request['id'] as string,
    flag: Number(request['resource_id']),
    state: request['state'] as string,
    asked: asked === undefined ? undefined : Number(asked),
  };
}

/** Two days in which no step is due; `undefined` if no two days are free of steps. */
function freezeBeside(
  rollouts: readonly Known[],
  below: (limit: number) => number,
): readonly [number, number] | undefined {
  const from = START + (1 + below(60)) * DAY;
  const to = from + 2 * DAY;
  return rollouts.some(({ steps }) => steps.some(({ at }) => at >= from && at < to)) ? undefined : [from, to];
}

function configOf(freeze: readonly [number, number] | undefined): string {
  if (freeze === undefined) return CONFIG;
  const [from, to] = freeze.map((time) => new Date(time).toISOString().slice(0, 16));
  return `${CONFIG}policies: { rules: [{ rule: freeze, deny: [{ from: ${from}, to: ${to}, zone: UTC }], level: error }] }\n`;
}
