/** A count with its noun: `1 flag`, `2 flags`. */

import { readName } from '../../posthog/resource-name.ts';
import { labelsOf, RESOURCES } from './kinds.ts';

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** `2 flags and 1 cohort`, of keys of flags and names of other resources (`cohort:ALIAS`). */
export function countNamed(names: readonly string[]): string {
  const kinds = names.map((name) => readName(name).kind);
  return RESOURCES.flatMap((resource) => {
    const amount = kinds.filter((kind) => kind === resource).length;
    const { noun, plural } = labelsOf({ resource });
    return amount === 0 ? [] : [count(amount, noun, plural)];
  }).join(' and ');
}
