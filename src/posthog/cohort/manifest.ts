/** The section `cohorts` of manifests: dynamic cohorts by alias. */

import { comparing } from '../../base/compare-strings.ts';
import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import { findCycles, reach } from '../../base/graph.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type Place, placeAt } from '../../base/place.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { layerDeclaration, type Layer, type LayeredDeclaration } from '../../manifest/layers.ts';
import { strayProjects, stringsOf } from '../../manifest/members.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../desired.ts';
import type { DeclaredCohort, DesiredCohort } from './cohort.ts';
import {
  placeInLayer,
  reportProjects,
  withNamedElsewhere,
  type SectionScope,
  type Section,
} from '../declared/section.ts';
import { checkCohortSlips, checkDefinition, type CohortFinding } from './checks.ts';
import type { CohortProblems } from './problems.ts';
import { cohortsIn, leavesOf, mapCohorts, type CohortReference, readReference } from '../flag/model/cohort-filters.ts';
import { viewFilters } from '../flag/model/view.ts';

export const COHORT_SECTION: Section = {
  name: 'cohorts',
  duplicate: (alias: string, other: Place) => ({ severity: 'error', code: 'cohort-duplicate', args: { alias, other } }),
  resolve: resolveCohorts,
};

function resolveCohorts(scope: SectionScope, desired: DesiredState): DesiredState {
  const layered = scope.layered('cohorts');
  reportProjects(scope, 'cohorts');
  for (const declaration of scope.declared('cohorts')) {
    for (const project of strayProjects(declaration, scope.allProjects)) {
      const layer = layerDeclaration(declaration, project);
      if (layer.value['deleted'] !== true) scope.report(placeInLayer(layer, checkAlone(layer)));
    }
  }
  const named = withNamedElsewhere(scope, desired, 'cohorts');
  if (layered.length === 0) return named;
  const aliases = new Map(layered.map((one) => [one.layer.key, one]));
  for (const one of layered)
    if (!one.retired) scope.report(placeInLayer(one.layer, checkLayer(one.layer, aliases, scope)));
  const cohorts = layered
    .filter(({ declaration }) => declaration.sound)
    .map((one) => toDesired(one, scope))
    .toSorted(comparing(({ key }) => key));
  scope.report([
    ...checkNames(cohorts, aliases),
    ...checkCycles(cohorts, aliases),
    ...checkUses(desired.flags, cohorts),
  ]);
  return { ...named, cohorts };
}

type Aliases = ReadonlyMap<string, LayeredDeclaration>;

function checkLayer(layer: Layer, aliases: Aliases, scope: SectionScope): CohortFinding[] {
  const { key: alias, value } = layer;
  if (!isJsonObject(value['filters']))
    return [{ code: 'cohort-undefined', severity: 'error', at: '', args: { alias } }];
  return [...checkAlone(layer), ...checkReferences(value, aliases, scope)];
}

function checkAlone(layer: Layer): CohortFinding[] {
  return [...checkDefinition(layer), ...checkCohortSlips(layer.value)];
}

/** Another cohort is declared, or has an id in the configuration. */
function checkReferences(value: JsonObject, aliases: Aliases, { project, suggest }: SectionScope): CohortFinding[] {
  const named = cohortsIn(leavesOf(value['filters'])).filter((one) => typeof one === 'string');
  return named.flatMap((alias): CohortFinding[] => {
    if (aliases.get(alias)?.retired === true) {
      return [{ code: 'cohort-deleted', severity: 'error', at: '/filters', args: { alias } }];
    }
    if (aliases.has(alias) || Object.hasOwn(project.cohorts, alias)) return [];
    const suggestion = suggest(alias, [...aliases.keys(), ...Object.keys(project.cohorts)]);
    const args = { cohort: alias, project: project.name, ...defined({ suggestion }) };
    return [{ code: 'cohort-unknown', severity: 'error', at: '/filters', args }];
  });
}

function toDesired({ declaration, layer, retired }: LayeredDeclaration, { project }: SectionScope): DesiredCohort {
  const { key, value, places } = layer;
  const idOf = (alias: string): number | undefined =>
    Object.hasOwn(project.cohorts, alias) ? project.cohorts[alias] : undefined;
  const id = idOf(key);
  const name = typeof value['name'] === 'string' ? value['name'] : key;
  const former = stringsOf(membersIn(declaration)['previous_names']);
  const identity = { key, names: [name, ...former] as const, places, ...defined({ id }) };
  if (retired) return { kind: 'retired', ...identity };
  const managed = { name: id === undefined ? name : value['name'], description: value['description'] };
  const filters = mapCohorts(value['filters'], (alias) => (typeof alias === 'string' ? idOf(alias) : undefined));
  const fields: JsonObject = defined({ ...managed, filters });
  return { kind: 'declared', previousKeys: [], fields, ...identity };
}

