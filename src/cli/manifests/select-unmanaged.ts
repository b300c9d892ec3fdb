/**
 * The resources of further families that no manifest declares and that arguments name: `cohort:` with an id or a name in the service,
 * `early_access:` with the key of the flag or a name, or a glob.
 */

import { memberOf } from '../../base/json.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import { matchKeys } from '../../engine/scope.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { ARCHIVED } from '../../posthog/early-access/feature.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Project } from '../../posthog/project.ts';
import { lookupNames } from '../../posthog/flag/model/names.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';

export interface Selectable {
  /** Includes the ids of the declared cohorts. */
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

/** Something live, with the names by which arguments mean it. */
interface Nameable {
  readonly id: ResourceId;
  readonly names: readonly string[];
}

interface SelectableFamily {
  readonly noun: string;
  readonly remedy: string;
  readonly unmanaged: (selectable: Selectable) => readonly Nameable[];
}

const SELECTABLE: Readonly<Record<FurtherFamily, SelectableFamily>> = {
  cohorts: {
    noun: 'cohort',
    remedy: 'Name it by its id or its name; flagwright cohorts list shows both.',
    unmanaged: unmanagedCohorts,
  },
  early_access: {
    noun: 'early access feature',
    remedy: 'Name it by the key of its flag or its name; flagwright early-access list shows both.',
    unmanaged: unmanagedFeatures,
  },
};

/**
 * The ids, by family. `targets`: of further families.
 * @throws {FlagwrightError} `usage` for an argument that names none.
 */
export function selectUnmanaged(
  targets: readonly string[],
  selectable: Selectable,
): Readonly<Record<FurtherFamily, ReadonlySet<string>>> {
  const select = (section: FurtherFamily): ReadonlySet<string> => {
    const own = targets.filter((target) => readName(target).section === section);
    return own.length === 0 ? new Set() : selectOf(own, selectable, SELECTABLE[section]);
  };
  return { cohorts: select('cohorts'), early_access: select('early_access') };
}

function selectOf(
  targets: readonly string[],
  selectable: Selectable,
  { noun, remedy, unmanaged: find }: SelectableFamily,
): ReadonlySet<string> {
  const unmanaged = find(selectable);
  return new Set(
    targets.flatMap((target) => {
      const exact = unmanaged.filter(({ names }) => names.includes(target));
      const isMatch = exact.length > 0 ? undefined : matchKeys([target]);
      const found = isMatch === undefined ? exact : unmanaged.filter(({ names }) => names.some(isMatch));
      if (found.length > 0) return found.map(({ id }) => String(id));
      const among = `of the project ${quoted(selectable.project.name)} that no manifest declares`;
      const known = unmanaged.flatMap(({ names }) => names);
      throw new FlagwrightError('usage', `${quoted(target)} matches no ${noun} ${among}.`, {
        remedy: didYouMean(nearest(target, known), remedy),
      });
    }),
  );
}

function unmanagedCohorts({ project, desired, live }: Selectable): readonly Nameable[] {
  const managed = new Set((desired.cohorts ?? []).map(({ key }) => memberOf(project.cohorts, key)));
  const { cohort: aliasOf } = lookupNames([], project);
  return (live.cohorts ?? [])
    .filter(({ id, deleted }) => deleted !== true && !managed.has(id))
    .map(({ id, name }) => {
      const alias = aliasOf(id);
      const names = [String(id), ...(name?.trim() ? [name.trim()] : []), ...(alias === undefined ? [] : [alias])];
      return { id, names: names.map((one) => nameResource('cohort', one)) };
    });
}

/** An archived feature offers nothing: a manifest declares it as deleted or not at all. */
function unmanagedFeatures({ desired, live }: Selectable): readonly Nameable[] {
  const managed = new Set((desired.early_access ?? []).map(({ flag }) => flag));
  const keys = new Map(live.flags.map(({ id, key }) => [id, key]));
  return (live.early_access ?? []).flatMap(({ id, name, stage }) => {
    const flag = keys.get(id);
    if (flag === undefined || managed.has(flag) || stage === ARCHIVED) return [];
    return [{ id, names: [flag, name].map((one) => nameResource('early_access', one)) }];
  });
}
