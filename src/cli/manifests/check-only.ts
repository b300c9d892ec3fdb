/** Refuses `--only` with a place that no selected flag has: a mistyped number of a condition would select nothing, in silence. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { quoted } from '../../base/wording.ts';
import type { SelectedFields } from '../../editing/facet.ts';
import { matchKeys } from '../../engine/scope.ts';
import { pointersOf } from '../../posthog/flag/field-path.ts';
import type { FreshPlan } from '../plan/make-plan.ts';
import { isOfMain } from '../../posthog/resource-name.ts';

/** `targets`: keys, names of cohorts and patterns; absent: all. A member need not have a value; an element has to be there. */
export function checkOnly(
  only: SelectedFields,
  { desired, live }: Pick<FreshPlan, 'desired' | 'live'>,
  targets: readonly string[] | undefined,
): void {
  const { flags: paths = [], ...others } = only;
  // What a name means in a further family is not looked up.
  if (
    Object.values(others).some((found) => found.length > 0) &&
    (targets === undefined || targets.some((target) => !isOfMain(target)))
  )
    return;
  const isNamed = targets === undefined ? () => true : matchKeys(targets);
  const declared = desired.flags.flatMap((flag) => (flag.kind === 'declared' && isNamed(flag.key) ? flag : []));
  const keys = new Set(declared.map(({ key }) => key));
  const flags: JsonObject[] = [
    ...declared.map(({ fields }) => fields),
    ...live.flags.filter(({ key }) => keys.has(key)),
  ];
  const absent = paths.find((path) => flags.length > 0 && flags.every((flag) => pointersOf(path, flag).length === 0));
  if (absent === undefined) return;
  throw new FlagwrightError(
    'usage',
    `--only: no selected flag has ${quoted(absent.text)}, neither declared nor live.`,
    {
      remedy: 'Conditions count from 1; flagwright flags get KEY shows them.',
    },
  );
}
