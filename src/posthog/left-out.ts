/** What differs from its declaration in what no plan can write, as the warnings of a plan say. */

import { aliasIn } from './resource-path.ts';
import type { PlanWarning } from './plan.ts';

/** The resources that are not as declared although the plan has no change of them. */
export function findLeftOut(
  warnings: readonly PlanWarning[],
): { readonly resource: 'flag' | 'cohort'; readonly key: string }[] {
  return warnings
    .filter(isOfLeftOut)
    .map(({ key }) => ({ resource: aliasIn(key) === undefined ? ('flag' as const) : ('cohort' as const), key }));
}

const LEFT_OUT: ReadonlySet<PlanWarning['code']> = new Set(['create_opaque', 'cohort_static', 'not_enabled']);

/** For a static cohort, the service has a list of persons where the manifests declare a definition. */
function isOfLeftOut(warning: PlanWarning): boolean {
  if (warning.code === 'filters_opaque') return warning.omitted.length > 0;
  return LEFT_OUT.has(warning.code);
}
