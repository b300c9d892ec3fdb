/** Opens clients for projects of the configuration; starts the embedded service if a project uses it. */

import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { startEmbedded } from '../../../service/src/index.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { EmbeddedProject, ProjectConfig, RemoteProject } from '../../config/config.ts';
import { apiKeyOf } from '../../config/select.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { type ClientOptions, paceOf } from '../../posthog/client/connection.ts';
import { proxiesOf } from '../../posthog/client/proxies.ts';
import { createClient, type ServiceClient } from '../../posthog/service-client.ts';
import { version } from '../line/version.ts';
import { writeNewFile, refuseLinkOut } from '../session/files.ts';
import { createProgress, type ProgressReporter } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { watchServiceClock, type ServiceClock } from './service-clock.ts';

export interface OpenProject {
  readonly identity: ProjectIdentity;
  readonly project: ProjectConfig;
  readonly client: ServiceClient;
  /** The client to write with. An embedded project without data is read in memory; this creates its file. */
  readonly forWriting: () => Promise<ServiceClient>;
  readonly progress: ProgressReporter;
  readonly clock: ServiceClock;
}

/** The identity of the project in documents, known before it is opened. */
export function identityOf(project: ProjectConfig): ProjectIdentity {
  const host = project.service === 'embedded' ? 'embedded' : project.host;
  return { name: project.name, host, project_id: project.projectId };
}

interface Opening {
  readonly project: ProjectConfig;
  /** Follows the requests, and ends when the project is closed; by default one of its own. */
  readonly progress?: ProgressReporter;
  /** How long the run waits for the service: one that tests how it answers can go on without an answer. */
  readonly patience?: Pick<ClientOptions, 'once' | 'timeoutMs' | 'urgent'>;
}

export async function withProject<Result>(
  session: Session,
  { project, progress = createProgress(session), patience }: Opening,
  use: (opened: OpenProject) => Promise<Result>,
): Promise<Result> {
  const clock = watchServiceClock(session.context.now, progress.onService);
  const closing: (() => Promise<void>)[] = [];
  const pace = project.service === 'remote' ? session.paces.get(budgetOf(session, project)) : undefined;
  const open = async (access: Access): Promise<ServiceClient> => {
    closing.unshift(async () => access.close());
    const client = createClient({
      ...access.options,
      concurrency: session.options.concurrency,
      signal: session.interrupts.cut,
      stop: session.interrupts.stop,
      userAgent: `flagwright/${version()}`,
      onEvent: clock.onEvent,
      proxies: proxiesOf(session.context.env),
      ...defined({ pace, leftMs: session.interrupts.leftMs }),
      ...patience,
    });
    closing.unshift(async () => client.close());
    return client;
  };
  if (project.service === 'embedded') await refuseLinkOut(session.places.root, project.data);
  const isEmpty = project.service === 'embedded' && (await isMissing(project.data));
  try {
    const client = await open(
      project.service === 'embedded'
        ? await startEmbeddedService(session, project, isEmpty ? ':memory:' : await makeDataFolder(session, project))
        : openRemote(session, project),
    );
    const forWriting = async (): Promise<ServiceClient> =>
      isEmpty ? open(await startEmbeddedService(session, project, await makeDataFolder(session, project))) : client;
    return await use({ identity: identityOf(project), project, client, forWriting, progress, clock });
  } finally {
    for (const close of closing) await close();
    progress.end();
  }
}

interface Access {
  readonly options: {
    readonly host: string;
    readonly projectId: string;
    readonly apiKey: string;
    readonly keyVariable?: string;
    readonly requestsPerMinute?: number;
  };
  close(): Promise<void>;
}

function openRemote(session: Session, project: RemoteProject): Access {
  const apiKey = apiKeyOf(project, session.context.env);
  session.secrets.add(apiKey);
  const { host, projectId, requestsPerMinute, apiKeyVariable: keyVariable } = project;
  return { options: { host, projectId, apiKey, keyVariable, requestsPerMinute }, close: async () => undefined };
}

async function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

async function makeDataFolder(session: Session, { data }: EmbeddedProject): Promise<string> {
  const folder = path.dirname(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeNewFile(session, path.join(folder, '.gitignore'), '*\n');
  return data;
}

async function startEmbeddedService(session: Session, project: EmbeddedProject, data: string): Promise<Access> {
  const { context } = session;
  const apiKey = context.randomUuid();
  session.secrets.add(apiKey);
  const service = await startEmbedded({
    data,
    profile: project.profile,
    projects: [{ id: project.projectId, roles: project.roles, cohorts: project.cohorts }],
    apiKeys: [apiKey],
    now: () => new Date(context.now()),
    randomUuid: context.randomUuid,
  });
  return {
    options: { host: service.url, projectId: project.projectId, apiKey },
    close: async () => service.close(),
  };
}

/**
 * Opens several projects at once, which share budgets of requests (`sharePaces`).
 *
 * Passes the open projects to `use`, in the order of `projects`, and closes them all, also after a failure.
 */
export async function withProjects<Result>(
  session: Session,
  projects: readonly ProjectConfig[],
  use: (opened: readonly OpenProject[]) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(session);
  sharePaces(session, projects);
  const openRest = (opened: readonly OpenProject[]): Promise<Result> => {
    const project = projects[opened.length];
    if (project === undefined) return use(opened).finally(progress.clear);
    return withProject(session, { project, progress }, (one) => openRest([...opened, one]));
  };
  return openRest([]);
}

/** Projects of a run over several; more at once would only take memory. */
export const MOST_AT_ONCE = 8;

/** Gives the projects of one budget one pace, that of the smallest limit among them. */
export function sharePaces(session: Session, projects: readonly ProjectConfig[]): void {
  const smallest = new Map<string, RemoteProject>();
  for (const project of projects) {
    if (project.service !== 'remote') continue;
    const budget = budgetOf(session, project);
    const known = smallest.get(budget);
    if (known === undefined || project.requestsPerMinute < known.requestsPerMinute) smallest.set(budget, project);
  }
  for (const [budget, project] of smallest) session.paces.set(budget, paceOf(project));
}

/** The service counts the requests of a key, whatever the project (docs/service.md, "Rate limits"); the configuration may join several keys. */
function budgetOf({ context }: Session, { requestBudget, host, apiKeyVariable }: RemoteProject): string {
  return requestBudget ?? `${host} ${memberOf(context.env, apiKeyVariable) ?? ''}`;
}
