/** The cohorts that no manifest declares and that arguments name: `cohort:` with an id, a name in the service, or a glob. */

import { memberOf } from '../../base/json.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import { matchKeys } from '../../engine/scope.ts';
import type { Cohort } from '../../posthog/cohort/cohort.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Project } from '../../posthog/project.ts';
import { lookupNames } from '../../posthog/names.ts';
import { nameResource } from '../../posthog/resource-name.ts';

export interface SelectableCohorts {
  /** With the ids of the declared cohorts. */
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

/** @throws {FlagwrightError} `usage` for an argument that names none. */
export function selectCohorts(targets: readonly string[], selectable: SelectableCohorts): ReadonlySet<number> {
  const unmanaged = findUnmanaged(selectable).map((cohort) => ({ cohort, names: namesOf(cohort, selectable) }));
  return new Set(
    targets.flatMap((target) => {
      const exact = unmanaged.filter(({ names }) => names.includes(target));
      const isMatch = exact.length > 0 ? undefined : matchKeys([target]);
      const found = isMatch === undefined ? exact : unmanaged.filter(({ names }) => names.some(isMatch));
      if (found.length > 0) return found.map(({ cohort }) => cohort.id);
      throw unknown(
        target,
        unmanaged.flatMap(({ names }) => names),
        selectable,
      );
    }),
  );
}

function findUnmanaged({ project, desired, live }: SelectableCohorts): readonly Cohort[] {
  const managed = new Set((desired.cohorts ?? []).map(({ key }) => memberOf(project.cohorts, key)));
  return (live.cohorts ?? []).filter(({ id, deleted }) => deleted !== true && !managed.has(id));
}

function namesOf({ id, name }: Cohort, { project }: SelectableCohorts): readonly string[] {
  const alias = lookupNames([], project).cohort(id);
  const names = [String(id), ...(name?.trim() ? [name.trim()] : []), ...(alias === undefined ? [] : [alias])];
  return names.map((alias) => nameResource('cohort', alias));
}

function unknown(target: string, names: readonly string[], { project }: SelectableCohorts): FlagwrightError {
  const among = `of the project ${quoted(project.name)} that no manifest declares`;
  return new FlagwrightError('usage', `${quoted(target)} matches no cohort ${among}.`, {
    remedy: didYouMean(nearest(target, names), 'Name it by its id or its name; flagwright cohorts list shows both.'),
  });
}
