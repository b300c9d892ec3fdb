/** `flagwright serve`: runs the embedded service until it is stopped. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startEmbedded, type EmbeddedOptions, type EmbeddedService } from '../../../service/src/index.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { INSTANT_REMEDY, parseInstant } from '../../base/times.ts';
import { readYaml } from '../../base/yaml/read.ts';
import type { Config, EmbeddedProject } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import type { ExitCode } from '../line/exit.ts';
import type { RateLimitOption } from '../line/options.ts';
import { loadManifests, type DeclareLoaded } from '../project/follow-manifests.ts';
import { type LoadedProject, readConfiguration } from '../project/load-project.ts';
import { fileError } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly projectId?: readonly string[];
  readonly data?: string;
  readonly seed?: string;
  readonly profile?: 'documented' | 'posthog';
  /** Milliseconds. */
  readonly latency?: number;
  readonly rateLimit?: RateLimitOption;
  readonly faults?: string;
  readonly manifests?: boolean;
  /** The time at which the service starts. The option enables the path that moves its clock. */
  readonly clock?: string;
}

const IN_MEMORY = ':memory:';
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export async function serve(session: Session, options: ServeOptions): Promise<ExitCode> {
  if (!LOOPBACK.has(options.host)) {
    const words = `The embedded service listens only on loopback addresses, not on ${options.host}.`;
    throw new FlagwrightError('usage', words, { remedy: 'It accepts any key. Use 127.0.0.1, ::1 or localhost.' });
  }
  const projectIds = [...new Set(options.projectId ?? ['1'])];
  const wrong = projectIds.find((id) => !/^[\w-]+$/.test(id));
  if (wrong !== undefined) {
    throw new FlagwrightError('usage', `--project-id ${quoteShort(wrong)} is not an id of a project.`, {
      remedy: 'Use letters, digits, dashes and underscores, such as 1 or 5678.',
    });
  }
  // The first project is the one that the printed variables and `--manifests` are about.
  const [projectId = ''] = projectIds;
  const declareLoaded = options.manifests ? await loadProjectManifests(session, projectId) : undefined;
  const service = await startEmbedded(await embeddedOptions(session, { ...options, projectIds }));
  try {
    const follow = await declareLoaded?.(service);
    await announce(session, service, { ...options, projectIds });
    await (follow?.() ?? stopped(session.interrupts.stop));
  } finally {
    await service.close();
  }
  await session.note('Stopped.\n');
  return 0;
}

type ResolvedOptions = ServeOptions & { readonly projectIds: readonly string[] };

async function embeddedOptions(session: Session, options: ResolvedOptions): Promise<EmbeddedOptions> {
  const { context } = session;
  const { data, seed, latency, rateLimit, faults } = options;
  const { profile = 'documented', ...names } = await readProject(session);
  const onRequest: EmbeddedOptions['onRequest'] = ({ method, path: target, status, durationMs }) =>
    void session.print(`${method} ${escapeLine(target)} ${status} ${Math.round(durationMs)} ms\n`);
  const { host, port } = options;
  return {
    ...{ host, port },
    data: data === undefined || data === IN_MEMORY ? IN_MEMORY : path.resolve(context.cwd, data),
    profile: options.profile ?? profile,
    projects: options.projectIds.map((id) => ({ id, ...names })),
    ...(seed === undefined ? {} : { seed: await readSeed(context.cwd, seed), seedFlags: options.manifests !== true }),
    ...defined({ latencyMs: latency, rateLimit, faults: faults && (await readFaultScript(context.cwd, faults)) }),
    now: () => new Date(context.now()),
    ...(options.clock === undefined ? {} : { startAt: readClock(options.clock), clockRoute: true }),
    randomUuid: context.randomUuid,
    ...(session.options.verbose ? { onRequest } : {}),
  };
}

function readClock(text: string): Date {
  const time = parseInstant(text);
  if (time !== undefined) return new Date(time);
  throw new FlagwrightError('usage', `--clock ${quoteShort(text)} is not a time with an offset.`, {
    remedy: INSTANT_REMEDY,
  });
}

async function loadProjectManifests(session: Session, projectId: string): Promise<DeclareLoaded> {
  const load = async (): Promise<LoadedProject> => {
    const config = await configWithoutEnvironment(session);
    return { config, project: selectProject(config, session.options.project) };
  };
  session.places.root = (await load()).config.root;
  return loadManifests(session, { projectId, load });
}

/** Roles, cohorts and profile of the chosen project, so that its manifests can be tried here. */
async function readProject(session: Session): Promise<Partial<Pick<EmbeddedProject, 'roles' | 'cohorts' | 'profile'>>> {
  const { project: name } = session.options;
  const config = await configWithoutEnvironment(session);
  if (name === undefined && config.defaultProject === undefined) return {};
  const { roles, cohorts, ...project } = selectProject(config, name);
  return { roles, cohorts, ...(project.service === 'embedded' ? { profile: project.profile } : {}) };
}

/** Ignores the environment: POSTHOG_HOST may already point to this service. */
async function configWithoutEnvironment(session: Session): Promise<Config> {
  return (await readConfiguration(session, { env: {}, offline: true })).config;
}

async function readSeed(cwd: string, file: string): Promise<JsonValue> {
  const text = await readText(cwd, file);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new FlagwrightError('file', `The seed ${file} is not valid JSON.`, { cause });
  }
}

/** YAML, and so also JSON. The service checks the content. */
async function readFaultScript(cwd: string, file: string): Promise<JsonValue> {
  const text = await readText(cwd, file);
  const { documents, diagnostics } = readYaml(file, text);
  const [document, second] = documents;
  if (document !== undefined && second === undefined && diagnostics.length === 0) return document.value;
  throw new FlagwrightError('file', `The fault script ${file} is not a single JSON or YAML document.`, { diagnostics });
}

async function readText(cwd: string, file: string): Promise<string> {
  return readFile(path.resolve(cwd, file), 'utf8').catch((cause: unknown) => {
    throw fileError('read', file, cause);
  });
}

async function announce(
  session: Session,
  { url }: EmbeddedService,
  { data, projectIds, clock }: ResolvedOptions,
): Promise<void> {
  const [projectId = ''] = projectIds;
  const environment = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: projectId, POSTHOG_API_KEY: 'any-key-will-do' };
  await session.publish({ kind: 'service', url, projectId, environment });
  const where = data === undefined || data === IN_MEMORY ? 'in memory; keep it with --data FILE' : `in ${data}`;
  const projects = projectIds.length === 1 ? '' : `projects ${projectIds.join(', ')}; `;
  await session.note(`Listening on ${url} (${projects}data ${where}). Stop with Ctrl-C.\n`);
  if (clock !== undefined) {
    await session.note(
      `The clock starts at ${clock}. To move it: POST ${url}/_flagwright/clock with {"advance_seconds": 3600}.\n`,
    );
  }
  const token = `phc_${projectId}`;
  const headers = projectIds.length === 1 ? '' : `, headers: [['X-API-Key', '${token}']]`;
  await session.note(
    `Project token: ${token}. For an SDK: posthog.init('${token}', { api_host: '${url}' }), or new PostHog('${token}', { host: '${url}' }).\n`,
  );
  await session.note(`For an OpenFeature SDK (OFREP): new OFREPProvider({ baseUrl: '${url}'${headers} }).\n`);
}

async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
