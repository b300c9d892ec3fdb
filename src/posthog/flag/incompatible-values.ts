/**
 * Finds changes of git and of people that the service refuses together although neither side touched the other's values: for example, git
 * removes a variant to which somebody gave a payload. Pure; all values are in canonical form.
 */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { fromPointer, valueAt } from '../../base/json-pointer.ts';
import type { Divergence } from '../../engine/base.ts';
import { checkTogether } from './checks/filters.ts';
import type { Filters } from './model/flag.ts';
import { viewFilters } from './model/view.ts';

/** A unit of values that one side moved. */
export interface MovedUnit {
  readonly divergence?: Divergence;
  /** The pointer, the same on both sides. */
  readonly at?: string;
}

/** All fields of the flag: as it would be with the manifests alone, and as it is. */
export interface WantedAndLive {
  readonly wanted: JsonObject;
  readonly live: JsonObject;
}

/** The pointers of the units that do not fit together. */
export function findIncompatible(moved: readonly MovedUnit[], sides: WantedAndLive): ReadonlySet<string> {
  if (new Set(moved.map(({ divergence }) => divergence)).size < 2) return NONE;
  const refused = new Set(findRefused(moved, sides));
  const judged = moved.map((unit) =>
    refused.has(unit.at ?? '') ? { ...unit, divergence: 'conflict' as const } : unit,
  );
  return new Set([...refused, ...findDivided(judged)]);
}

const NONE: ReadonlySet<string> = new Set();

const AGGREGATION = '/filters/aggregation_group_type_index';

/** A condition may take the aggregation of the flag, so that either without the other means something else. */
function findDivided(moved: readonly MovedUnit[]): readonly string[] {
  const parts = moved.filter(({ at }) => at === AGGREGATION || at?.startsWith('/filters/groups') === true);
  const isDivided = new Set(parts.map(({ divergence }) => divergence)).size > 1;
  return isDivided && parts.some(({ at }) => at === AGGREGATION) ? parts.flatMap(({ at }) => at ?? []) : [];
}

/** The units of the values that the service refuses together. */
function findRefused(moved: readonly MovedUnit[], sides: WantedAndLive): readonly string[] {
  const pending = unitsOf(moved, 'pending');
  const drifted = unitsOf(moved, 'drifted');
  if (pending.length === 0 || drifted.length === 0) return [];
  const found = problemsOf(mix(sides, drifted));
  const known = new Set([...problemsOf(sides.wanted), ...problemsOf(sides.live)]);
  const problems = [...found].filter((problem) => !known.has(problem));
  const all = [...pending, ...drifted];
  return problems.flatMap((problem) => {
    // A unit is part of a problem if the other side's value of it would solve the problem.
    const parts = all.filter((unit) => !problemsOf(mix(sides, turned(unit, drifted))).has(problem));
    return parts.length === 0 ? all : parts;
  });
}

function unitsOf(moved: readonly MovedUnit[], side: Divergence): string[] {
  return [...new Set(moved.flatMap(({ divergence, at }) => (divergence === side && at !== undefined ? at : [])))];
}

/** The live units, with one of all units taken from its other side. */
function turned(unit: string, live: readonly string[]): readonly string[] {
  return live.includes(unit) ? live.filter((other) => other !== unit) : [...live, unit];
}

/** The wanted fields with the live value of some units. */
function mix({ wanted, live }: WantedAndLive, units: readonly string[]): JsonObject {
  return units.reduce<JsonObject>(
    (mixed, unit) => objectOrEmpty(withValue(mixed, fromPointer(unit), valueAt(live, unit))),
    wanted,
  );
}

/** Lists around a unit have the same elements on both sides. */
function withValue(
  around: JsonValue | undefined,
  [segment, ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonValue | undefined {
  if (segment === undefined) return value;
  if (isJsonArray(around))
    return around.map((element, index) =>
      String(index) === segment ? (withValue(element, rest, value) ?? null) : element,
    );
  const members = definedEntries(objectOrEmpty(around));
  const inner = members.find(([name]) => name === segment)?.[1];
  const made = withValue(inner, rest, value);
  const others = members.filter(([name]) => name !== segment);
  return objectFrom(made === undefined ? others : [...others, [segment, made]]);
}

function definedEntries(object: JsonObject): [string, JsonValue][] {
  return definedKeys(object).map((name) => [name, object[name] as JsonValue]);
}

function problemsOf(fields: JsonObject): ReadonlySet<string> {
  const { filters } = fields;
  const inFilters = isJsonObject(filters) && !viewFilters(filters).isOpaque ? checkTogether(filters as Filters) : [];
  return new Set([
    ...inFilters.filter(({ severity }) => severity === 'error').map(({ code, at }) => `${code} ${at}`),
    ...FIELD_RULES.filter(({ isBroken }) => isBroken(fields)).map(({ name }) => name),
  ]);
}

/** The rules of the service for fields other than the filters. */
const FIELD_RULES: readonly { readonly name: string; readonly isBroken: (fields: JsonObject) => boolean }[] = [
  {
    name: 'continuous devices',
    isBroken: ({ bucketing_identifier: identifier, ensure_experience_continuity: isContinuous }) =>
      identifier === 'device_id' && isContinuous === true,
  },
  {
    name: 'encryption without remote configuration',
    isBroken: ({ has_encrypted_payloads: isEncrypted, is_remote_configuration: isRemote }) =>
      isEncrypted === true && isRemote !== true,
  },
  { name: 'active archive', isBroken: ({ archived, active }) => archived === true && active === true },
];
