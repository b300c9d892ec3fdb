/** Whether a filter can be evaluated here at all, whatever is known of the person. */

import { isReadable } from '../effects/audience.ts';
import type { Property } from '../posthog/flag/flag.ts';

/** A filter with an operator or of a type that this release does not know: only the service knows whom it selects. */
export function isKnownFilter(filter: Property): boolean {
  const { type = null, operator = null } = filter;
  const isWhole = type !== null && operator !== null;
  return isReadable(isWhole ? filter : { ...filter, type: type ?? 'person', operator: operator ?? 'exact' });
}
