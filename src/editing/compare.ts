/** Compares what texts of manifests declare with what is live. */

import { fromPointer } from '../base/json-pointer.ts';
import { matchResources } from '../engine/match.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { FLAG_KINDS } from '../posthog/kinds.ts';
import type { EditingContext } from './context.ts';
import { ACCESS } from './overlay.ts';
import type { ReadTexts } from './texts.ts';

interface Differing {
  readonly flag: Flag;
  /** API names of fields, or `ACCESS`. */
  readonly differing: ReadonlySet<string>;
}

/** The declared flags that a plan would change, by key. */
export function findDifferences(
  { project, snapshot }: Pick<EditingContext, 'project' | 'snapshot'>,
  read: ReadTexts,
): Map<string, Differing> {
  const { desired } = read.resolve(project);
  const { pairs } = matchResources(desired.flags, snapshot.flags);
  return new Map(
    pairs.flatMap((pair): [string, Differing][] => {
      const { desired: wanted, live: flag } = pair;
      if (wanted.kind === 'retired' || flag === undefined || flag.key !== wanted.key) return [];
      const changes = FLAG_KINDS.flatMap((kind) => kind.compare(pair, snapshot).changes);
      const differing = changes.flatMap((change): string[] => {
        if (change.resource !== 'flag') return [ACCESS];
        return change.fields.map(({ path }) => fromPointer(path)[0] ?? '');
      });
      return changes.length === 0 ? [] : [[wanted.key, { flag, differing: new Set(differing) }]];
    }),
  );
}
