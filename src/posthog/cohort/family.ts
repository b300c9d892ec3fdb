/** Cohorts as a family: how declared cohorts are matched, named, read, identified, compared between projects and explained. */

import { reach } from '../../base/graph.ts';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { knownFields, mixDeclared, pickFields } from '../../core/engine/field-kind.ts';
import type { Ambiguous } from '../../core/engine/matched.ts';
import { type SoughtValue, placeFields, type Logged } from '../authors/replay-log.ts';
import { explainFields, toSeek, type ExplainedFamily } from '../declared/explain.ts';
import type { Family, MatchedFamily, Sought, ToMatch, ToTrace, Traced } from '../family.ts';
import { findFormerHolders, holdersIn } from '../flag/find-traces.ts';
import { cohortsIn, leavesOf, mapCohorts, withCohortIds } from '../flag/model/cohort-filters.ts';
import { lookupNames } from '../flag/model/references.ts';
import type { LiveState } from '../live.ts';
import type { ManifestDiagnostic } from '../manifests/problems.ts';
import type { ComparableFamily, ComparableValues } from '../parity/parity.ts';
import type { Unidentified } from '../planning/build-plan.ts';
import type { Project } from '../project.ts';
import type { EditedChange, LoggedInquiry } from '../reading/read-attributions.ts';
import type { ServiceClient } from '../service-client.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortChange, CohortWarning } from './change.ts';
import { parseCohortPath } from './manifest.ts';
import {
  canonicalCohort,
  COHORT_FIELDS,
  COHORT_MEMBERS,
  comparableCohort,
  compareCohort,
  nameCohorts,
  noneOf,
  snapshotCohorts,
  USUAL_STATES,
  type Cohort,
  type DesiredCohort,
  type LiveCohort,
} from './cohort.ts';
import { COHORT_BLOCK, COHORT_ORDER, EXPORTED_COHORTS } from './export.ts';
import { nameOfCohort } from './find-changes.ts';
import { aliasesOf, createFinder, findRetiredCohorts, matchAllCohorts, matchCohorts } from './match.ts';
import { flagsUsing, usesNow } from './uses.ts';
import { findCohort, openCohorts } from './write.ts';

/** The values of declared cohorts, with aliases instead of ids. */
export const COMPARABLE_COHORTS: ComparableFamily<'cohorts'> = {
  declared: (cohort, project) => (cohort.kind === 'retired' ? undefined : declaredCohortValues(cohort.fields, project)),
  elsewhere: ({ key }) => [key],
  // The live cohorts to which the project gives an alias, by the configuration or by their names.
  live: ({ cohorts = [] }, project) => {
    const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
    return Object.entries(project.cohorts).flatMap(([alias, id]): [string, ComparableValues][] => {
      const cohort = byId.get(id);
      if (cohort === undefined || cohort.deleted === true) return [];
      const comparable = comparableCohort(cohort);
      const declarable = withAliases(pickFields(comparable, COHORT_MEMBERS), project);
      const fields = { ...declarable, ...(comparable['is_static'] === true ? { is_static: true } : {}) };
      return [[alias, { fields, isPartial: false }]];
    });
  },
};

/** A declared field is managed, also where its value means the same as none: that one value stands for all of these. */
export function declaredCohortValues(declared: JsonObject, project: Project): ComparableValues {
  const empty = objectFrom(definedKeys(declared).map((field) => [field, noneOf(field)] as const));
  return { fields: withAliases({ ...empty, ...canonicalCohort(declared) }, project), isPartial: true };
}

/** An id without an alias stays. */
function withAliases(fields: JsonObject, project: Project): JsonObject {
  const { cohort: aliasOf } = lookupNames([], project);
  const filters = mapCohorts(fields['filters'], (one) => (typeof one === 'number' ? aliasOf(one) : undefined));
  return filters === undefined ? fields : { ...fields, filters };
}

/** What the log of a cohort says of its values: docs/service/cohorts.md. */
export const EXPLAINED_COHORTS: ExplainedFamily<'cohorts'> = {
  // Each text, and each group and filter of the definition.
  values: (_cohort, { declaration, project, ...path }) =>
    explainFields(declaration, project, {
      partsOf: (fields) =>
        COHORT_MEMBERS.flatMap((field) => {
          const value = memberOf(fields, field);
          if (value === undefined) return [];
          return COHORT_FIELDS[field].form === 'definition'
            ? partsOf(value, [field, 'properties'])
            : [toPointer([field])];
        }),
      ...path,
    }),
  live: (desired, declared, live) => {
    const cohort = matchAllCohorts({ cohorts: [desired] }, live).pairs[0]?.live?.cohort;
    if (cohort === undefined || desired.kind === 'retired') return undefined;
    const wanted = toSeek(declared, compareCohort(desired.fields, cohort));
    return {
      id: cohort.id,
      logged: loggedCohort(cohort),
      sought: soughtInCohort(wanted, { cohort, body: desired.fields }),
      liveValueOf: ({ path, place }) => {
        const value = valueAt(comparableCohort(cohort), toPointer(place));
        return { ...defined({ value }), differs: !jsonEquals(value, valueAt(canonicalCohort(desired.fields), path)) };
      },
    };
  },
};

