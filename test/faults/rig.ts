/** Two services on one database: a faulty one for the apply, an honest one for the setup and the checks. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ApplyResult, OutcomeKind } from '../../src/loop/apply/result.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { FaultRule, Profile } from '../../service/src/index.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { ClientOptions } from '../../src/posthog/client/connection.ts';
import { rolesOf } from '../helpers/access.ts';
import { startWorld, type World } from '../helpers/world.ts';
import { TIMEOUT_MS } from './catalogue.ts';
import { createRigTime, type RigTime } from './rig-time.ts';

export interface Rig {
  readonly honest: World;
  /** A separate service on the same data, whose faults count from now. */
  readonly startFaulty: (faults: readonly FaultRule[], options?: FaultyOptions) => Promise<World>;
  /** Lets the faulty services finish the requests that their clients gave up, and waits for that. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface FaultyOptions {
  readonly concurrency?: number;
  readonly client?: Partial<ClientOptions>;
}

export async function startRig(profile: Profile, seed?: JsonValue): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'flagwright-faults-'));
  const data = join(folder, 'flags.db');
  const honest = await startWorld(profile, seed, { data });
  const started: World[] = [];
  const times: RigTime[] = [];
  const settle = async (): Promise<void> => {
    await Promise.all(times.map((time) => time.settle()));
  };
  return {
    honest,
    startFaulty: async (faults, options = {}) => {
      const { clock, ...time } = createRigTime();
      times.push({ clock, ...time });
      const { onEvent, ...client } = options.client ?? {};
      const world = await startWorld(profile, undefined, {
        data,
        faults: { faults } as unknown as JsonValue,
        now: time.now,
        sleep: time.sleep,
        onRequest: time.onRequest,
        concurrency: options.concurrency ?? 1,
        client: {
          clock,
          timeoutMs: TIMEOUT_MS,
          maxBodyBytes: 1_000_000,
          ...client,
          onEvent: (event) => {
            time.onEvent(event);
            onEvent?.(event);
          },
        },
      });
      started.push(world);
      return world;
    },
    settle,
    close: async () => {
      await settle();
      await Promise.all([honest, ...started].map((world) => world.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the service holds, read without faults. */
export interface Seen {
  readonly flags: readonly Flag[];
  readonly rolesOf: (flag: Flag | undefined) => readonly string[];
  /** Entries of the activity log by our user, as activity and key, without updates that changed only the version. */
  readonly ourActivity: readonly string[];
}

export async function look(world: World): Promise<Seen> {
  const flags = await world.client.listFlags();
  const lists = await Promise.all(flags.map(async ({ id }) => [id, await rolesOf(world.client, id)] as const));
  const roles = new Map(lists);
  return {
    flags,
    rolesOf: (flag) => (flag === undefined ? [] : (roles.get(flag.id) ?? [])),
    ourActivity: await ourActivity(world),
  };
}

async function ourActivity(world: World): Promise<string[]> {
  const response = await fetch(`${world.url}/api/projects/1/feature_flags/activity/?limit=1000`, {
    headers: { authorization: 'Bearer k' },
  });
  const { results } = (await response.json()) as { readonly results: readonly JsonObject[] };
  return results.flatMap((entry) => {
    const { user, detail, activity } = entry;
    if (!isJsonObject(user) || user['email'] !== 'embedded@example.org' || !isJsonObject(detail)) return [];
    const changes = detail['changes'];
    const isVersionOnly =
      activity === 'updated' &&
      isJsonArray(changes) &&
      changes.every((change) => isJsonObject(change) && change['field'] === 'version');
    return isVersionOnly ? [] : [JSON.stringify([activity, detail['name']])];
  });
}

interface Truth {
  readonly isDone: boolean;
  /** Whether the remainder reports an applied change that did not reach the wanted value. */
  readonly reported: boolean;
  readonly context: string;
}

/** `applied` means done, and everything else except `unknown` means not done. */
export function expectTruth(outcome: OutcomeKind, { isDone, reported, context }: Truth): void {
  if (outcome === 'unknown' || (outcome === 'applied' && reported)) return;
  expect(isDone, `${outcome} means ${outcome === 'applied' ? 'done' : 'not done'}; ${context}`).toBe(
    outcome === 'applied',
  );
}

/** One entry in the log for each changed flag, and at most one role access entry for each role. */
export function expectOnce(seen: Seen, before: Seen, context: string): void {
  const writes = seen.ourActivity.slice(0, seen.ourActivity.length - before.ourActivity.length);
  expect(new Set(writes).size, context).toBe(writes.length);
  for (const flag of seen.flags) {
    const roles = seen.rolesOf(flag);
    expect(new Set(roles).size, context).toBe(roles.length);
  }
}

/** A run without faults must apply the rest and leave an empty plan. */
export async function expectConvergence(world: World, desired: DesiredState): Promise<ApplyResult> {
  const healed = await world.apply(await world.plan(desired));
  expect(healed.changes.filter(({ result }) => result.outcome !== 'applied')).toEqual([]);
  expect(healed.remainder).toEqual([]);
  const again = await world.plan(desired);
  expect(again.changes).toEqual([]);
  return healed;
}
