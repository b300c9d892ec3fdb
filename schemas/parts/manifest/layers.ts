/** The members of every declaration that say in which projects it holds, and how they differ. */

import { array, mapOf, orNull, type Definition, type Keywords } from '../../../src/base/schema.ts';
import { filled } from '../values.ts';

export function overlays(overlay: Definition, remarks: Keywords = {}): Keywords {
  return orNull(
    mapOf(overlay, {
      title: 'Overlays',
      description:
        "Differences in one project, by the project's name; merged as JSON Merge Patch (RFC 7396), so null removes a member.",
      ...remarks,
    }),
  );
}

export function onlyIn(noun: string): Keywords {
  return array(filled(), {
    title: 'Only in',
    description: `The projects that have the ${noun}. By default all.`,
    examples: [['staging']],
  });
}

/** The member of a declaration or an overlay that silences slips. */
export function intended(places: string, example: string): Keywords {
  return array(filled(), {
    title: 'Intended',
    description: `${places} that look like a slip and are intended.`,
    examples: [[example]],
  });
}