/** The type of each group, AND or OR, and each filter as a whole. */
function partsOf(filters: JsonValue, path: readonly string[]): string[] {
  const node = valueAt(filters, toPointer(path.slice(1)));
  const values = isJsonObject(node) ? node['values'] : undefined;
  if (!isJsonArray(values)) return [toPointer(path)];
  return [
    toPointer([...path, 'type']),
    ...values.flatMap((_value, index) => partsOf(filters, [...path, 'values', String(index)])),
  ];
}

export const COHORTS: Family<'cohorts'> = {
  section: 'cohorts',
  refersTo: [],
  form: {
    block: COHORT_BLOCK,
    order: COHORT_ORDER,
    meaningOf: ({ key, id = null, names, ...one }) => ({
      ...{ key, id, names },
      ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
    }),
    causesOf,
  },

  takeSnapshot: ({ cohorts = [] }) => snapshotCohorts(cohorts),
  match,
  name: nameCohorts,
  warnOfShared,
  // Live state has ids where the run used aliases.
  namesToUndo: ({ change, id: answered }) => {
    const id = change.id ?? answered;
    return change.resource === 'cohort' && id !== undefined ? [[change.key, id]] : [];
  },

  knownNames: ({ key, id, names }) => {
    const named = [key, ...names.map((name) => name.trim())].map(nameOfCohort);
    // The name by id identifies one cohort, whatever its aliases are.
    return id === undefined ? named : [...named, `id ${id}`];
  },
  mix: mixDeclared,
  asLive: {
    // A cohort without a configured id gets one that nothing else has.
    idsOf: (cohorts, wanted) => {
      const taken = [...cohorts, ...wanted].flatMap(({ id }) => id ?? []);
      const free = taken.reduce((most, id) => Math.max(most, id), 1_000_000) + 1;
      return new Map(cohorts.map(({ key, id }, index) => [key, id ?? free + index]));
    },
    // A cohort that the configuration named by id without a declaration is known only to the service in its former state.
    known: (desired, former, ids) =>
      desired.flatMap((cohort): DesiredCohort[] => {
        const before = former.find(({ key }) => key === cohort.key);
        if (before === undefined) return cohort.id === undefined ? [cohort] : [];
        const known = { ...cohort, ...defined({ id: ids.get(before.key) }) };
        return [known.kind === 'retired' ? known : { ...known, fields: knownFields(known.fields, before.fields) }];
      }),
    toLive: ({ key, names: [name], fields }, { cohorts: ids }) => {
      const known = withCohortIds(fields, (alias) => ids?.get(alias));
      return { ...USUAL_STATES, name, ...known, id: ids?.get(key) ?? 0 };
    },
  },
  comparable: COMPARABLE_COHORTS,
  explained: EXPLAINED_COHORTS,
  exported: EXPORTED_COHORTS,
  inquire: inquireCohorts,
  findIds: ({ cohorts: declared }, live, shared) => {
    if (declared === undefined || live.cohorts === undefined) return {};
    const match = shared === 'refuse' ? matchAllCohorts : matchCohorts;
    return { cohorts: Object.fromEntries(aliasesOf(match({ cohorts: declared }, live))) };
  },

  parsePath: parseCohortPath,
  fieldsOf: ({ cohort }) => cohort,

  list: (client) => client.listCohorts(),
  find: (client, id) => findCohort(client, Number(id)),
  findMissing: (declared, live) => {
    const find = createFinder(live);
    return declared.filter((one) => one.kind === 'declared' && one.id === undefined && find(one).length === 0);
  },
  findRetired: findRetiredCohorts,
  trace: traceCohorts,

  openRun: ({ cohorts = [] }, changes) => openCohorts(cohorts, changes),
};

/** Unread state never counts as absent. */
function match({ desired, live, former }: ToMatch): MatchedFamily<DesiredCohort, LiveCohort> | undefined {
  const base = former && (former.cohorts ?? []);
  const isDeclared = desired.cohorts !== undefined || (base !== undefined && base.length > 0);
  if (!isDeclared || live.cohorts === undefined) return undefined;
  const { doubts, released, shared, formerReferences, ...matches } = matchCohorts(desired, live, base);
  return {
    matches,
    names: [...aliasesOf(matches)],
    ...(formerReferences === undefined ? {} : { formerNames: formerReferences }),
    warnings: doubts,
    shared,
    released,
  };
}

