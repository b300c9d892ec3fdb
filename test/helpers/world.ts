/** A project in a running embedded service, with the real client over HTTP. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import { startEmbedded, type EmbeddedOptions, type EmbeddedService, type Profile } from '../../service/src/index.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import { buildPlan, type PlanOptions } from '../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import type { ClientOptions } from '../../src/posthog/client/connection.ts';
import { createClient, type ServiceClient } from '../../src/posthog/service-client.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { selectionOf } from '../../src/posthog/live-selection.ts';
import { planOptions } from './states.ts';

export const ROLE_IDS: readonly string[] = [
  '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11',
  '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22',
  '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c33',
];

const COHORTS = { beta: 42, internal: 43, power: 57 };

export interface World {
  readonly client: ServiceClient;
  readonly url: string;
  readonly clock: EmbeddedService['clock'];
  readonly checkAlert: EmbeddedService['checkAlert'];
  live(desired?: DesiredState): Promise<LiveState>;
  plan(desired: DesiredState, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(plan: Plan, signal?: AbortSignal): Promise<ApplyResult>;
  /** An edit by another user. */
  edit(key: string, body: Parameters<ServiceClient['updateFlag']>[1]): Promise<Flag>;
  close(): Promise<void>;
  /** Its port hangs up until the test ends, so that no service of another test gets it. */
  goDown(): Promise<void>;
}

export interface WorldOptions {
  /** A database file that worlds can share; default: in memory. */
  readonly data?: string;
  readonly faults?: JsonValue;
  readonly now?: () => Date;
  readonly sleep?: EmbeddedOptions['sleep'];
  readonly onRequest?: EmbeddedOptions['onRequest'];
  readonly rateLimit?: EmbeddedOptions['rateLimit'];
  readonly accessRoutes?: 'entries' | 'levels';
  readonly client?: Partial<ClientOptions>;
  /** Of an apply; default 4. */
  readonly concurrency?: number;
}

/** A world that is closed after the test. */
export async function openWorld(...given: Parameters<typeof startWorld>): Promise<World> {
  const world = await startWorld(...given);
  onTestFinished(async () => world.close());
  return world;
}

export async function startWorld(profile: Profile, seed?: JsonValue, options: WorldOptions = {}): Promise<World> {
  const service = await startEmbedded({
    data: options.data ?? ':memory:',
    profile,
    projects: [
      { id: '1', roles: Object.fromEntries(ROLE_IDS.map((id, index) => [`role-${index}`, id])), cohorts: COHORTS },
    ],
    now: options.now ?? (() => new Date()),
    randomUuid: randomUUID,
    ...(seed === undefined ? {} : { seed }),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...(options.sleep === undefined ? {} : { sleep: options.sleep }),
    ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    ...(options.rateLimit === undefined ? {} : { rateLimit: options.rateLimit }),
    ...(options.accessRoutes === undefined ? {} : { accessRoutes: options.accessRoutes }),
  });
  const client = createClient({ host: service.url, projectId: '1', apiKey: 'phx_test', ...options.client });
  const live: World['live'] = (desired = { flags: [] }) => readLiveState(client, selectionOf(desired));
  const close = async (): Promise<void> => {
    await client.close();
    await service.close();
  };
  return {
    client,
    url: service.url,
    clock: service.clock,
    checkAlert: (record) => service.checkAlert(record),
    live,
    plan: async (desired, options) => buildPlan(desired, await live(desired), planOptions(options)),
    apply: (plan, signal) =>
      applyPlan(plan, client, { concurrency: options.concurrency ?? 4, ...(signal === undefined ? {} : { signal }) }),
    async edit(key, body) {
      const flag = (await client.listFlags()).find((candidate) => candidate.key === key);
      if (flag === undefined) throw new Error(`There is no flag ${key}.`);
      return client.updateFlag(flag.id, body);
    },
    close,
    async goDown() {
      await close();
      const held = createServer((socket) => socket.destroy());
      onTestFinished(() => void held.close());
      await once(held.listen(Number(new URL(service.url).port), '127.0.0.1'), 'listening');
    },
  };
}

/** Applies all that is desired, and proves that every change is made and nothing is left to plan. */
export async function applyAll(world: World, desired: DesiredState): Promise<ApplyResult> {
  const result = await world.apply(await world.plan(desired));
  expect(result.changes.map(({ change, result: { outcome } }) => [change.ref, outcome])).toEqual(
    result.changes.map(({ change }) => [change.ref, 'applied']),
  );
  expect(result.remainder).toEqual([]);
  expect((await world.plan(desired)).changes).toEqual([]);
  return result;
}
