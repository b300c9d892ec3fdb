/** Gives an embedded project the names of roles and cohorts that other projects have, so that it takes their manifests. */

import { createHash } from 'node:crypto';
import type { Config, ProjectConfig } from './config.ts';

/** `declared`: the aliases of cohorts that manifests declare for the project. The service has those only once they are written. */
export function lendNames(
  project: ProjectConfig,
  { projects }: Pick<Config, 'projects'>,
  declared: ReadonlySet<string>,
): ProjectConfig {
  if (!mayBorrow(project)) return project;
  const others = Object.values(projects).filter((other) => other.name !== project.name);
  const aliases = others.flatMap(({ cohorts }) => Object.keys(cohorts)).filter((alias) => !declared.has(alias));
  const lent = Object.fromEntries(aliases.map((alias) => [alias, toId(alias)]));
  const roles = Object.assign({}, ...others.map((other) => other.roles)) as ProjectConfig['roles'];
  return { ...project, roles: { ...roles, ...project.roles }, cohorts: { ...lent, ...project.cohorts } };
}

/** `aliasesIn`: the cohorts that manifests declare for a project. */
export function lendAllNames(config: Config, aliasesIn: (project: ProjectConfig) => ReadonlySet<string>): Config {
  const projects = Object.entries(config.projects).map(
    ([name, project]) => [name, lendNames(project, config, aliasesIn(project))] as const,
  );
  return { ...config, projects: Object.fromEntries(projects) };
}

/** Whether the service is embedded by declaration, and not because the address of a remote one is missing. */
export function mayBorrow(project: ProjectConfig): boolean {
  return project.service === 'embedded' && project.isStandIn !== true;
}

/** An id of another project may be that of a cohort that this service numbered itself. */
function toId(alias: string): number {
  return createHash('sha256').update(alias).digest().readUIntBE(0, 6);
}
