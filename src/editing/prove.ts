/** Proves edited texts: they are read for every project, and compared with what is live and with what they said before. */

import type { Project } from '../posthog/project.ts';
import { findChanged } from './changed.ts';
import { findDifferences } from './compare.ts';
import type { EditingContext } from './context.ts';
import { nameAtPath } from './declared.ts';
import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

/** Names of declarations that would not read as live, or would change another project. */
export function findWrong(context: EditingContext, texts: readonly ManifestText[]): ReadonlySet<string> {
  const { allProjects, projects, project } = context;
  const after = readTexts(texts, allProjects);
  const wrong = new Set(findDifferences(context, after).keys());
  for (const other of projects.filter(({ name }) => name !== project.name)) {
    for (const key of findChanged(context.read, after, other)) wrong.add(key);
  }
  const known = new Set(errorKeys(context.read, project));
  for (const key of errorKeys(after, project)) if (!known.has(key)) wrong.add(key);
  return wrong;
}

function errorKeys(read: ReadTexts, project: Project): string[] {
  return read
    .resolve(project)
    .diagnostics.flatMap(({ severity, path = '' }) => (severity === 'error' ? nameAtPath(path) : []));
}
