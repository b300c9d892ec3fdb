/** What a run leaves as it is live, and what is released, as groups of a Markdown document. */

import type { Left } from '../../../engine/left.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { PLAIN, type View } from '../../view.ts';
import { leftLines, releasedLines } from '../text/three-way.ts';
import type { Group } from './document.ts';

export const LEFT_TITLE = 'left as in the service';

/** `words`: why these differences are not among the changes. */
export function leftGroup({ left = [] }: { readonly left?: readonly Left[] }, words: string, view: View): Group {
  return {
    title: `${left.length} ${words}`,
    language: 'text',
    entries: left.map((one) => leftLines([one], '', { ...view, palette: PLAIN }).slice(1)),
  };
}

/** How to delete one comes first, since a long list may be cut. */
export function releasedGroup({ released = [] }: Pick<Plan, 'released'>): Group {
  const lines = releasedLines({ released }, { palette: PLAIN }).slice(1);
  const [keys, hints] = [lines.slice(0, released.length), lines.slice(released.length)];
  return {
    title: `${released.length} released (declared at the base, in no manifest now; left alone)`,
    language: 'text',
    entries: [...hints, ...keys].map((line) => [line.trim()]),
  };
}
