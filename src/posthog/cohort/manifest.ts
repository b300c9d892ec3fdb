/**
 * The section `cohorts` of manifests: dynamic cohorts by alias. PostHog refuses groups and filters of any other form than the checks ask for,
 * and stores each slip. And the names of places in a cohort, as people write them: `name`, `definition.1.2.value`, or a JSON pointer in the
 * API's names (docs/cohorts.md).
 */

import { comparing } from '../../base/compare-strings.ts';
import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import { findCycles, reach } from '../../base/graph.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type Place, placeAt } from '../../base/place.ts';
import { nearest } from '../../base/text.ts';
import { pickFields } from '../../core/engine/field-kind.ts';
import { type FieldPath, type FieldPathProblem, type PathStep, splitPath } from '../../core/engine/field-path.ts';
import { membersIn, type FindingOf } from '../../core/manifest/declaration.ts';
import { layerDeclaration, type Layer, type LayeredDeclaration } from '../../core/manifest/layers.ts';
import { strayProjects, stringsOf } from '../../core/manifest/members.ts';
import {
  placeInLayer,
  reportProjects,
  withNamedElsewhere,
  type SectionScope,
  type Section,
} from '../declared/section.ts';
import type { DesiredFlag, DesiredState } from '../desired.ts';
import { checkRegex } from '../flag/checks/filters.ts';
import type { FlagProblems, SlipProblems } from '../flag/checks/problems.ts';
import {
  ofProperties,
  ofProperty,
  slip,
  variablesIn,
  withoutIntended,
  type SlipFinding,
} from '../flag/checks/slips.ts';
import { cohortsIn, leavesOf, mapCohorts, type CohortReference, readReference } from '../flag/model/cohort-filters.ts';
import { type Property, viewFilters } from '../flag/model/flag.ts';
import { COHORT_MEMBERS, type DeclaredCohort, type DesiredCohort } from './cohort.ts';
import type { CohortProblems, DefinitionProblem } from './problems.ts';

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
  for (const { layer, retired } of layered) {
    if (!retired) scope.report(placeInLayer(layer, checkLayer(layer, aliases, scope)));
  }
  const cohorts = layered
    .filter(({ declaration }) => declaration.sound)
    .map((one) => toDesired(one, scope))
    .toSorted(comparing(({ key }) => key));
  const report = (alias: string, finding: CohortFinding): Diagnostic[] => {
    const found = aliases.get(alias);
    return found === undefined ? [] : placeInLayer(found.layer, [finding]);
  };
  scope.report([...checkNames(cohorts, report), ...checkCycles(cohorts, report), ...checkUses(desired.flags, cohorts)]);
  return { ...named, cohorts };
}

type Aliases = ReadonlyMap<string, LayeredDeclaration>;

type Report = (alias: string, finding: CohortFinding) => Diagnostic[];

function checkLayer(layer: Layer, aliases: Aliases, { project, suggest }: SectionScope): CohortFinding[] {
  const { key: alias, value } = layer;
  const { filters } = value;
  if (!isJsonObject(filters)) return [{ code: 'cohort-undefined', severity: 'error', at: '', args: { alias } }];
  // Another cohort is declared, or has an id in the configuration.
  const named = cohortsIn(leavesOf(filters)).filter((one) => typeof one === 'string');
  const references = named.flatMap((cohort): CohortFinding[] => {
    if (aliases.get(cohort)?.retired === true) {
      return [{ code: 'cohort-deleted', severity: 'error', at: '/filters', args: { alias: cohort } }];
    }
    if (aliases.has(cohort) || Object.hasOwn(project.cohorts, cohort)) return [];
    const suggestion = suggest(cohort, [...aliases.keys(), ...Object.keys(project.cohorts)]);
    const args = { cohort, project: project.name, ...defined({ suggestion }) };
    return [{ code: 'cohort-unknown', severity: 'error', at: '/filters', args }];
  });
  return [...checkAlone(layer), ...references];
}

/** The same slips as in the conditions of flags. */
function checkAlone(layer: Layer): CohortFinding[] {
  const { value: fields } = layer;
  const slips = findCohortSlips(fields);
  return [
    ...checkDefinition(layer),
    ...withoutIntended(slips, { fields, intended: fields['intended'], parsePath: parseCohortPath }),
  ];
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
  const filters = mapCohorts(value['filters'], (alias) => (typeof alias === 'string' ? idOf(alias) : undefined));
  const given = defined({ ...value, ...(id === undefined && { name }), filters });
  const fields = pickFields(given, COHORT_MEMBERS);
  return { kind: 'declared', previousKeys: [], fields, ...identity };
}

