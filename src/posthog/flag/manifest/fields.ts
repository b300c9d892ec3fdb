/** Converts the members of a manifest, with their places, to the fields of the service's API, and cohort aliases to ids. */

import { fromPointer, toPointer, valueAt } from '../../../base/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from '../../../base/json.ts';
import type { PlaceTree } from '../../../base/place.ts';
import { type Layer, type Located, membersOf, partAt } from '../../../core/manifest/layers.ts';
import { API_NAMES, MEMBER_NAMES } from '../model/fields.ts';
import type { Suggest } from '../../../base/text.ts';
import type { Project } from '../../project.ts';
import { mapReferences } from '../model/references.ts';
import { viewFilters } from '../model/flag.ts';
import type { FlagFinding } from '../checks/problems.ts';

export interface FlagFields {
  readonly fields: JsonObject;
  readonly places: PlaceTree;
  /** The filters are sent as they are: not checked, and cohorts in them are ids. */
  readonly unchecked: boolean;
}

/** Ignores fields under `fields` that have a member of their own, which is reported; but takes filters from there if it has no others. */
export function toFields(flag: Layer): FlagFields {
  const unchecked = isUnchecked(flag.value);
  const isRaw = ([name]: readonly [string, unknown]): boolean =>
    !MEMBER_NAMES.has(name) || (name === 'filters' && unchecked);
  const fields: [string, JsonValue][] = [];
  const children: [string, PlaceTree][] = [];
  const add = (name: string, value: JsonValue, places: PlaceTree): void => {
    fields.push([name, value]);
    children.push([name, places]);
  };
  for (const [member, part] of membersOf(flag)) {
    const api = API_NAMES.get(member);
    if (api !== undefined) add(api, part.value, part.places);
    else if (member === 'rollout_percentage' && !Object.hasOwn(flag.value, 'filters')) {
      const filters = expandShorthand(part);
      add('filters', filters.value, filters.places);
    } else if (member === 'fields') {
      for (const [name, field] of membersOf(part).filter(isRaw)) add(name, field.value, field.places);
    }
  }
  return {
    fields: Object.fromEntries(fields),
    places: { place: flag.places.place, children: Object.fromEntries(children) },
    unchecked,
  };
}

/** Converts a pointer in the API's names to one in the manifest's names. */
export function memberPointer(flag: Layer, apiPointer: string): string {
  const [field, ...rest] = fromPointer(apiPointer);
  if (field === undefined) return '';
  if (field === 'filters' && isUnchecked(flag.value)) return UNCHECKED + toPointer(rest);
  if (field === 'filters' && !Object.hasOwn(flag.value, 'filters')) return SHORTHAND;
  const further = flag.value['fields'];
  if (field !== 'filters' && isJsonObject(further) && Object.hasOwn(further, field))
    return toPointer(['fields', field, ...rest]);
  return toPointer([MEMBER_NAMES.get(field) ?? field, ...rest]);
}

/** The members that decide who gets a flag: filters, their shorthand, unchecked filters, and an overlay's changes of parts. */
export const FILTERS = '/filters';
export const SHORTHAND = '/rollout_percentage';
/** Filters that the service holds although its current rules refuse them: compared and sent as they are. */
export const UNCHECKED = '/fields/filters';

/** Pointers to the forms that a layer has; more than one is a mistake. */
export function findTargeting(layer: JsonObject): string[] {
  const { filters, fields, rollout_percentage: rollout } = layer;
  return [
    ...(isJsonObject(filters) ? [FILTERS] : []),
    ...(typeof rollout === 'number' ? [SHORTHAND] : []),
    ...(isJsonObject(fields) && isJsonObject(fields['filters']) ? [UNCHECKED] : []),
  ];
}

/** Whether the filters of a flag, after merging its layers, are unchecked. */
export function isUnchecked(layer: JsonObject): boolean {
  return findTargeting(layer).join() === UNCHECKED;
}

/** The members of an overlay that change single parts of the base's filters. */
export const PARTS = ['conditions', 'variants', 'payloads'] as const;

