/** Loads manifests to desired state in one call, or throws an error with everything that is wrong. */

import { hasErrors, sortDiagnostics } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { DesiredState } from '../desired.ts';
import type { Project } from '../project.ts';
import { readManifests, resolveProject, type ReadOptions } from './manifests.ts';
import type { ManifestDiagnostic } from './problems.ts';

export interface LoadOptions extends ReadOptions {
  readonly project: Project;
  /** Names of all projects of the configuration. */
  readonly allProjects: readonly string[];
}

/** Throws `manifest_invalid` with every diagnostic if one is an error; otherwise returns the state and the warnings. */
export async function loadDesired(
  options: LoadOptions,
): Promise<{ readonly desired: DesiredState; readonly warnings: readonly ManifestDiagnostic[] }> {
  const read = await readManifests(options);
  const resolved = resolveProject({ ...options, files: read.files });
  const diagnostics = sortDiagnostics([...read.diagnostics, ...resolved.diagnostics]);
  if (hasErrors(diagnostics)) {
    const [{ summarizeWith }, { ALL_MANIFEST_WORDS }] = await Promise.all([
      import('../../base/wording.ts'),
      import('./words.ts'),
    ]);
    throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, diagnostics), { diagnostics });
  }
  return { desired: resolved.desired, warnings: diagnostics };
}
