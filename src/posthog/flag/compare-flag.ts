/** Compares a declared flag with the live one: what differs, and, with a base, which side moved. */

import {
  without,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
  setMember,
  isJsonArray,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ObservedValue, OutsideBounds } from '../../core/engine/ownership.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { FlagWarning, ValueOfOthers } from './change.ts';
import {
  comparableFields,
  differencesIn,
  pairFields,
  compareFields,
  type FieldPair,
  inOrderOf,
  withSamePayloads,
} from './comparison.ts';
import { withDeclaredSecrecy, hasEncryptedPayloads } from './model/encrypted-payloads.ts';
import { type Flag, keyOnceRestored, type Filters, viewFilters } from './model/flag.ts';
import { NOTHING_OF_OTHERS, withOwnership, type OwnedFields } from './owned-fields.ts';
import { flagReferences } from './model/references.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './model/canonical.ts';
import { fromPointer, valueAt } from '../../base/json-pointer.ts';
import type { Divergence } from '../../core/engine/base.ts';
import type { ClassifiedStates } from '../../core/engine/classify.ts';
import type { Difference } from '../../core/engine/diff.ts';
import type { Match } from '../../core/engine/matched.ts';
import {
  classifyAlike,
  classifyAll,
  classifyDelete,
  classifyMissing,
  countAlike,
  withBaseValue,
} from '../../core/engine/three-way.ts';
import { withCommonAggregation, withStoredAggregation } from './model/normal-forms.ts';
import { isManagedField } from './model/fields.ts';
import { checkTogether } from './checks/filters.ts';

export interface FlagComparison {
  /** Includes what its manifest implies. */
  readonly desired: DeclaredFlag;
  /** The live flag as it was compared. */
  readonly seen: Flag;
  /** The compared fields: declared values, or live ones where others decide. */
  readonly written: JsonObject;
  readonly valuesOfOthers: readonly ValueOfOthers[];
  /** Values that others decide and that are not as declared; absent if there are none. */
  readonly observed?: readonly ObservedValue[];
  readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject };
  readonly differences: readonly FlagDifference[];
  /** Absent without a base. */
  readonly converged?: number;
  readonly warnings: readonly FlagWarning[];
}

export interface DeclaredMatch extends FormerFlag {
  readonly desired: DeclaredFlag;
  readonly live: Flag;
}

export function compareFlag(
  { desired: given, live, base, isOther }: DeclaredMatch,
  flags: FlagSnapshot,
): FlagComparison {
  const desired = completed(given);
  const supported = supportedFields(desired, live);
  const seen = withDeclaredSecrecy(live, desired.fields);
  const { wanted } = supported;
  // Other products decide about their parts unless a manifest declares them.
  const { filters } = live;
  const hasPart = (part: string): boolean => isJsonObject(filters) && (memberOf(filters, part) ?? null) !== null;
  const isOurs = desired.ownership === undefined && !PARTS_OF_OTHER_PRODUCTS.some(hasPart);
  const owned = isOurs ? { wanted, ...NOTHING_OF_OTHERS } : withOwnership({ desired, wanted, live: seen }, flags);
  const { wanted: written, valuesOfOthers, observed } = owned;
  const common = {
    desired,
    seen,
    written,
    valuesOfOthers,
    ...(observed.length === 0 ? {} : { observed }),
    warnings: [...supported.warnings, ...owned.warnings],
  };
  // An unchanged declaration cannot have moved on both sides.
  const hasMoved = base?.kind === 'retired' || (base?.kind === 'declared' && !jsonEquals(base.fields, given.fields));
  if (isAsWritten(written, live) && !hasMoved)
    return { ...common, canonical: { live: written, wanted: written }, differences: [] };
  const form = flags.comparable(seen);
  const canonical = { live: form, wanted: comparableFields(written, form, flags) };
  const pairs = pairFields(canonical, written, flags);
  const differences = differencesIn(pairs);
  const compared = { desired, live: seen, pairs, canonical };
  const annotated =
    base === undefined
      ? { differences }
      : compareWithBase(differences, compared, { base, ...defined({ isOther }), flags });
  return { ...common, canonical, ...annotated, differences: withBounds(annotated.differences, owned) };
}

/** Omits bounds if a moved element had a value at the place. */
function withBounds(differences: readonly FlagDifference[], { outside }: OwnedFields): readonly FlagDifference[] {
  if (outside.size === 0) return differences;
  return differences.map((one) => {
    const found = outside.get(one.path);
    return found !== undefined && jsonEquals(found.live, one.before) ? { ...one, bounds: found.bounds } : one;
  });
}

