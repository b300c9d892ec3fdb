/** Starts and stops the embedded service: database, seed and HTTP server. */

import type { Server } from 'node:http';
import { FlagwrightError } from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';
import { pause } from '../base/timer.ts';
import type { ServiceContext } from './handler/call.ts';
import { declare } from './declare/declare.ts';
import type { FaultOptions, Faults } from './faults/faults.ts';
import type { EmbeddedOptions, EmbeddedProject, EmbeddedService } from './options.ts';
import { PROFILES } from './handler/profile.ts';
import { createRateLimit } from './answering/rate-limit.ts';
import { createHttpServer } from './http/server.ts';
import { openStore } from './store/store.ts';
import { timestampOf } from './format/timestamp.ts';

export type { Declaration, DeclaredFlag } from './declare/declaration.ts';
export type { RequestRecord } from './answering/request.ts';
export type { Profile } from './handler/profile.ts';
export type { EmbeddedOptions, EmbeddedService } from './options.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const LOWEST_ROLE_LEVEL_TO_EDIT = 37;
/** How long a closing service waits for answers under way before it cuts their connections. */
const CLOSE_GRACE_MS = 5000;

/**
 * Opens the database, loads the seed into an empty project, and listens.
 * Throws `FlagwrightError`: `usage` for options that do not fit (a seed or a script of faults that breaks its schema, a port that is taken),
 * `file` for a database that cannot be opened.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedService> {
  const projects = checkedProjects(options);
  const store = openStore(options.data);
  try {
    const context = {
      store,
      rules: PROFILES[options.profile ?? 'documented'],
      now: options.now,
      randomUuid: options.randomUuid,
    };
    registerProjects(context, projects);
    if (options.seed !== undefined) {
      // Loaded only when needed: most starts have none.
      const { loadSeed } = await import('./seed/load.ts');
      loadSeed(context, options.seed, {
        projectIds: projects.map((project) => project.id),
        hasFlags: options.seedFlags ?? true,
      });
    }
    const answering = {
      context,
      projectIds: projects.map((project) => project.id),
      apiKeys: options.apiKeys,
      checkRate: createRateLimit(options.rateLimit, options.now),
      onRequest: options.onRequest,
      sleep: options.sleep ?? (async (ms: number) => pause(ms)),
    };
    const server = createHttpServer({
      ...answering,
      latencyMs: options.latencyMs ?? 0,
      requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
      faults: await faultsOf(options.faults, answering),
    });
    const address = await listen(server, options);
    return {
      ...address,
      declare: (declaration) => declare(context, declaration),
      close: async () => close(server).finally(() => store.close()),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

function checkedProjects(options: EmbeddedOptions): readonly EmbeddedProject[] {
  const projects = options.projects ?? [{ id: '1' }];
  if (projects.length === 0) throw new FlagwrightError('usage', 'The embedded service needs at least one project');
  return projects;
}

async function faultsOf(script: JsonValue | undefined, options: FaultOptions): Promise<Faults | undefined> {
  if (script === undefined) return undefined;
  const { createFaults } = await import('./faults/faults.ts');
  return createFaults(script, options);
}

/** Makes known what the configuration names: roles belong to the organisation, cohorts to a project. */
function registerProjects({ store, now }: ServiceContext, projects: readonly EmbeddedProject[]): void {
  const createdAt = timestampOf(now());
  store.transaction(() => {
    for (const project of projects) {
      for (const [name, id] of Object.entries(project.roles ?? {})) {
        store.roles.put({ id, name, accessLevel: LOWEST_ROLE_LEVEL_TO_EDIT, createdAt });
      }
      for (const [name, id] of Object.entries(project.cohorts ?? {})) {
        store.cohorts.put(project.id, { id, name, properties: null });
      }
    }
  });
}

async function listen(server: Server, options: EmbeddedOptions): Promise<{ url: string; port: number }> {
  const host = options.host ?? DEFAULT_HOST;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host}:${options.port ?? 0}`;
      const message =
        cause.code === 'EADDRINUSE' ? `${place} is in use already` : `Cannot listen on ${place}: ${cause.message}`;
      reject(new FlagwrightError('usage', message, { cause }));
    });
    server.listen({ host, port: options.port ?? 0, backlog: 1024 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new FlagwrightError('internal', 'The server has no port');
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`, port: address.port };
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
