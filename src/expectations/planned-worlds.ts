/** The flags and cohorts of a project before and after a plan, each side such that named people can be evaluated. */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { closureOf, type World as Side, type Worlds } from '../impact/worlds.ts';
import type { CohortChange } from '../posthog/cohort/change.ts';
import type { Cohort } from '../posthog/cohort/cohort.ts';
import { withCohortIds as withCohortIdsIn } from '../posthog/cohort/references.ts';
import { withCohortIds } from '../posthog/flag/references.ts';
import type { Change } from '../posthog/plan.ts';
import type { ProjectNames } from '../posthog/project.ts';
import { createCohortIds, knownCohorts, type World } from './world.ts';

export interface Planned {
  readonly changes: readonly Change[];
  /** As the plan saw them; absent where the run did not read them. */
  readonly cohorts?: readonly Cohort[];
  /** Of every cohort with an alias. */
  readonly names: ProjectNames;
}

/** Only the flags that are asked about, and those that they depend on. */
export function plannedWorlds(
  { changes, cohorts = [], names }: Planned,
  flags: Worlds,
  keys: readonly string[],
): { readonly before: World; readonly after: World } {
  const cohortId = createCohortIds(new Map(Object.entries(names.cohorts)));
  const live = definitionsOf(cohorts);
  const changed = changes.filter((change) => change.resource === 'cohort');
  const gone = changed.flatMap((change) => (change.action === 'delete' ? change.id : []));
  const make = (side: Side, definitions: Definitions, retired: readonly number[]): World => {
    const asked = [...closureOf(keys, side)].flatMap((key) => side.flags.get(key) ?? []);
    const evaluated = asked.map((flag) => ({ ...flag, ...withCohortIds(flag, cohortId) }));
    return {
      flags: evaluated,
      cohorts: knownCohorts({ flags: evaluated, definitions: [...definitions], retired }),
      cohortId,
    };
  };
  return { before: make(flags.before, live, []), after: make(flags.after, applied(live, changed, cohortId), gone) };
}

/** By id; `undefined` for a list of persons. */
type Definitions = ReadonlyMap<number, JsonObject | undefined>;

function definitionsOf(cohorts: readonly Cohort[]): Definitions {
  return new Map(
    cohorts
      .filter(({ deleted }) => deleted !== true)
      .map(({ id, is_static: isStatic, filters }) => [
        id,
        isStatic !== true && isJsonObject(filters) ? filters : undefined,
      ]),
  );
}

function applied(live: Definitions, changes: readonly CohortChange[], cohortId: World['cohortId']): Definitions {
  const definitions = new Map(live);
  for (const change of changes) {
    const id = 'id' in change ? change.id : cohortId(change.key);
    const former = 'base' in change ? change.base.cohort : {};
    const { filters } = withCohortIdsIn({ ...former, ...change.body }, cohortId);
    if (change.action === 'delete') definitions.delete(id);
    else definitions.set(id, isJsonObject(filters) ? filters : undefined);
  }
  return definitions;
}
