/** Starts and stops the embedded service: database, seed and HTTP server. */

import type { Server } from 'node:http';
import { FlagwrightError } from '../../src/base/errors.ts';
import { pause, startTimer, type Timer } from '../../src/base/timer.ts';
import { recordCheck } from './alerts/checks.ts';
import { createRateLimit } from './answering/rate-limit.ts';
import { createClock, movedByHand, type BareClock, type ServiceClock } from './handler/clock.ts';
import { declare } from './declare/declare.ts';
import type { FaultOptions, Faults } from './faults/faults.ts';
import type { ServiceContext } from './handler/call.ts';
import { PROFILES } from './handler/profile.ts';
import { createHttpServer } from './http/server.ts';
import type { EmbeddedOptions, EmbeddedService } from './options.ts';
import { nextRunTime, runDueChanges } from './scheduled-changes/run.ts';
import { registerProjects } from './seed/register.ts';
import { openStore } from './store/store.ts';
import type { AddressInfo } from 'node:net';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
/** How often PostHog looks for scheduled changes that are due. */
const SWEEP_MS = 60_000;

/** `startEmbedded`, loaded when it is called. */
export async function startService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const projects = options.projects ?? [{ id: '1' }];
  if (projects.length === 0) throw new FlagwrightError('usage', 'The embedded service needs at least one project');
  const store = openStore(options.data);
  try {
    const clock = createClock(options.now, options.startAt);
    const { now } = clock;
    const { randomUuid } = options;
    const projectIds = projects.map(({ id }) => id);
    const own = PROFILES[options.profile ?? 'documented'];
    const rules = { ...own, access: options.accessRoutes ?? own.access };
    const context: ServiceContext = { store, projectIds, rules, now, randomUuid };
    registerProjects(context, projects);
    await seed(context, options);
    const movable = movedByHand(clock, (time) => passTime(context, clock, time));
    const server = await createServer(context, { ...options, clock: movable });
    const address = await listen(server, { host: options.host ?? DEFAULT_HOST, port: options.port ?? 0 });
    const sweep = startSweeps(context);
    return {
      ...address,
      clock: movable,
      declare: (declaration) => declare(context, declaration),
      checkAlert: (record) => recordCheck(context, record),
      close: async () => {
        sweep.cancel();
        await close(server).finally(() => store.close());
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function seed(context: ServiceContext, { seed: document, seedFlags = true }: EmbeddedOptions): Promise<void> {
  if (document === undefined) return;
  // Loaded on demand: most starts have no seed.
  const { loadSeed } = await import('./seed/load.ts');
  loadSeed(context, document, seedFlags);
}

/** Runs due changes each minute. What a busy database refuses is due still at the next one. */
function startSweeps(context: ServiceContext): Timer {
  const sweep = (): void => {
    next = startTimer(SWEEP_MS, sweep, { unref: true });
    try {
      runDueChanges(context);
    } catch {
      // The next sweep tries again.
    }
  };
  let next = startTimer(SWEEP_MS, sweep, { unref: true });
  return { cancel: () => next.cancel() };
}

/** Runs at its time whatever is to run until then. */
function passTime(context: ServiceContext, clock: BareClock, time: Date): void {
  for (let next = nextRunTime(context, clock.now()); next !== undefined && next <= time;) {
    clock.moveTo(next);
    runDueChanges(context);
    next = nextRunTime(context, clock.now());
  }
  clock.moveTo(time);
  runDueChanges(context);
}

async function createServer(
  context: ServiceContext,
  options: EmbeddedOptions & { readonly clock: ServiceClock },
): Promise<Server> {
  const answering = {
    context,
    apiKeys: options.apiKeys,
    checkRate: createRateLimit(options.rateLimit, context.now),
    ...(options.clockRoute === true && { clock: options.clock }),
    onRequest: options.onRequest,
    sleep: options.sleep ?? (async (ms: number) => pause(ms)),
  };
  return createHttpServer({
    ...answering,
    latencyMs: options.latencyMs ?? 0,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    faults: await loadFaults(options, answering),
  });
}

async function loadFaults({ faults }: EmbeddedOptions, answering: FaultOptions): Promise<Faults | undefined> {
  if (faults === undefined) return undefined;
  const { createFaults } = await import('./faults/faults.ts');
  return createFaults(faults, answering);
}

/** The longest wait of a close for answers in progress before it cuts their connections. */
const CLOSE_GRACE_MS = 5000;

/** Throws `FlagwrightError` with code `usage` if the port cannot be opened. */
async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host}:${port}`;
      const message =
        cause.code === 'EADDRINUSE' ? `${place} is already in use` : `Cannot listen on ${place}: ${cause.message}`;
      reject(new FlagwrightError('usage', message, { cause }));
    });
    server.listen({ host, port, backlog: 1024 }, resolve);
  });
  // A listening server on TCP has an address and a port.
  const address = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`, port: address.port };
}

/** Finishes answers in progress; closes idle connections at once. */
async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
