/** What a run leaves as it is live, and what is released, as groups of a Markdown document. */

import type { Left } from '../../../engine/left.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import { PLAIN, type View } from '../../view.ts';
import { placeText } from '../text/place.ts';
import { leftLines } from '../text/three-way.ts';
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

export function releasedGroup({ released = [] }: Pick<Plan, 'released'>): Group {
  return {
    title: `${released.length} released (to delete one, declare it with deleted: true)`,
    language: 'text',
    entries: released.map(({ key, place }) => [
      `? ${escapeLine(key)}${place === undefined ? '' : `  ${placeText(place)}`}`,
    ]),
  };
}