/** Equal values need no canonical form. Dependencies always do: they are written by key and read by id. */
function isAsWritten(wanted: JsonObject, live: JsonObject): boolean {
  return Object.entries(wanted).every(
    ([field, value]) =>
      jsonEquals(value, memberOf(live, field)) && !(isJsonObject(value) && flagReferences(value).length > 0),
  );
}

/** A difference of a flag; without a base it has no class. */
interface FlagDifference extends Difference {
  readonly divergence?: Divergence;
  /** The pointer of the unit that decided the class. */
  readonly at?: string;
  /** The declared value in the base of a conflict; absent if it had none. */
  readonly base?: JsonValue;
  /** Present if `after` is the nearest bound instead of the declared value. */
  readonly bounds?: OutsideBounds;
}

/** The input of a comparison of a flag. */
interface ComparedFlag {
  readonly desired: DeclaredFlag;
  readonly live: Flag;
  /** The compared fields. */
  readonly pairs: readonly FieldPair[];
  readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject };
}

/** The declaration of a flag in the base. */
export type FormerFlag = Pick<Match<DesiredFlag, Flag>, 'base' | 'isOther'>;

/** The shares of variants add up to 100, so all of them must come from the same state. */
const UNITS: ReadonlySet<string> = new Set(['/filters/multivariate']);

function compareWithBase(
  differences: readonly Difference[],
  compared: ComparedFlag,
  { base, isOther, flags }: FormerFlag & { readonly base: DesiredFlag | null; readonly flags: FlagSnapshot },
): { readonly differences: readonly FlagDifference[]; readonly converged: number } {
  if (base === null) {
    // A run that was not recorded may have created the flag: what somebody turned off since then is no change of git.
    const off = flags.turnedOff?.get(compared.live.id)?.paths ?? [];
    const switched = flags.turnedOn?.has(compared.live.id) === true ? [...off, '/active'] : off;
    const classified = classifyAlike(differences, defined({ isOther }));
    const differ = classified.map((one): FlagDifference =>
      one.divergence === 'pending' && switched.includes(one.path) ? { ...one, divergence: 'drifted' } : one,
    );
    return { differences: differ, converged: 0 };
  }
  const declared = fieldsOfBase(base, compared, flags);
  const states = statesOf(declared, compared, flags);
  if (isOther === true) {
    const others = classifyAlike(differences, { isOther });
    return { differences: others.map((one) => withBaseValue(one, states)), converged: 0 };
  }
  const isChanged = !isSameDeclaration(base, compared.desired, flags);
  const values = { states, units: UNITS, isDeclared: (at: string) => isDeclared(at, declared), isChanged };
  const classified = classifyAll(differences, values);
  const incompatible = findIncompatible(classified, sidesOf(compared, states));
  return {
    differences: classified.map((one): FlagDifference => {
      const isIncompatible = incompatible.has(one.at);
      return withBaseValue(isIncompatible ? { ...one, divergence: 'conflict' } : one, states);
    }),
    converged: countAlike(values),
  };
}

/** Classifies a flag that the service lacks. */
export function classifyMissingFlag(
  desired: DeclaredFlag,
  { base }: FormerFlag,
  flags: FlagSnapshot,
): Divergence | undefined {
  return classifyMissing(defined({ base }), () => base?.kind === 'declared' && isSameDeclaration(base, desired, flags));
}

/** Classifies a flag that is to be deleted. */
export function classifyFlagDelete(former: FormerFlag, live: Flag, flags: FlagSnapshot): Divergence | undefined {
  return classifyDelete(former, () => former.base?.kind === 'declared' && isAsDeclared(former.base, live, flags));
}

function isAsDeclared(base: DeclaredFlag, live: Flag, flags: FlagSnapshot): boolean {
  const { wanted } = supportedFields(completed(base), live);
  const { wanted: left } = withOwnership({ desired: base, wanted, live }, flags);
  return compareFields(left, flags.comparable(live), flags).length === 0;
}

/** Whether two declarations of a flag mean the same. */
function isSameDeclaration(base: DesiredFlag, desired: DeclaredFlag, flags: FlagSnapshot): boolean {
  if (base.kind === 'retired' || base.key !== desired.key) return false;
  if (jsonEquals(base.fields, desired.fields)) return true;
  const form = (flag: DeclaredFlag): JsonObject => comparableFields(completed(flag).fields, {}, flags);
  const then = form(base);
  return jsonEquals(then, inOrderOf(form(desired), then));
}

