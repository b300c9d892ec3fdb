/** Reads and resolves manifests from text, for the tests of manifests. */

import type { ManifestDiagnostic } from '../../../src/posthog/manifests/problems.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Project } from '../../../src/posthog/project.ts';
import type { ManifestFile } from '../../../src/core/manifest/declaration.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';

export const ENGINEERING = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
export const SUPPORT = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';

export const PRODUCTION: Project = {
  name: 'production',
  roles: { engineering: ENGINEERING, support: SUPPORT },
  cohorts: { 'beta-testers': 42 },
};

export interface Checked {
  readonly files: readonly ManifestFile[];
  readonly desired: DesiredState;
  readonly diagnostics: readonly ManifestDiagnostic[];
}

/** Reads `texts` (by file name, or one as `flags.yaml`) and resolves them for a project. */
export function check(texts: string | Readonly<Record<string, string>>, project: Project = PRODUCTION): Checked {
  const named = typeof texts === 'string' ? { 'flags.yaml': texts } : texts;
  const parsed = Object.entries(named).map(([name, text]) => parseManifest(name, text));
  const files = parsed.map(({ file }) => file);
  const resolved = resolveManifests(files, project, ['production', 'staging']);
  return {
    files,
    desired: resolved.desired,
    diagnostics: [...parsed.flatMap(({ diagnostics }) => diagnostics), ...resolved.diagnostics],
  };
}

/** The diagnostics of a manifest, each as `severity code path`. */
export function problems(texts: string | Readonly<Record<string, string>>, project: Project = PRODUCTION): string[] {
  return check(texts, project).diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`);
}

/** The diagnostics of a flag `f` with these filters (JSON or YAML flow), paths from the filters on. */
export function problemsOfFilters(filters: string): string[] {
  return problems(`flags:\n  f: { filters: ${filters} }\n`).map((line) => line.replace('/flags/f/filters', ''));
}

/** The diagnostics of a flag with one condition that has this one property. */
export function problemsOfProperty(property: string, condition = ''): string[] {
  return problemsOfFilters(`{ groups: [{ properties: [${property}]${condition} }] }`).map((line) =>
    line.replace('/groups/0/properties/0', ''),
  );
}
