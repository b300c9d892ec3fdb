/** Proves texts with merged cohorts: they cause no error, and no other project changes. */

import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { findChanged } from '../changed.ts';
import type { EditingContext } from '../context.ts';
import { blamed, findNewErrors } from '../new-errors.ts';
import { readTexts, type ManifestText } from '../texts.ts';
import type { NotMerged, NotMergedReason } from './not-merged.ts';

interface Merged {
  /** The names of the cohorts that were edited. */
  readonly open: readonly string[];
  readonly reasonOf: (problem: ManifestDiagnostic) => NotMergedReason;
}

/** The cohorts that must be left as they were; all of them where something else has an error. */
export function proveCohorts(
  { read, project, projects, allProjects }: EditingContext,
  texts: readonly ManifestText[],
  { open, reasonOf }: Merged,
): readonly NotMerged[] {
  const after = readTexts(texts, allProjects);
  const wrong = new Map<string, NotMergedReason>();
  for (const one of projects) {
    const changed = one.name === project.name ? [] : findChanged(read, after, one);
    for (const key of changed) wrong.set(key, 'reads-differently');
    for (const error of findNewErrors(read, after, one)) {
      wrong.set(
        blamed(error, (name) => open.includes(name)),
        reasonOf(error.problem),
      );
    }
  }
  const [first] = wrong.values();
  if (first === undefined) return [];
  const own = open.flatMap((key): NotMerged[] => {
    const reason = wrong.get(key);
    return reason === undefined ? [] : [{ key, reason }];
  });
  return own.length > 0 ? own : open.map((key) => ({ key, reason: first }));
}
