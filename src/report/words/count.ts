/** A count with its noun: `1 flag`, `2 flags`. */

import { isOfMain } from '../../posthog/resource-name.ts';

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** `2 flags and 1 cohort`, of keys of flags and names of cohorts (`cohort:ALIAS`). */
export function countNamed(names: readonly string[]): string {
  const cohorts = names.filter((name) => !isOfMain(name)).length;
  const flags = names.length - cohorts;
  const parts = [...(flags === 0 ? [] : [count(flags, 'flag')]), ...(cohorts === 0 ? [] : [count(cohorts, 'cohort')])];
  return parts.join(' and ');
}
