/** The sentences for values that others decide and that are not as declared. */

import type { ObservedValue, OutsideBounds } from '../../engine/ownership.ts';
import { count } from './count.ts';
import { inlineValue } from './value.ts';

/** How many there are. */
export function observedText(observed: readonly ObservedValue[]): string {
  const values = count(observed.length, 'value');
  return `${values} that others decide ${observed.length === 1 ? 'differs' : 'differ'} from the manifests (no drift)`;
}

export function ownershipText({ ownership }: Pick<ObservedValue, 'ownership'>): string {
  if (ownership === 'observed') return 'observed';
  const [low, high] = ownership.between;
  return `between ${low} and ${high}`;
}

/** The note beside a change to the nearest bound, which is not the declared value. */
export function outsideText({ between: [low, high], declared }: OutsideBounds, unit: string): string {
  const bounds = `outside the bounds ${low}${unit} to ${high}${unit}`;
  return `${bounds}; the nearest one replaces the declared ${inlineValue(declared)}${unit}`;
}
