/** Cohorts as a family: how declared cohorts are matched, named, read and identified. */

import { reach } from '../../base/graph.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { mixDeclared, knownFields } from '../../engine/field-kind.ts';
import type { Shared } from '../../engine/matched.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { ServiceClient } from '../service-client.ts';
import { findFormerHolders } from '../flag/find-traces.ts';
import type { Family, MatchedFamily, Sought, ToMatch, ToTrace, Traced } from '../family.ts';
import { cohortsIn, leavesOf, withCohortIds } from '../flag/model/cohort-filters.ts';
import { holdersIn, type LoggedHolder } from '../flag/traces.ts';
import type { ManifestDiagnostic } from '../manifests/problems.ts';
import { nameResource } from '../names/resource-name.ts';
import type { HeldBack } from '../planning/build-plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { inquireCohorts, EXPLAINED_COHORTS } from './explain.ts';
import type { CohortWarning } from './change.ts';
import { nameOfCohort } from './find-changes.ts';
import {
  type Cohort,
  type DesiredCohort,
  type DeclaredCohort,
  nameCohorts,
  snapshotCohorts,
  type LiveCohort,
} from './cohort.ts';
import { findCohort } from './write.ts';
import { parseCohortPath } from './field-path.ts';
import { COHORT_BLOCK, COHORT_ORDER } from './export.ts';
import { aliasesOf, createFinder, findRetiredCohorts, matchAllCohorts, matchCohorts } from './match.ts';
import { COMPARABLE_COHORTS } from './parity-values.ts';
import { openCohorts } from './run-state.ts';
import { flagsUsing, usesNow } from './uses.ts';

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
    idsOf,
    known: (desired, former, ids) => desired.flatMap((cohort) => knownCohort(cohort, former, ids)),
    toLive: (cohort, { cohorts = new Map() }) => toLiveCohort(cohort, cohorts),
  },
  comparable: COMPARABLE_COHORTS,
  explained: EXPLAINED_COHORTS,
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

const ENTRIES_PER_PAGE = 100;

async function traceCohorts(
  client: ServiceClient,
  missing: readonly Sought[],
  { listed, findRecorded }: ToTrace<Cohort>,
): Promise<Traced<Cohort>> {
  const names = new Map(missing.map((cohort) => [cohort.key, cohort.names ?? []]));
  const aliases = [...names.keys()];
  const recordedName = (alias: string): string => nameResource('cohort', alias);
  const ids = aliases.length === 0 ? undefined : await findRecorded?.(aliases.map(recordedName));
  return findFormerHolders(aliases, {
    listed,
    recorded: new Map(aliases.flatMap((alias) => toEntry(alias, ids?.get(recordedName(alias))))),
    find: (id) => findCohort(client, Number(id)),
    readPage: (page) => client.projectCohortActivity({ limit: ENTRIES_PER_PAGE, page }),
    holdersIn: (entries: readonly JsonObject[], alias: string): readonly LoggedHolder[] =>
      (names.get(alias) ?? []).flatMap((name) => holdersIn(entries, name, 'name')),
  });
}

function toEntry(alias: string, id: ResourceId | undefined): [string, ResourceId][] {
  return id === undefined ? [] : [[alias, id]];
}

/** One warning for each shared name. */
function warnOfShared(
  shared: readonly Shared<DesiredCohort>[],
  { whole, conditions }: HeldBack,
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
  return eventsFirst([...reach([problem.args.alias], (alias) => namedBy(alias, cohorts))], cohorts);
}

/** Cohorts that depend on events themselves precede those that only name them. */
function eventsFirst(aliases: readonly string[], cohorts: readonly DesiredCohort[]): readonly string[] {
  const isOnEvents = (alias: string): boolean => leavesIn(alias, cohorts).some(({ type }) => type === 'behavioral');
  return [...aliases.filter(isOnEvents), ...aliases.filter((alias) => !isOnEvents(alias))];
}

function namedBy(alias: string, cohorts: readonly DesiredCohort[]): readonly string[] {
  const named = cohortsIn(leavesIn(alias, cohorts));
  return named.flatMap((one) =>
    typeof one === 'string' ? one : cohorts.flatMap(({ id, key }) => (id === one ? key : [])),
  );
}

function leavesIn(alias: string, cohorts: readonly DesiredCohort[]): readonly JsonObject[] {
  const found = cohorts.find(({ key }) => key === alias);
  return found?.kind === 'declared' ? leavesOf(found.fields['filters']) : [];
}

type CohortIds = ReadonlyMap<string, number>;

/** A cohort without a configured id gets one that nothing else has. */
function idsOf(cohorts: readonly DeclaredCohort[], wanted: readonly DesiredCohort[]): CohortIds {
  const taken = [...cohorts, ...wanted].flatMap(({ id }) => id ?? []);
  const free = taken.reduce((most, id) => Math.max(most, id), 1_000_000) + 1;
  return new Map(cohorts.map(({ key, id }, index) => [key, id ?? free + index]));
}

/** A cohort that the configuration named by id without a declaration is known only to the service in its former state. */
function knownCohort(cohort: DesiredCohort, former: readonly DeclaredCohort[], ids: CohortIds): DesiredCohort[] {
  const before = former.find(({ key }) => key === cohort.key);
  if (before === undefined) return cohort.id === undefined ? [cohort] : [];
  const id = ids.get(before.key);
  if (cohort.kind === 'retired') return [{ ...cohort, ...defined({ id }) }];
  return [{ ...cohort, ...defined({ id }), fields: knownFields(cohort.fields, before.fields) }];
}

function toLiveCohort({ key, names: [name], fields }: DeclaredCohort, ids: CohortIds): Cohort {
  const known = withCohortIds(fields, (alias) => ids.get(alias));
  return { is_static: false, deleted: false, name, ...known, id: ids.get(key) ?? 0 };
}