/** Cohorts without an id are identified by their names. */
function checkNames(cohorts: readonly DesiredCohort[], report: Report): Diagnostic[] {
  const taken = new Map<string, string>();
  return cohorts.flatMap(({ kind, key: alias, id, names: [name] }) => {
    if (kind === 'retired' || id !== undefined) return [];
    const other = taken.get(name);
    taken.set(name, other ?? alias);
    if (other === undefined) return [];
    const args = { name, alias, other };
    return report(alias, { code: 'cohort-name-taken', severity: 'error', at: '/name', args });
  });
}

function checkCycles(cohorts: readonly DesiredCohort[], report: Report): Diagnostic[] {
  const declared = cohorts.filter((cohort): cohort is DeclaredCohort => cohort.kind === 'declared');
  const byId = new Map(declared.flatMap(({ id, key }) => (id === undefined ? [] : [[id, key] as const])));
  const next = ({ fields }: DeclaredCohort): string[] =>
    cohortsIn(leavesOf(fields['filters'])).flatMap((one) => (typeof one === 'string' ? one : (byId.get(one) ?? [])));
  return findCycles(new Map(declared.map((cohort) => [cohort.key, next(cohort)]))).flatMap((cycle) => {
    const [first] = cycle;
    if (first === undefined) return [];
    const args = { cycle: [...cycle, first] };
    return report(first, { code: 'cohort-depends-on-itself', severity: 'error', at: '/filters', args });
  });
}

type CohortUseProblem = DiagnosticOf<Pick<CohortProblems, 'cohort-behavioral' | 'cohort-deleted'>>;

/** The conditions of flags on cohorts. */
function checkUses(flags: readonly DesiredFlag[], cohorts: readonly DesiredCohort[]): Diagnostic[] {
  const nodes = new Map<CohortReference | undefined, DesiredCohort>(
    cohorts.flatMap((cohort) => [cohort.key, cohort.id ?? []].flat().map((one) => [one, cohort] as const)),
  );
  const leavesIn = (one: CohortReference): readonly JsonObject[] => {
    const cohort = nodes.get(one);
    return cohort?.kind === 'declared' ? leavesOf(cohort.fields['filters']) : [];
  };
  return flags.flatMap((flag) => {
    if (flag.kind !== 'declared') return [];
    return viewFilters(flag.fields['filters']).properties.flatMap(({ part, at }): CohortUseProblem[] => {
      const reference = part.type === 'cohort' ? readReference(part.value) : undefined;
      const cohort = nodes.get(reference);
      if (reference === undefined || cohort === undefined) return [];
      const { key: alias } = cohort;
      const where = { severity: 'error', place: placeAt(flag.places, `${at}/value`) } as const;
      if (cohort.kind === 'retired') return [{ code: 'cohort-deleted', ...where, args: { alias } }];
      const leaves = [...reach([reference], (one) => cohortsIn(leavesIn(one)))].flatMap(leavesIn);
      const isOnEvents = leaves.some(({ type }) => type === 'behavioral');
      return isOnEvents ? [{ code: 'cohort-behavioral', ...where, args: { key: flag.key, alias } }] : [];
    });
  });
}

export type CohortFinding = FindingOf<
  CohortProblems & SlipProblems & Pick<FlagProblems, 'cohort-unknown' | 'regex-invalid' | 'regex-unknown'>
>;

/** Pointers are in the manifest's names. Values of the wrong shape were reported. */
export function checkDefinition({ value: { filters } }: Pick<Layer, 'value'>): CohortFinding[] {
  if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return [];
  const { properties } = filters;
  const at = '/filters/properties';
  return isGroup(properties) ? checkNode(properties, at) : [problem(at, 'no_group', '')];
}

export function findCohortSlips(fields: JsonObject): SlipFinding[] {
  const { filters } = fields;
  const root = isJsonObject(filters) ? filters['properties'] : undefined;
  return [
    ...variablesIn(pickFields(fields, COHORT_MEMBERS), ''),
    ...(isJsonObject(root) ? slipsInGroup(root, '/filters/properties') : []),
  ];
}

function slipsInGroup({ type, values }: JsonObject, at: string): SlipFinding[] {
  if (!isJsonArray(values)) return [];
  if (values.length === 0) return [slip('cohort-empty', `${at}/values`, {})];
  const nodes = values.flatMap((part, index) =>
    isJsonObject(part) ? [{ part: part as Property, at: `${at}/values/${index}`, number: index + 1 }] : [],
  );
  const leaves = nodes.filter(({ part }) => !isGroup(part as JsonObject));
  return [
    ...leaves.flatMap((leaf) => ofProperty(leaf, (leaf.part as JsonObject)['negation'] === true)),
    ...ofProperties(leaves, { together: type === 'AND' }),
    ...nodes.flatMap((node) => slipsInGroup(node.part as JsonObject, node.at)),
  ];
}

function isGroup({ type }: JsonObject): boolean {
  return type === 'AND' || type === 'OR';
}

