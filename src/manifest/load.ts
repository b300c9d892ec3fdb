/** Manifests to desired state in one call, for those who want the state or an error that says everything. */

import { hasErrors, sortDiagnostics } from '../base/diagnostic.ts';
import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import { FlagwrightError } from '../base/errors.ts';
import type { DesiredState } from '../posthog/desired.ts';
import type { Project } from '../posthog/project.ts';
import { readManifests, type ReadOptions } from './read.ts';
import { resolveProject } from './resolve.ts';

export interface LoadOptions extends ReadOptions {
  readonly project: Project;
  /** Names of all projects of the configuration. */
  readonly allProjects: readonly string[];
}

/** Throws `manifest_invalid` with every diagnostic when one is an error; else returns the warnings with the state. */
export async function loadDesired(
  options: LoadOptions,
): Promise<{ readonly desired: DesiredState; readonly warnings: readonly ManifestDiagnostic[] }> {
  const read = await readManifests(options);
  const resolved = resolveProject({ ...options, files: read.files });
  const diagnostics = sortDiagnostics([...read.diagnostics, ...resolved.diagnostics]);
  if (hasErrors(diagnostics)) {
    const [{ summarizeWith }, { ALL_MANIFEST_WORDS }] = await Promise.all([
      import('../base/wording.ts'),
      import('../posthog/manifest-words.ts'),
    ]);
    throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, diagnostics), { diagnostics });
  }
  return { desired: resolved.desired, warnings: diagnostics };
}