/**
 * The fields of the base, with the live value wherever the base or the manifests leave it to others: such a value did not move away from the
 * base. A number outside its bounds is the exception: somebody moved it there.
 */
function fieldsOfBase(base: DesiredFlag, { desired, live }: ComparedFlag, flags: FlagSnapshot): JsonObject {
  if (base.kind === 'retired') return { deleted: true };
  const { wanted } = supportedFields(completed(base), live);
  const then = withOwnership({ desired: base, wanted, live }, flags).wanted;
  const now = { ...base, ownership: desired.ownership ?? [] };
  return withOwnership({ desired: now, wanted: then, live, outside: 'wanted' }, flags).wanted;
}

/** The three states of the compared fields. */
function statesOf(declared: JsonObject, { pairs, canonical }: ComparedFlag, flags: FlagSnapshot): ClassifiedStates {
  const isEncrypted = [declared, canonical.wanted, canonical.live].some(hasEncryptedPayloads);
  const [live, wanted] = [fieldsOf(pairs, 'before'), fieldsOf(pairs, 'after')];
  const form = comparableFields(declared, { has_encrypted_payloads: isEncrypted }, flags);
  const base = inOrderOf(inOrderOf(form, wanted), live);
  return {
    base: Object.fromEntries(
      pairs.map(({ field, before }) => [
        field,
        isEncrypted && field === 'filters' ? withSamePayloads(base[field], before) : memberOf(base, field),
      ]),
    ),
    live,
    wanted,
  };
}

function fieldsOf(pairs: readonly FieldPair[], side: 'before' | 'after'): JsonObject {
  return Object.fromEntries(pairs.map((pair) => [pair.field, pair[side]]));
}

/** The whole flag: a field that the manifests leave alone is as it is live. */
function sidesOf({ canonical }: ComparedFlag, { live, wanted }: ClassifiedStates): WantedAndLive {
  return {
    live: { ...canonical.live, ...objectOrEmpty(live) },
    wanted: { ...canonical.live, ...objectOrEmpty(wanted) },
  };
}

/** Parts that other products own count only where the base had them. */
function isDeclared(pointer: string, declared: JsonObject): boolean {
  const [field = '', part] = fromPointer(pointer);
  if (!Object.hasOwn(declared, field)) return false;
  if (field !== 'filters' || part === undefined) return true;
  const { filters } = declared;
  return !PARTS_OF_OTHER_PRODUCTS.includes(part) || (isJsonObject(filters) && Object.hasOwn(filters, part));
}

/** Adds what a declaration implies. */
export function completed(desired: DeclaredFlag): DeclaredFlag {
  const { filters } = desired.fields;
  const meant = isJsonObject(filters) ? withCommonAggregation(filters) : filters;
  return meant === filters ? desired : { ...desired, fields: { ...desired.fields, filters: meant } };
}

/**
 * The fields to compare: the declared ones that this service knows, and those that adopting this live flag implies. A field that the
 * service never answers would always differ.
 */
export function supportedFields(desired: DeclaredFlag, live: Flag): { wanted: JsonObject; warnings: FlagWarning[] } {
  const warnings: FlagWarning[] = [];
  const wanted: Record<string, JsonObject[string]> = {};
  if (keyOnceRestored(live) !== desired.key) wanted['key'] = desired.key;
  if (live.deleted === true) wanted['deleted'] = false;
  const { active, archived } = desired.fields;
  if (
    live.archived === true &&
    active === true &&
    archived === undefined &&
    isManagedField(desired.ownership, 'active')
  ) {
    wanted['archived'] = false;
    warnings.push({ code: 'unarchives', key: desired.key, id: live.id });
  }
  for (const [field, value] of Object.entries(desired.fields)) {
    if (Object.hasOwn(live, field)) setMember(wanted, field, value);
    else warnings.push({ code: 'field_unsupported', key: desired.key, field });
  }
  return { wanted: withStoredAggregation(wanted, live), warnings };
}

/** A unit of values that one side moved. */
interface MovedUnit {
  readonly divergence?: Divergence;
  /** The pointer, the same on both sides. */
  readonly at?: string;
}

/** All fields of the flag: as it would be with the manifests alone, and as it is. */
interface WantedAndLive {
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
  const object = objectOrEmpty(around);
  const made = withValue(memberOf(object, segment), rest, value);
  const others = without(object, [segment]);
  return made === undefined ? others : { ...others, [segment]: made };
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
