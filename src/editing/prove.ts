/** Proves edited texts: they are read for every project, and compared with what is live and with what they said before. */

import { jsonEquals } from '../base/json.ts';
import type { Project } from '../posthog/project.ts';
import { findDifferences } from './compare.ts';
import type { EditingContext } from './context.ts';
import { meaningsOf, nameAtPath } from './declared.ts';
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

function findChanged(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const [former, now] = [before, after].map((read) => meaningsOf(read.resolve(project).desired));
  const keys = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...keys].filter((key) => !jsonEquals(former?.get(key), now?.get(key)));
}

function errorKeys(read: ReadTexts, project: Project): string[] {
  return read
    .resolve(project)
    .diagnostics.flatMap(({ severity, path = '' }) => (severity === 'error' ? nameAtPath(path) : []));
}
