/** The sentences for values that others decide and that are not as declared. */

import type { ObservedValue } from '../../engine/ownership.ts';
import { count } from './count.ts';

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