async function traceCohorts(
  client: ServiceClient,
  missing: readonly Sought[],
  { listed, findRecorded }: ToTrace<Cohort>,
): Promise<Traced<Cohort>> {
  const names = new Map(missing.map((cohort) => [cohort.key, cohort.names ?? []]));
  const aliases = [...names.keys()];
  const ids = aliases.length === 0 ? undefined : await findRecorded?.(aliases.map(nameOfCohort));
  const recorded = aliases.flatMap((alias) => {
    const id = ids?.get(nameOfCohort(alias));
    return id === undefined ? [] : [[alias, id] as const];
  });
  return findFormerHolders(aliases, {
    listed,
    recorded: new Map(recorded),
    find: (id) => findCohort(client, Number(id)),
    readPage: (page) => client.projectCohortActivity({ limit: 100, page }),
    holdersIn: (entries, alias) => (names.get(alias) ?? []).flatMap((name) => holdersIn(entries, name, 'name')),
  });
}

/** One warning for each shared name. */
function warnOfShared(
  shared: readonly Ambiguous<DesiredCohort>[],
  { whole, conditions }: Unidentified,
  { flags, cohorts }: ProjectSnapshot,
): CohortWarning[] {
  if (shared.length === 0) return [];
  const uses = usesNow(flags, cohorts);
  const own = new Set(shared.map(({ desired }) => nameOfCohort(desired.key)));
  const held = [...[...whole].filter((name) => !own.has(name)), ...conditions].toSorted();
  return shared.map(({ desired, name, ids }) => ({
    code: 'cohort_name_shared',
    key: nameOfCohort(desired.key),
    name,
    cohorts: ids.map(Number).map((id) => ({ id, flags: flagsUsing(id, uses) })),
    held,
  }));
}

function causesOf(problem: ManifestDiagnostic, cohorts: readonly DesiredCohort[]): readonly string[] {
  if (problem.code === 'cohort-deleted') return [problem.args.alias];
  if (problem.code === 'cohort-unknown') return [problem.args.cohort];
  if (problem.code === 'cohort-name-taken') return [problem.args.alias, problem.args.other];
  if (problem.code === 'cohort-depends-on-itself') return problem.args.cycle;
  if (problem.code !== 'cohort-behavioral') return [];
  const leavesIn = (alias: string): readonly JsonObject[] => {
    const found = cohorts.find(({ key }) => key === alias);
    return found?.kind === 'declared' ? leavesOf(found.fields['filters']) : [];
  };
  const aliases = reach([problem.args.alias], (alias) =>
    cohortsIn(leavesIn(alias)).flatMap((one) =>
      typeof one === 'string' ? one : cohorts.flatMap(({ id, key }) => (id === one ? key : [])),
    ),
  );
  // Cohorts that depend on events themselves precede those that only name them.
  const isOnEvents = (alias: string): boolean => leavesIn(alias).some(({ type }) => type === 'behavioral');
  return [...aliases].toSorted((one, other) => Number(isOnEvents(other)) - Number(isOnEvents(one)));
}

/** A cohort that is created anew has no log that is known. */
export function inquireCohorts(
  edits: readonly EditedChange<CohortChange>[],
  { cohorts = [] }: LiveState,
): readonly LoggedInquiry[] {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  return edits.flatMap(({ change, fields }): LoggedInquiry[] => {
    const cohort = change.action === 'create' ? undefined : byId.get(change.id);
    if (cohort === undefined) return [];
    const sought = soughtInCohort(fields, { cohort, body: change.body });
    return [{ logged: loggedCohort(cohort), sought: new Map([[change.ref, sought]]) }];
  });
}

/** Cohorts have no versions, so no entry is known to be later than what was read. */
export function loggedCohort(cohort: Cohort): Logged {
  return {
    resource: 'cohort',
    id: cohort.id,
    current: comparableCohort(cohort),
    formOf: (field, value) => canonicalCohort({ [field]: value }),
    isLater: () => false,
    unlogged: new Set(),
  };
}

/** The places of a change's fields in its live cohort. `body`: of the change, with ids. */
export function soughtInCohort(
  fields: readonly FieldChange[],
  { cohort, body }: { readonly cohort: Cohort; readonly body: JsonObject },
): readonly SoughtValue[] {
  const live = comparableCohort(cohort);
  return placeFields(fields, { live, wanted: { ...live, ...canonicalCohort(body) } });
}
