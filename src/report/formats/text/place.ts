/** A place in the form that editors and terminals link: `flags/checkout.yaml:9:13`. */

import type { Place } from '../../../base/place.ts';
import { escapeLine } from '../../escape.ts';

export function placeText(place: Place): string {
  return `${escapeLine(place.file)}:${place.line}:${place.column}`;
}