/** Cohorts without an id are identified by their names. */
function checkNames(cohorts: readonly DesiredCohort[], aliases: Aliases): Diagnostic[] {
  const taken = new Map<string, string>();
  return cohorts.flatMap(({ kind, key: alias, id, names: [name] }) => {
    if (kind === 'retired' || id !== undefined) return [];
    const other = taken.get(name);
    taken.set(name, other ?? alias);
    if (other === undefined) return [];
    const args = { name, alias, other };
    return report(aliases, alias, { code: 'cohort-name-taken', severity: 'error', at: '/name', args });
  });
}

function checkCycles(cohorts: readonly DesiredCohort[], aliases: Aliases): Diagnostic[] {
  const declared = cohorts.filter((cohort): cohort is DeclaredCohort => cohort.kind === 'declared');
  const byId = new Map(declared.flatMap(({ id, key }) => (id === undefined ? [] : [[id, key] as const])));
  const next = ({ fields }: DeclaredCohort): string[] =>
    cohortsIn(leavesOf(fields['filters'])).flatMap((one) => (typeof one === 'string' ? one : (byId.get(one) ?? [])));
  return findCycles(new Map(declared.map((cohort) => [cohort.key, next(cohort)]))).flatMap((cycle) => {
    const [first] = cycle;
    if (first === undefined) return [];
    const args = { cycle: [...cycle, first] };
    return report(aliases, first, { code: 'cohort-depends-on-itself', severity: 'error', at: '/filters', args });
  });
}

function report(aliases: Aliases, alias: string, finding: CohortFinding): Diagnostic[] {
  const found = aliases.get(alias);
  return found === undefined ? [] : placeInLayer(found.layer, [finding]);
}

function checkUses(flags: readonly DesiredFlag[], cohorts: readonly DesiredCohort[]): Diagnostic[] {
  const nodes = new Map(
    cohorts.flatMap((cohort) =>
      [cohort.key, ...(cohort.id === undefined ? [] : [cohort.id])].map((one) => [one, cohort]),
    ),
  );
  return flags.flatMap((flag) => (flag.kind === 'declared' ? checkFlag(flag, nodes) : []));
}

type Nodes = ReadonlyMap<CohortReference, DesiredCohort>;

type CohortUseProblem = DiagnosticOf<Pick<CohortProblems, 'cohort-behavioral' | 'cohort-deleted'>>;

function checkFlag({ key, fields, places }: DeclaredFlag, nodes: Nodes): Diagnostic[] {
  return conditionsOn(fields['filters']).flatMap(({ reference, at }): CohortUseProblem[] => {
    const cohort = nodes.get(reference);
    if (cohort === undefined) return [];
    const { key: alias } = cohort;
    const where = { severity: 'error', place: placeAt(places, at) } as const;
    if (cohort.kind === 'retired') return [{ code: 'cohort-deleted', ...where, args: { alias } }];
    const isBehavioral = [...reach([reference], (one) => cohortsIn(leavesIn(nodes.get(one))))].some((one) =>
      leavesIn(nodes.get(one)).some(({ type }) => type === 'behavioral'),
    );
    return isBehavioral ? [{ code: 'cohort-behavioral', ...where, args: { key, alias } }] : [];
  });
}

function leavesIn(cohort: DesiredCohort | undefined): ReturnType<typeof leavesOf> {
  return cohort?.kind === 'declared' ? leavesOf(cohort.fields['filters']) : [];
}

interface CohortCondition {
  readonly reference: CohortReference;
  readonly at: string;
}

/** The conditions of a flag on cohorts, with their places. */
function conditionsOn(filters: DeclaredFlag['fields'][string]): CohortCondition[] {
  return viewFilters(filters).properties.flatMap(({ part: { type, value }, at }): CohortCondition[] => {
    const reference = type === 'cohort' ? readReference(value) : undefined;
    return reference === undefined ? [] : [{ reference, at: `${at}/value` }];
  });
}
