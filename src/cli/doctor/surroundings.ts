/**
 * The facts that several checks need, each looked up once: the configuration, the manifests, the newest runs and the answers of the
 * service.
 */

import { defined } from '../../base/optional.ts';
import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { once } from '../../base/once.ts';
import type { Config, ProjectConfig, RemoteProject } from '../../config/config.ts';
import { apiKeyOf } from '../../config/select.ts';
import type { ServiceEvent } from '../../posthog/client/events.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { type Failure } from '../../posthog/client/failure.ts';
import type { CurrentKey } from '../../posthog/client/operations/current-key.ts';
import { proxiesOf } from '../../posthog/client/proxies.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { unite } from '../../posthog/manifests/load.ts';
import { declaredKeys, readManifests } from '../../posthog/manifests/manifests.ts';
import { createClient, type ServiceClient } from '../../posthog/service-client.ts';
import { version } from '../line/version.ts';
import { createKnownFiles, type KnownFiles } from '../project/known-files.ts';
import { readConfiguration } from '../project/load-project.ts';
import { identityOf, withProject } from '../project/open-project.ts';
import { chooseProjects, resolveProjects } from '../project/resolve-projects.ts';
import { findNewestRuns, type FoundRun } from '../runs/find-runs.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';

export interface Surroundings {
  readonly session: Session;
  readonly configuration: UsableConfiguration;
  readonly manifests: () => Promise<Manifests>;
  readonly newestRuns: (project: ProjectConfig) => Promise<readonly FoundRun[]>;
  readonly probes: () => Promise<Probes>;
}

export type Configuration = UsableConfiguration | { readonly kind: 'unusable'; readonly error: FlagwrightError };

export interface UsableConfiguration {
  readonly kind: 'usable';
  readonly config: Config;
  readonly warnings: readonly Diagnostic[];
  /** The one of `--project`, or all. */
  readonly projects: readonly ProjectConfig[];
}

interface Manifests {
  readonly files: number;
  readonly flags: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly known: KnownFiles;
  /** Keys are names of projects; empty if a manifest has an error. */
  readonly desired: ReadonlyMap<string, DesiredState>;
}

export async function findConfiguration(session: Session): Promise<Configuration> {
  try {
    const { config, diagnostics } = await readConfiguration(session, {});
    session.places.root = config.root;
    return { kind: 'usable', config, warnings: diagnostics, projects: await chooseProjects(session, config) };
  } catch (error) {
    const known = toFlagwrightError(error);
    if (known.code === 'internal') throw error;
    return { kind: 'unusable', error: known };
  }
}

export function surroundingsOf(session: Session, configuration: UsableConfiguration): Surroundings {
  const runs = new Map<string, Promise<readonly FoundRun[]>>();
  return {
    session,
    configuration,
    manifests: once(() => findManifests(session, configuration)),
    newestRuns: (project) => {
      const found = runs.get(project.name) ?? findNewestRuns(session, identityOf(project));
      runs.set(project.name, found);
      return found;
    },
    probes: once(() => probeHosts(session, configuration.projects)),
  };
}

async function findManifests(session: Session, { config, projects }: UsableConfiguration): Promise<Manifests> {
  const known = createKnownFiles();
  const { files, diagnostics: ofFiles } = await readManifests({
    root: config.root,
    patterns: config.manifests,
    reportUnmatched: true,
    checkpoint: session.interrupts.checkpoint,
    onRead: known.remember,
  });
  const resolved = await resolveProjects(session, config, { files, projects });
  const diagnostics = sortDiagnostics([...ofFiles, ...unite(resolved.map(({ resolution }) => resolution))]);
  return {
    files: files.length,
    flags: declaredKeys(files, 'flags').size,
    diagnostics,
    known,
    desired: new Map(
      hasErrors(diagnostics) ? [] : resolved.map(({ project, resolution }) => [project.name, resolution.desired]),
    ),
  };
}

export interface Probes {
  /** The first answer of each service, by host. */
  readonly hosts: ReadonlyMap<string, HostProbe>;
  /** Keys are names of projects. */
  readonly projects: ReadonlyMap<string, ProjectProbe>;
}

export interface HostProbe {
  /** Absent if the service answered with what was asked for. */
  readonly failure?: Failure;
  /** The address of the proxy that was asked to connect to it. */
  readonly proxy?: string;
  readonly answer?: AnswerTimes;
}

export interface AnswerTimes {
  /** The clock of this machine, in milliseconds since 1970. */
  readonly receivedAt: number;
  readonly ms: number;
  readonly serviceTime?: number;
}

export interface ProjectProbe {
  readonly project: RemoteProject;
  readonly key: KeyState;
  /** The service's answer about the key; absent if the key cannot be sent. */
  readonly current?: Answered<CurrentKey>;
  /** A flag, or null in a project without flags; absent if the host or the key is not accepted. */
  readonly flag?: Answered<Flag | null>;
  /** How many flags were read, if the owner of the key can edit none of them. */
  readonly readOnly?: number;
}

export type Answered<Value> = { readonly value: Value } | { readonly failure: Failure; readonly proxy?: string };

/** The state of the variable that should have a key. */
export type KeyState =
  | { readonly kind: 'usable'; readonly key: string }
  | { readonly kind: 'missing'; readonly empty: boolean }
  | { readonly kind: 'project_token' | 'project_secret' | 'malformed' }
  /** The key must not be sent to the host. */
  | { readonly kind: 'withheld'; readonly error: FlagwrightError };

