/** What `validate` prints beyond the reading of files: the problems of every project, each once. */

import { sortDiagnostics, type Diagnostic } from '../base/diagnostic.ts';
import type { Project } from '../model/project.ts';
import type { ManifestFile } from './manifest.ts';
import { resolveManifests } from './resolve.ts';

export function validateManifests(files: readonly ManifestFile[], projects: readonly Project[]): readonly Diagnostic[] {
  const names = projects.map(({ name }) => name);
  const found = new Map<string, Diagnostic>();
  for (const project of projects) {
    for (const diagnostic of resolveManifests(files, project, names).diagnostics) {
      found.set(JSON.stringify(diagnostic), diagnostic);
    }
  }
  return sortDiagnostics([...found.values()]);
}
