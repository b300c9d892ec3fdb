/** The dynamic cohorts that exported flags use: they are declared under the names that the configuration gives their ids. */

import { reach } from '../../base/graph.ts';
import { jsonEquals, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Block } from '../../core/manifest/write/layout.ts';
import type { Order } from '../../core/manifest/write/group-files.ts';
import type { ExportedFamily } from '../exported.ts';
import { cohortsIn, leavesOf, mapCohorts } from '../flag/model/cohort-filters.ts';
import { type Flag, viewFilters } from '../flag/model/flag.ts';
import { placesOfErrors } from '../flag/checks/slips.ts';
import { findCohortSlips } from './manifest.ts';
import { COHORT_FIELD_NAMES, COHORT_MEMBERS, noneOf, statedCohort, type Cohort } from './cohort.ts';

export interface ExportedCohort {
  readonly reason: UndeclarableReason;
  readonly note: UndeclaredCohort;
}

/**
 * Why no manifest can declare a cohort that has an alias. `static`: it is a list of persons. `behavioral`: it depends on events, itself or
 * through another cohort. `unlisted`: the project does not list it, so it is deleted, or never existed.
 */
type UndeclarableReason = 'static' | 'behavioral' | 'unlisted';

/** The flag uses the cohort, itself or through another one, and no manifest can declare it. */
interface UndeclaredCohort {
  readonly kind: 'cohort-undeclared';
  readonly key: string;
  readonly cohort: number;
  readonly name?: string;
  readonly reason: UndeclarableReason | 'reads-differently';
}

export const EXPORTED_COHORTS: ExportedFamily<'cohorts'> = {
  file: 'cohorts.yaml',
  plural: 'cohorts',
  disclosed: ['id', ...COHORT_FIELD_NAMES, 'is_calculating'],
  mayHave: (flag) => namedByConditions(flag).length > 0,
  // Conditions name cohorts, and so do definitions.
  idsOf: (flags, live) => [
    ...new Set(flags.flatMap((flag) => [...reach(namedByConditions(flag), (id) => namedByCohort(live.get(id)))])),
  ],
  findUndeclarable: (ids, live) => {
    const whyNot = (id: number): UndeclarableReason | undefined => {
      const cohort = live.get(id);
      if (cohort === undefined || cohort.deleted === true) return 'unlisted';
      if (cohort.is_static === true) return 'static';
      const leaves = [...reach([id], (one) => namedByCohort(live.get(one)))].flatMap((one) =>
        leavesOf(live.get(one)?.filters),
      );
      return leaves.some(({ type }) => type === 'behavioral') ? 'behavioral' : undefined;
    };
    return new Map(
      ids.flatMap((id) => {
        const reason = whyNot(id);
        return reason === undefined ? [] : [[id, reason] as const];
      }),
    );
  },
  name: (cohorts, { names, declared }) =>
    cohorts.flatMap((live) => {
      const key = names.cohort(live.id);
      return key === undefined || declared?.keys.has(key) === true ? [] : [{ key, live }];
    }),
  write: (named, { names, minimal }) => {
    const taken = new Set<string>();
    return named.map(({ key, live }) => {
      const name = (live.name ?? '').trim();
      const nameless = taken.has(name);
      taken.add(name);
      return [key, writeCohort(live, { nameOf: names.cohort, minimal, nameless })];
    });
  },
  notes: (flag, { live, reasons }) =>
    EXPORTED_COHORTS.idsOf([flag], live).flatMap((id): UndeclaredCohort[] => {
      const reason = reasons.get(id);
      const name = live.get(id)?.name ?? undefined;
      return reason === undefined
        ? []
        : [{ kind: 'cohort-undeclared', key: flag.key, cohort: id, reason, ...defined({ name }) }];
    }),
};

function namedByConditions({ filters }: Flag): readonly number[] {
  return namedIn(viewFilters(filters).properties.map(({ part }) => part));
}

function namedByCohort(cohort: Cohort | undefined): readonly number[] {
  return namedIn(leavesOf(cohort?.filters));
}

function namedIn(properties: readonly JsonObject[]): readonly number[] {
  return cohortsIn(properties).filter((one) => typeof one === 'number');
}

export interface CohortWriting {
  /** The alias of a cohort. */
  readonly nameOf: (id: number) => string | undefined;
  /** Omits an empty description. */
  readonly minimal: boolean;
  /** Another declaration has the name, and no two of one project may. */
  readonly nameless: boolean;
}

/** The parts in block style. */
export const COHORT_BLOCK: Block = {
  members: { filters: { members: { properties: { members: { values: {} } } } }, projects: {} },
};

const MEMBERS = [...COHORT_MEMBERS, 'intended', 'deleted', 'previous_names', 'only_in', 'projects'];

/** The usual order of the members. */
export const COHORT_ORDER: Order = { names: MEMBERS, members: { projects: { each: { names: MEMBERS } } } };

export function writeCohort(cohort: Cohort, { nameOf, minimal, nameless }: CohortWriting): JsonObject {
  const { filters, ...fields } = statedCohort(cohort);
  const values = COHORT_MEMBERS.flatMap((name): [string, JsonValue][] => {
    const value = memberOf(fields, name) ?? null;
    const isOmitted = value === null || (name === 'name' && (nameless || value === ''));
    return isOmitted || (minimal && jsonEquals(value, noneOf(name))) ? [] : [[name, value]];
  });
  const intended = placesOfErrors(findCohortSlips(defined({ filters })));
  return defined({
    ...objectFrom(values),
    filters: mapCohorts(filters, (id) => (typeof id === 'number' ? nameOf(id) : undefined)),
    // What is live stays declarable, however it looks.
    intended: intended.length === 0 ? undefined : intended,
  });
}
