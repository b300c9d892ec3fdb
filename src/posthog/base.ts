/** The base as a comparison needs it: with what earlier applies left, and under the keys that flags have now. */

import { isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { BaseFacts, EarlierBase } from '../engine/base.ts';
import { namedKeys, type DesiredResource } from '../engine/desired.ts';
import type { Match } from '../engine/matched.ts';
import type { DeclaredCohort, DeclaredFlag, DesiredCohort, DesiredFlag, DesiredState } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import { fieldOf } from './flag/ownership.ts';
import { mapReferences } from './flag/references.ts';
import { aliasIn } from './resource-path.ts';

/** The desired state of an earlier commit, and what is known of that commit. */
export interface Base {
  readonly facts: BaseFacts;
  /** Absent where there is no base. */
  readonly desired?: DesiredState;
}

/** What an earlier apply left, with what the manifests declared where it was applied last; absent where it never was. */
export interface EarlierState extends Pick<EarlierBase, 'key' | 'fields'> {
  readonly desired?: DesiredState;
}

/** The desired state of the base in which each resource is as it was applied last. */
export function withEarlier(desired: DesiredState, earlier: readonly EarlierState[]): DesiredState {
  return earlier.reduce((state, one): DesiredState => {
    const alias = aliasIn(one.key);
    if (alias === undefined) {
      return { ...state, flags: replace(state.flags, { ...one, then: one.desired?.flags ?? [], mix: mixFlags }) };
    }
    const then = one.desired?.cohorts ?? [];
    const cohorts = replace(state.cohorts ?? [], { ...one, key: alias, then, mix: mixCohorts });
    return { ...state, ...defined({ cohorts: cohorts.length === 0 ? state.cohorts : cohorts }) };
  }, desired);
}

interface Replacement<Resource extends DesiredResource> {
  readonly key: string;
  readonly fields?: readonly string[];
  readonly then: readonly Resource[];
  /** The later one with fields of the earlier one; `undefined` where they cannot be told apart. */
  readonly mix: (later: Resource, earlier: Resource | undefined, fields: readonly string[]) => Resource | undefined;
}

function replace<Resource extends DesiredResource>(
  all: readonly Resource[],
  { key, fields, then, mix }: Replacement<Resource>,
): readonly Resource[] {
  const later = all.find((one) => one.key === key);
  const names = later === undefined ? [key] : namedKeys(later);
  const earlier = names.flatMap((name) => then.find((one) => one.key === name) ?? [])[0];
  const mixed = later === undefined || fields === undefined ? undefined : mix(later, earlier, fields);
  const known = mixed ?? earlier;
  const others = all.filter((one) => one.key !== key);
  // A key that another resource has by now would stand for that one.
  return known === undefined || others.some((one) => one.key === known.key) ? others : [...others, known];
}

function mixFlags(
  later: DesiredFlag,
  earlier: DesiredFlag | undefined,
  names: readonly string[],
): DesiredFlag | undefined {
  if (later.kind === 'retired') return undefined;
  const then = earlier?.kind === 'declared' ? earlier : undefined;
  const { roleAccess: _roles, everyone: _level, ownership, ...rest } = later;
  const access = names.includes('role_access') ? then : later;
  const isOf = (rule: NonNullable<DeclaredFlag['ownership']>[number]): boolean =>
    names.includes(fieldOf(rule.path) ?? '');
  const rules = [...(ownership ?? []).filter((rule) => !isOf(rule)), ...(then?.ownership ?? []).filter(isOf)];
  return {
    ...rest,
    fields: mixFields(later.fields, then?.fields, names),
    ...defined({
      roleAccess: access?.roleAccess,
      everyone: access?.everyone,
      ownership: rules.length === 0 ? undefined : rules,
    }),
  };
}

function mixCohorts(
  later: DesiredCohort,
  earlier: DesiredCohort | undefined,
  names: readonly string[],
): DesiredCohort | undefined {
  if (later.kind === 'retired') return undefined;
  const then: DeclaredCohort | undefined = earlier?.kind === 'declared' ? earlier : undefined;
  return { ...later, fields: mixFields(later.fields, then?.fields, names) };
}

/** A field that the earlier declaration did not have is not managed. */
function mixFields(later: JsonObject, earlier: JsonObject | undefined, names: readonly string[]): JsonObject {
  const kept = Object.entries(later).filter(([field]) => !names.includes(field));
  const before = names.map((field): [string, JsonValue | undefined] => [field, earlier && memberOf(earlier, field)]);
  return objectFrom(
    [...kept, ...before].flatMap(([field, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[field, value]],
    ),
  );
}

type FlagMatch = Match<DesiredFlag, Flag>;

/** The same pairs: where the manifests gave a flag another key, the base's conditions on it name the new one. */
export function renameInBase(pairs: readonly FlagMatch[]): readonly FlagMatch[] {
  const newKeys = new Map(
    pairs.flatMap(({ desired, base }): [string, string][] =>
      base === undefined || base === null || base.key === desired.key ? [] : [[base.key, desired.key]],
    ),
  );
  if (newKeys.size === 0) return pairs;
  const newKey = (reference: string | number): string | number =>
    typeof reference === 'string' ? (newKeys.get(reference) ?? reference) : reference;
  return pairs.map((pair) => {
    const { base } = pair;
    if (base?.kind !== 'declared' || !isJsonObject(base.fields['filters'])) return pair;
    const filters = mapReferences(base.fields['filters'], { flag: newKey });
    return filters === base.fields['filters']
      ? pair
      : { ...pair, base: { ...base, fields: { ...base.fields, filters } } };
  });
}