function checkNode(node: JsonValue, at: string): CohortFinding[] {
  if (!isJsonObject(node)) return [];
  if (!isGroup(node)) return checkLeaf(node, at);
  const { values } = node;
  const superfluous = definedKeys(node).filter((member) => member !== 'type' && member !== 'values');
  return [
    ...superfluous.map((member) => problem(at, 'superfluous', member)),
    ...(isJsonArray(values)
      ? values.flatMap((value, index) => checkNode(value, `${at}/values/${index}`))
      : [problem(at, 'missing', 'values')]),
  ];
}

function checkLeaf(leaf: JsonObject, at: string): CohortFinding[] {
  const { type = 'person', operator } = leaf;
  const form = memberOf(FORMS, typeof type === 'string' ? type : '');
  if (form === undefined) return [];
  const { required, members = OF_SOME } = form;
  const own = definedKeys(leaf).filter((member) => leaf[member] !== null);
  const needed = operator === 'is_set' || operator === 'is_not_set' ? required : [...new Set([...required, 'value'])];
  const superfluous = OF_SOME.filter((member) => own.includes(member) && !members.includes(member));
  return [
    ...needed.filter((member) => !own.includes(member)).map((member) => problem(at, 'missing', member)),
    ...superfluous.map((member) => problem(`${at}/${member}`, 'superfluous', member)),
    ...checkRegex(leaf, at),
  ];
}

/** Members that only some types of leaves have. Names that no leaf has were reported. */
const OF_SOME = [
  'operator',
  'event_type',
  'time_value',
  'time_interval',
  'operator_value',
  'seq_time_interval',
  'seq_time_value',
  'seq_event',
  'seq_event_type',
  'total_periods',
  'min_periods',
  'event_filters',
  'explicit_datetime',
  'explicit_datetime_to',
];

const PERSON = { required: ['key'], members: ['type', 'key', 'operator', 'value', 'negation'] };

/** The members of leaves by their type. `members`: all that it has; without, any that the schema knows. */
const FORMS: Readonly<Record<string, { readonly required: readonly string[]; readonly members?: readonly string[] }>> =
  {
    person: PERSON,
    person_metadata: PERSON,
    cohort: { required: ['value'], members: ['type', 'key', 'value', 'negation'] },
    behavioral: { required: ['key', 'value', 'event_type'] },
  };

function problem(at: string, why: DefinitionProblem, member: string): CohortFinding {
  return { code: 'cohort-definition', severity: 'error', at, args: { why, member } };
}

type PathProblem = { readonly problem: FieldPathProblem };

export function parseCohortPath(text: string): FieldPath | PathProblem {
  const steps = text.startsWith('/') ? readPointer(text) : readParts(splitPath(text));
  return 'problem' in steps ? steps : { text, steps };
}

const FIELDS = [...COHORT_MEMBERS, 'deleted'];
/** As people write them. */
const NAMES = COHORT_MEMBERS.map((name) => (name === 'filters' ? 'definition' : name));

function readPointer(text: string): readonly PathStep[] | PathProblem {
  const [field = '', ...rest] = fromPointer(text);
  return FIELDS.includes(field) ? [field, ...rest].map(memberStep) : unknown(field, FIELDS);
}

function readParts(parts: readonly string[] | PathProblem): readonly PathStep[] | PathProblem {
  if ('problem' in parts) return parts;
  const [first = '', ...rest] = parts;
  if (first === 'definition') return readDefinition(rest);
  if (!FIELDS.includes(first)) return unknown(first, NAMES);
  const [part] = rest;
  if (part !== undefined) return { problem: { kind: 'too_deep', part, outer: first } };
  return [memberStep(first)];
}

/** Groups and filters are counted from 1, as in reports: each number is one of a group's values. The members of a filter come after. */
function readDefinition(parts: readonly string[]): readonly PathStep[] | PathProblem {
  const steps = ['filters', 'properties'].map(memberStep);
  let outer = 'definition';
  for (const part of parts) {
    const isElement = part === '*' || /^\d+$/.test(part);
    if (part === '0') return { problem: { kind: 'zero', outer } };
    if (isElement && steps.at(-1)?.kind === 'member' && outer !== 'definition') {
      return { problem: { kind: 'number', part, outer } };
    }
    if (!isElement) steps.push(memberStep(part));
    else
      steps.push(memberStep('values'), part === '*' ? { kind: 'any' } : { kind: 'element', index: Number(part) - 1 });
    outer = part;
  }
  return steps;
}

function memberStep(name: string): PathStep {
  return name === '*' ? { kind: 'any' } : { kind: 'member', name };
}

function unknown(part: string, known: readonly string[]): PathProblem {
  return { problem: { kind: 'unknown', part, outer: '', known, ...defined({ suggestion: nearest(part, known) }) } };
}
