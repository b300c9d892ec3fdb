/**
 * The facts that several checks need, each looked up once: the configuration, the manifests, the newest runs and the answers of the
 * service.
 */

import { once } from '../../base/once.ts';
import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredKeys, readManifests } from '../../posthog/manifests/manifests.ts';
import { unite } from '../../posthog/manifests/load.ts';
import { identityOf } from '../project/open-project.ts';
import { createKnownFiles, type KnownFiles } from '../project/known-files.ts';
import { readConfiguration } from '../project/read-configuration.ts';
import { chooseProjects, resolveProjects } from '../project/resolve-projects.ts';
import { findNewestRuns, type FoundRun } from '../runs/find-runs.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { probeHosts, type Probes } from './probe.ts';

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