/** The names of members that are forms of one value: the filters, and the access. */
export const FORMS: readonly ReadonlySet<string>[] = [
  new Set(['filters', 'rollout_percentage', 'fields', ...PARTS]),
  new Set(['role_access', 'access']),
];

export function isPart(member: string): boolean {
  return PARTS.some((part) => part === member);
}

/** The members that lead to the filters of a layer, once a shorthand is expanded. */
export function pathTo(form: string): string[] {
  return fromPointer(form === UNCHECKED ? UNCHECKED : FILTERS);
}

/** The filters of a layer, whatever the form; `undefined` when it has none. */
export function filtersIn(layer: Located): Located | undefined {
  const [form] = isJsonObject(layer.value) ? findTargeting(layer.value) : [];
  const declared = form === undefined ? undefined : partAt(layer, fromPointer(form));
  return declared !== undefined && form === SHORTHAND ? expandShorthand(declared) : declared;
}

/** The filters that a layer declares as written, without their places. */
export function declaredFilters(layer: JsonObject): JsonObject | undefined {
  const [form] = findTargeting(layer);
  const declared = form === undefined ? undefined : valueAt(layer, form);
  const filters = form === SHORTHAND && declared !== undefined ? shorthandFor(declared) : declared;
  return isJsonObject(filters) ? filters : undefined;
}

/** Makes the filters that a shorthand stands for. They have its place, and their percentage has the places of its steps. */
function expandShorthand({ value, places }: Located): Located {
  const { place } = places;
  const condition = { place, children: { rollout_percentage: places } };
  return {
    value: shorthandFor(value),
    places: { place, children: { groups: { place, children: { '0': condition } } } },
  };
}

function shorthandFor(percentage: JsonValue): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: percentage }] };
}

/**
 * Finds the indices of the conditions that a name refers to; other than one is a mistake. A number counts conditions from 1; any other name
 * is a description.
 */
export function findConditions(conditions: readonly JsonValue[], name: string): number[] {
  if (/^\d+$/.test(name)) return [Number(name) - 1].filter((index) => index in conditions);
  return indicesOf(conditions, 'description', name);
}

/** A key that two variants have refers to the first: the second is reported as a mistake. */
export function findVariants(variants: readonly JsonValue[], key: string): number[] {
  return indicesOf(variants, 'key', key).slice(0, 1);
}

function indicesOf(parts: readonly JsonValue[], member: string, value: string): number[] {
  return parts.flatMap((part, index) => (isJsonObject(part) && memberOf(part, member) === value ? [index] : []));
}

export interface CohortContext {
  readonly project: Project;
  /** The aliases of the cohorts that manifests declare for the project. */
  readonly declared?: ReadonlySet<string>;
  /** All aliases, in one array for all flags: suggestions are cached by it. */
  readonly aliases: readonly string[];
  readonly suggest: Suggest;
}

/** A string that is not a number is an alias. Ids are kept, and so are aliases without an id. */
export function resolveCohorts(
  filters: JsonObject,
  context: CohortContext,
): { readonly filters: JsonObject; readonly findings: FlagFinding[] } {
  const { project } = context;
  const view = viewFilters(filters);
  const conditions = view.properties.filter(({ part }) => part.type === 'cohort');
  const aliases = conditions.flatMap(({ part: { value }, at }) => (isAlias(value) ? [{ alias: value, at }] : []));
  const findings = aliases
    .filter(({ alias }) => !Object.hasOwn(project.cohorts, alias) && context.declared?.has(alias) !== true)
    .map(({ alias, at }) => unknownCohort(alias, `${at}/value`, context));
  const cohort = (value: unknown): number | undefined =>
    isAlias(value) && Object.hasOwn(project.cohorts, value) ? project.cohorts[value] : undefined;
  return { filters: mapReferences(filters, { cohort: (value) => cohort(value) ?? value }), findings };
}

function isAlias(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/^\d+$/.test(value);
}

function unknownCohort(cohort: string, at: string, { project, aliases, suggest }: CohortContext): FlagFinding {
  const suggestion = suggest(cohort, aliases);
  const args = { cohort, project: project.name };
  return {
    code: 'cohort-unknown',
    severity: 'error',
    at,
    args: suggestion === undefined ? args : { ...args, suggestion },
  };
}
