/** Names of roles and cohorts that one project lacks and another one has. */

import type { ProjectNames } from '../project.ts';
import type { Resolution } from './manifests.ts';
import type { ManifestDiagnostic } from './problems.ts';

export interface Separated {
  readonly resolution: Resolution;
  /** The names, sorted, each once. */
  readonly foreign: readonly string[];
}

/** Takes the diagnostics about such names out of a resolution: they are no typing errors. */
export function separateForeignAliases(resolution: Resolution, others: readonly ProjectNames[]): Separated {
  const nameOf = (diagnostic: ManifestDiagnostic): string | undefined => foreignAlias(diagnostic, others);
  const foreign = resolution.diagnostics.flatMap((diagnostic) => nameOf(diagnostic) ?? []);
  return {
    resolution: { ...resolution, diagnostics: resolution.diagnostics.filter((one) => nameOf(one) === undefined) },
    foreign: [...new Set(foreign)].toSorted(),
  };
}

function foreignAlias({ code, args }: ManifestDiagnostic, others: readonly ProjectNames[]): string | undefined {
  if (code === 'role-unknown')
    return others.some(({ roles }) => Object.hasOwn(roles, args.role)) ? args.role : undefined;
  if (code !== 'cohort-unknown') return undefined;
  return others.some(({ cohorts }) => Object.hasOwn(cohorts, args.cohort)) ? args.cohort : undefined;
}