export async function probeHosts(session: Session, projects: readonly ProjectConfig[]): Promise<Probes> {
  const remote = projects.filter((project) => project.service === 'remote');
  const hosts = new Map<string, HostProbe>();
  const asked = new Map<string, Answered<CurrentKey>>();
  const probed = new Map<string, ProjectProbe>();
  // One after the other: a slow answer must not be one that waited for another.
  for (const project of remote) {
    const key = keyStateOf(session, project);
    probed.set(
      project.name,
      key.kind === 'usable' ? await probeProject(session, { project, key, hosts, asked }) : { project, key },
    );
  }
  for (const { name, host } of remote) {
    const mayAsk = (probed.get(name)?.key.kind ?? 'withheld') !== 'withheld';
    if (mayAsk && !hosts.has(host)) hosts.set(host, await probeWithoutKey(session, host));
  }
  return { hosts, projects: probed };
}

/** Reads the variable; sends no request. */
function keyStateOf({ context, secrets }: Session, project: RemoteProject): KeyState {
  const written = memberOf(context.env, project.apiKeyVariable);
  // Even an invalid key may be a secret.
  if (written !== undefined) for (const secret of [written, written.trim()]) secrets.add(secret);
  try {
    const key = apiKeyOf(project, context.env);
    if (/^phs_/.test(key)) return { kind: 'project_secret' };
    return /^[\x21-\x7e]+$/.test(key) ? { kind: 'usable', key } : { kind: 'malformed' };
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    if (error.diagnostics.some(({ code }) => code === 'config-key-missing')) {
      return { kind: 'missing', empty: written !== undefined };
    }
    if (error.diagnostics.some(({ code }) => code === 'config-key-of-project')) return { kind: 'project_token' };
    return { kind: 'withheld', error };
  }
}

/** A person waits until the host answers or the time is over. */
export const PATIENCE = { once: true, timeoutMs: 10_000 } as const;

interface Probing {
  readonly project: RemoteProject;
  readonly key: Extract<KeyState, { readonly kind: 'usable' }>;
  readonly hosts: Map<string, HostProbe>;
  /** Keys are host and API key. */
  readonly asked: Map<string, Answered<CurrentKey>>;
}

async function probeProject(session: Session, { project, key, hosts, asked }: Probing): Promise<ProjectProbe> {
  const { times, onEvent } = watchAnswers(session);
  const progress = { ...createProgress(session), onService: onEvent };
  return withProject(session, { project, progress, patience: PATIENCE }, async ({ client }) => {
    const name = `${project.host}\n${key.key}`;
    const current = asked.get(name) ?? (await answerOf(client.getCurrentKey()));
    asked.set(name, current);
    if (!hosts.has(project.host)) hosts.set(project.host, hostProbe(current, times()));
    const isAccepted = 'value' in current || ['not_found', 'forbidden'].includes(current.failure.kind);
    if (!isAccepted) return { project, key, current };
    const answer = await answerOf(firstFlags(client));
    if ('failure' in answer) return { project, key, current, flag: answer };
    const { value: flags } = answer;
    const isReadOnly = flags.length > 0 && flags.every(({ can_edit: canEdit }) => canEdit === false);
    const flag = { value: flags[0] ?? null };
    return { project, key, current, flag, ...(isReadOnly ? { readOnly: flags.length } : {}) };
  });
}

/** Enough to tell a key that can edit nothing from a few flags that only others may edit. */
const SAMPLE = 100;

async function firstFlags(client: ServiceClient): Promise<readonly Flag[]> {
  const flags: Flag[] = [];
  for await (const flag of client.pageFlags({ pageSize: SAMPLE })) {
    flags.push(flag);
    if (flags.length === SAMPLE) break;
  }
  return flags;
}

/** Whether the host answers is worth knowing before there is a key, so the request carries no key. */
async function probeWithoutKey(session: Session, host: string): Promise<HostProbe> {
  const { times, onEvent } = watchAnswers(session);
  const client = createClient({
    host,
    projectId: '@current',
    apiKey: 'none',
    signal: session.interrupts.cut,
    userAgent: `flagwright/${version()}`,
    onEvent,
    proxies: proxiesOf(session.context.env),
    ...PATIENCE,
  });
  try {
    return hostProbe(await answerOf(client.getCurrentKey()), times());
  } finally {
    await client.close();
  }
}

function watchAnswers({ context }: Session) {
  let times: AnswerTimes | undefined;
  return {
    times: (): AnswerTimes | undefined => times,
    onEvent: (event: ServiceEvent): void => {
      if (event.kind !== 'response' || event.status === undefined) return;
      const { ms, serviceTime } = event;
      times = { receivedAt: context.now(), ms, ...(serviceTime === undefined ? {} : { serviceTime }) };
    },
  };
}

function hostProbe(answered: Answered<unknown>, answer: AnswerTimes | undefined): HostProbe {
  return {
    ...('failure' in answered ? answered : {}),
    ...(answer === undefined ? {} : { answer }),
  };
}

/** @throws the error itself if the run ends. */
async function answerOf<Value>(asking: Promise<Value>): Promise<Answered<Value>> {
  try {
    return { value: await asking };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    return { failure: error.failure, ...defined({ proxy: error.callee?.proxy }) };
  }
}
