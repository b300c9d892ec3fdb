/** Compares what texts of manifests declare with what is live, and with what they declared before. */

import { fromPointer } from '../../base/json-pointer.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { matchResources } from '../../engine/match.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { KINDS } from '../../posthog/kinds.ts';
import type { Project } from '../../posthog/project.ts';
import type { Context } from './context.ts';
import { ACCESS } from './overlay.ts';
import { meaningOf, readTexts, type ManifestText, type ReadTexts } from './texts.ts';

interface Differing {
  readonly flag: Flag;
  /** API names of fields, or `ACCESS`. */
  readonly differing: ReadonlySet<string>;
}

/** The declared flags that a plan would change, by key. */
export function findDifferences({ project, snapshot }: Context, read: ReadTexts): Map<string, Differing> {
  const { desired } = read.resolve(project);
  const { pairs } = matchResources(desired.flags, snapshot.flags);
  return new Map(
    pairs.flatMap((pair): [string, Differing][] => {
      const { desired: wanted, live: flag } = pair;
      if (wanted.kind === 'retired' || flag === undefined || flag.key !== wanted.key) return [];
      const changes = KINDS.flatMap((kind) => kind.compare(pair, snapshot).changes);
      const differing = changes.flatMap((change): string[] => {
        if (change.resource !== 'flag') return [ACCESS];
        return change.fields.map(({ path }) => fromPointer(path)[0] ?? '');
      });
      return changes.length === 0 ? [] : [[wanted.key, { flag, differing: new Set(differing) }]];
    }),
  );
}

/** Keys whose declarations would not read as live, or would change another project. */
export function findWrong(context: Context, texts: readonly ManifestText[]): ReadonlySet<string> {
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
  const [former, now] = [before, after].map(
    (read) =>
      new Map(read.resolve(project).desired.flags.map((flag) => [flag.key, meaningOf(flag) as JsonValue] as const)),
  );
  const keys = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...keys].filter((key) => !jsonEquals(former?.get(key), now?.get(key)));
}

function errorKeys(read: ReadTexts, project: Project): string[] {
  return read
    .resolve(project)
    .diagnostics.flatMap(({ severity, path = '' }) => (severity === 'error' ? (fromPointer(path)[1] ?? []) : []));
}
