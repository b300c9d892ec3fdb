/** Finds the effects of a plan's changes, resource by resource, from the differences that the comparison found. */

import {
  without,
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
  isJsonArray,
  objectFrom,
} from '../../base/json.ts';
import type { FeatureMember } from '../../posthog/early-access/feature.ts';
import type { KindName, KindTypes } from '../../posthog/kind-types.ts';
import type { Change, Plan, FieldChange } from '../../posthog/plan.ts';
import {
  joinClasses,
  type Effect,
  type EffectClass,
  type FlagEffect,
  type ResourceEffects,
  type VariantShare,
} from './effect.ts';
import {
  decides,
  differenceOf,
  driftOf,
  isDormant,
  AGGREGATION,
  aggregationIn,
  type FlagStateChange,
  numberConditions,
  pairConditions,
} from './sides.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { hasOpaque, viewFilters, shareOf, KNOWN_MEMBERS } from '../../posthog/flag/model/flag.ts';
import type { AudienceRules } from './audience.ts';
import { findCohortEffects } from './cohort-effects.ts';
import { findConditionEffects } from './condition-effects.ts';

/**
 * Finds the effects in the order of the plan. The two writes of one update belong to one resource, and every change to exactly one. The
 * result is kept for the same list of changes, which is never mutated.
 */
export function findEffects({ changes, warnings }: ExaminedPlan): readonly ResourceEffects[] {
  const known = found.get(changes);
  if (known?.warnings === warnings) return known.effects;
  const effects = effectsOf({ changes, warnings }, APPLIED);
  found.set(changes, { warnings, effects });
  return effects;
}

const found = new WeakMap<
  ExaminedPlan['changes'],
  { readonly warnings: ExaminedPlan['warnings']; readonly effects: readonly ResourceEffects[] }
>();

/** Finds what live state does, compared with the declared one: the effects of the same differences in the opposite direction. */
export function findDriftEffects(plan: ExaminedPlan): ResourceEffects[] {
  return effectsOf(plan, DRIFTED);
}

type ExaminedPlan = Pick<Plan, 'changes' | 'warnings'>;

/** A direction in which differences are read. */
interface EffectDirection {
  readonly difference: typeof differenceOf;
  /** What happens to a cohort. */
  readonly cohort: ActionNames<'cohort'>;
  /** What happens to the access of a role. */
  readonly access: ActionNames<'role_access'>;
}

type ChangeOf<Kind extends KindName> = KindTypes[Kind]['change'];
type ActionNames<Kind extends KindName> = Readonly<Record<ChangeOf<Kind>['action'], ChangeOf<Kind>['action']>>;

const APPLIED: EffectDirection = {
  difference: differenceOf,
  cohort: { create: 'create', update: 'update', restore: 'restore', delete: 'delete' },
  access: { grant: 'grant', adjust: 'adjust', revoke: 'revoke' },
};
const DRIFTED: EffectDirection = {
  difference: driftOf,
  cohort: { create: 'delete', update: 'update', restore: 'delete', delete: 'create' },
  access: { grant: 'revoke', adjust: 'adjust', revoke: 'grant' },
};

function effectsOf(plan: ExaminedPlan, direction: EffectDirection): ResourceEffects[] {
  const groups = new Map<string, [Change, ...Change[]]>();
  for (const change of plan.changes) {
    const name = `${change.resource}:${change.key}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [change]);
    else group.push(change);
  }
  return [...groups.values()].map((changes) => {
    const [{ resource, key }] = changes;
    // All changes of a group are of the same kind.
    const flag = resource === 'flag' ? direction.difference(changes as readonly ChangeOf<'flag'>[]) : undefined;
    const effects =
      flag === undefined ? changes.flatMap((change) => otherEffects(change, plan, direction)) : findFlagEffects(flag);
    const refs = changes.map(({ ref }) => ref);
    const found = { resource, key, refs, classes: joinClasses(effects), effects };
    return flag !== undefined && isDormant(flag.sides) ? { ...found, dormant: true } : found;
  });
}

/** The effects of a change whose resource is no flag. */
function otherEffects(change: Change, plan: ExaminedPlan, direction: EffectDirection): readonly Effect[] {
  switch (change.resource) {
    case 'cohort':
      return findCohortEffects(change, {
        action: direction.cohort[change.action],
        isReversed: direction === DRIFTED,
        warnings: plan.warnings,
      });
    case 'early_access':
      return featureEffects(change, direction);
    case 'role_access': {
      const role = change.role?.name ?? change.role?.id;
      const action = direction.access[change.action];
      return [{ what: 'access', classes: ['access'], action, ...(role !== undefined && { role }) }];
    }
    case 'flag':
      return [];
  }
}

/** Only the start and the end of enrollment change values. */
function featureEffects({ fields, enrollment }: ChangeOf<'early_access'>, { cohort }: EffectDirection): FlagEffect[] {
  const others = fields
    .filter(({ path }) => path !== '/enrollment')
    .map(({ path, before, after }): FlagEffect => {
      const field = path.slice(1);
      return memberOf(FEATURE_ROWS, field)?.(field) ?? unknown(path, { before, after });
    });
  if (enrollment === undefined) return others;
  const isOn = (enrollment === 'starts') === (cohort.create === 'create');
  const values = { before: !isOn, after: isOn };
  return [{ what: 'setting', classes: ['widen', 'narrow'], field: 'feature_enrollment', ...values }, ...others];
}

/** As `FIELDS` of flags. */
const FEATURE_ROWS: Readonly<Record<FeatureMember, (field: string) => FlagEffect>> = {
  name: metadata,
  description: metadata,
  stage: metadata,
  documentation_url: metadata,
  payload: metadata,
};

function findFlagEffects({ sides: { before, after }, fields, restores, ...rules }: FlagStateChange): FlagEffect[] {
  if (after === undefined) return [{ what: 'deleted', classes: ['delete'] }];
  const differing = [...new Set(fields.map(({ path }) => fromPointer(path)[0] ?? ''))];
  if (restores || before === undefined) return [beginning(restores, after, differing)];
  return differing.flatMap((field) =>
    field === 'filters'
      ? filtersEffects([objectOrEmpty(before['filters']), objectOrEmpty(after['filters'])], fields, rules)
      : fieldEffects(field, { before: memberOf(before, field), after: memberOf(after, field) }),
  );
}

/** Who gets the flag as it is, as of a new one. `fields`: the names of those that make it. */
export function standingOf(flag: JsonObject, fields: readonly string[] = []): FlagEffect {
  return beginning(false, flag, fields);
}

function beginning(restores: boolean, flag: JsonObject, fields: readonly string[]): FlagEffect {
  const filters = objectOrEmpty(flag['filters']);
  const others = [
    ...Object.keys(filters).filter((part) => !STRUCTURED.has(part) && decides(memberOf(filters, part))),
    ...LIMITS.filter(
      (field) => ![null, 'all'].includes((flag[field] ?? null) as string) && !jsonEquals(flag[field] ?? null, []),
    ),
    ...(flag['is_remote_configuration'] === true ? ['is_remote_configuration'] : []),
    ...fields.filter((field) => !Object.hasOwn(FIELDS, field) && field !== 'filters' && field !== 'deleted'),
  ];
  const isRead = !hasOpaque(filters) && !viewFilters(filters).hasUnreadConditions;
  const facts = {
    active: flag['active'] !== false,
    conditions: numberConditions(filters),
    ...(isRead && others.length === 0 ? {} : { others: isRead ? others : ['filters'] }),
  };
  return restores
    ? { what: 'restored', classes: ['restore'], ...facts }
    : { what: 'created', classes: ['create'], ...facts };
}

/** Fields that limit where a flag is evaluated. */
const LIMITS = ['evaluation_runtime', 'evaluation_contexts', 'evaluation_tags'] as const;

interface ValuePair {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** What a difference in a field of the flag means; a field without a row is opaque. */
const FIELDS: Readonly<Record<string, (field: string, values: ValuePair) => FlagEffect>> = {
  active: (_, { after }) => ({ what: 'switched', classes: [after === false ? 'kill' : 'enable'], on: after !== false }),
  key: (_, { before, after }) => ({ what: 'renamed', classes: ['re-bucket'], from: textOf(before), to: textOf(after) }),
  ensure_experience_continuity: bucketing,
  bucketing_identifier: bucketing,
  name: metadata,
  tags: metadata,
  archived: metadata,
  created_at: metadata,
  performed_rollback: metadata,
  rollback_conditions: metadata,
  has_encrypted_payloads: (field, values) => setting(field, values, ['payload']),
  is_remote_configuration: (field, values) => setting(field, values, ['payload']),
  evaluation_runtime: (field, values) => setting(field, values, restriction(values, 'all')),
  evaluation_contexts: (field, values) => setting(field, values, restriction(values, undefined)),
  evaluation_tags: (field, values) => setting(field, values, restriction(values, undefined)),
};

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function fieldEffects(field: string, values: ValuePair): FlagEffect[] {
  const row = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  return [row?.(field, values) ?? unknown(toPointer([field]), values)];
}

function bucketing(field: string, { before, after }: ValuePair): FlagEffect {
  return { what: 'bucketing', classes: ['re-bucket'], field, ...defined({ before, after }) };
}

function metadata(field: string): FlagEffect {
  return { what: 'metadata', classes: ['metadata'], field };
}

function setting(field: string, { before, after }: ValuePair, classes: readonly EffectClass[]): FlagEffect {
  return { what: 'setting', classes, field, ...defined({ before, after }) };
}

function unknown(path: string, { before, after }: ValuePair): FlagEffect {
  return { what: 'unknown', classes: ['opaque'], path, ...defined({ before, after }) };
}

/** The effect of a field that limits where the flag is evaluated; its usual value limits nothing. */
function restriction({ before, after }: ValuePair, usual: JsonValue | undefined): EffectClass[] {
  const isUsual = (value: JsonValue | undefined): boolean => value === undefined || value === usual;
  if (isUsual(before)) return ['narrow'];
  return isUsual(after) ? ['widen'] : ['widen', 'narrow'];
}

/** The parts of `filters` that evaluation reads, except conditions, variants and payloads. A part without a row is opaque. */
const PARTS: Readonly<Record<string, (part: string, values: ValuePair) => FlagEffect>> = {
  early_exit: (part, values) => setting(part, values, switchClasses(values, { on: ['narrow'], off: ['widen'] })),
  holdout: (part, values) => setting(part, values, ['widen', 'narrow', 're-split']),
  super_groups: (part, values) => setting(part, values, ['widen', 'narrow', 're-split']),
  feature_enrollment: (part, values) =>
    setting(part, values, switchClasses(values, { on: ENROLLMENT, off: ENROLLMENT })),
};

const ENROLLMENT: readonly EffectClass[] = ['widen', 'narrow', 're-split'];

/** Any other value than `true` means none. */
function switchClasses(
  { before, after }: ValuePair,
  { on, off }: Readonly<Record<'on' | 'off', readonly EffectClass[]>>,
): readonly EffectClass[] {
  if ((before === true) === (after === true)) return ['metadata'];
  return after === true ? on : off;
}

const STRUCTURED: ReadonlySet<string> = new Set([AGGREGATION, 'groups', 'multivariate', 'payloads']);

function filtersEffects(
  [before, after]: readonly [JsonObject, JsonObject],
  fields: readonly FieldChange[],
  rules: AudienceRules,
): FlagEffect[] {
  if (hasOpaque(before, after)) return [unknown('/filters', { before, after })];
  const differing = [...new Set([...definedKeys(before), ...definedKeys(after)])].filter(
    (part) => !jsonEquals(memberOf(before, part) ?? null, memberOf(after, part) ?? null),
  );
  const others = differing.filter((part) => !STRUCTURED.has(part));
  return [
    ...others.flatMap((part) => partEffects(part, { before: memberOf(before, part), after: memberOf(after, part) })),
    ...findBucketingEffects(before, after),
    ...conditionEffects(before, after, rules),
    ...(differing.includes('multivariate') ? findVariantEffects(before, after) : []),
    ...fields.flatMap(payloadEffects),
  ];
}

/** A member that is not a condition matches nobody and has no number, so that no effect can name it. */
function conditionEffects(before: JsonObject, after: JsonObject, rules: AudienceRules): FlagEffect[] {
  const [former, wanted] = [before['groups'], after['groups']];
  if (![before, after].some((filters) => viewFilters(filters).hasUnreadConditions))
    return findConditionEffects(before, after, rules);
  return jsonEquals(former ?? null, wanted ?? null)
    ? []
    : [unknown('/filters/groups', { before: former, after: wanted })];
}

function partEffects(part: string, values: ValuePair): FlagEffect[] {
  const row = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  return [row?.(part, values) ?? unknown(toPointer(['filters', part]), values)];
}

/** Uses the differences of the plan: of encrypted payloads, nothing else is known. */
function payloadEffects({ path, before, after }: FieldChange): FlagEffect[] {
  const [top, part, key] = fromPointer(path);
  if (top !== 'filters') return [];
  if (part === undefined) return payloadsOf(objectOrEmpty(before)['payloads'], objectOrEmpty(after)['payloads']);
  if (part !== 'payloads') return [];
  if (key === undefined) return payloadsOf(before, after);
  return [{ what: 'payload', classes: ['payload'], payload: key, how: howChanged(path, { before, after }) }];
}

function payloadsOf(before: JsonValue | undefined, after: JsonValue | undefined): FlagEffect[] {
  const [former, wanted] = [before ?? {}, after ?? {}];
  if (!isJsonObject(former) || !isJsonObject(wanted)) {
    return [{ what: 'unknown', classes: ['opaque'], path: '/filters/payloads' }];
  }
  return [...new Set([...definedKeys(former), ...definedKeys(wanted)])]
    .map((key) => ({ key, before: memberOf(former, key), after: memberOf(wanted, key) }))
    .filter((payload) => !jsonEquals(payload.before, payload.after))
    .map(({ key, ...values }) => ({
      what: 'payload',
      classes: ['payload'],
      payload: key,
      how: howChanged(toPointer(['filters', 'payloads', key]), values),
    }));
}

/** A deeper path is part of a payload that exists before and after. */
function howChanged(path: string, { before, after }: ValuePair): 'added' | 'removed' | 'changed' {
  if (fromPointer(path).length > 3 || (before !== undefined && after !== undefined)) return 'changed';
  return before === undefined ? 'added' : 'removed';
}

/**
 * Finds what a change of the aggregation does. `before` and `after`: `filters` in canonical form.
 *
 * A condition hashes persons, or groups of its own type, or else of the flag's type. If every condition follows the flag, a change of the
 * flag's type concerns everybody; otherwise only people whom a holdout excludes and, in 2023, people without a group.
 */
function findBucketingEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const paired = pairConditions(before, after).flatMap(({ former, wanted }) =>
    former === undefined || wanted === undefined
      ? []
      : [
          {
            condition: wanted,
            before: aggregationIn(before, former.condition),
            after: aggregationIn(after, wanted.condition),
          },
        ],
  );
  const changed = paired.filter((one) => !jsonEquals(one.before, one.after));
  const own = changed.map((one): FlagEffect => ({
    what: 'bucketing',
    classes: ['re-bucket'],
    field: AGGREGATION,
    ...one,
  }));
  const values = { before: memberOf(before, AGGREGATION), after: memberOf(after, AGGREGATION) };
  if (jsonEquals(values.before ?? null, values.after ?? null)) return own;
  const ofFlag = { field: AGGREGATION, ...defined(values) };
  return changed.length === paired.length
    ? [{ what: 'bucketing', classes: ['re-bucket'], ...ofFlag }]
    : [{ what: 'setting', classes: ['widen', 'narrow', 're-split'], ...ofFlag }, ...own];
}

/** `before` and `after`: `filters` in canonical form, whose variants differ. */
function findVariantEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const [former, wanted] = [before['multivariate'], after['multivariate']];
  const [parts, newParts] = [readMultivariate(former), readMultivariate(wanted)];
  if (parts === undefined || newParts === undefined || !jsonEquals(parts.unknown, newParts.unknown)) {
    const path = '/filters/multivariate';
    return [{ what: 'unknown', classes: ['opaque'], path, ...defined({ before: former, after: wanted }) }];
  }
  const [shares, newShares] = [parts.shares, newParts.shares];
  if (!jsonEquals(shares as unknown as JsonValue, newShares as unknown as JsonValue)) {
    const moved = movedShare(shares, newShares);
    const isSame = givesAlike([before, after], [shares, newShares], moved);
    const classes = isSame ? (['metadata'] as const) : (['re-split'] as const);
    return [{ what: 'variants', classes, before: shares, after: newShares, moved }];
  }
  return [{ what: 'metadata', classes: ['metadata'], field: 'filters.multivariate' }];
}

/** Whether each condition gives the same variants on both sides. `moved`: what `movedShare` finds. */
function givesAlike(
  sides: readonly JsonObject[],
  shares: readonly (readonly VariantShare[])[],
  moved: number,
): boolean {
  const named = sides.flatMap((filters) =>
    viewFilters(filters).conditions.map(({ part: { variant } }) =>
      shares.map((side) => side.some(({ key }) => key !== undefined && key === variant)),
    ),
  );
  return named.every(([before, after]) => before === after && (before === true || moved === 0));
}

/**
 * Sums the percentage points of the hash's range where the variants differ. The range of a variant begins where that of the one before it
 * ends; the rest is a share without a key.
 */
export function movedShare(before: readonly VariantShare[], after: readonly VariantShare[]): number {
  const [former, wanted] = [rangesOf(before), rangesOf(after)];
  const bounds = [...new Set([...former, ...wanted].map(({ end }) => end))].toSorted((a, b) => a - b);
  const moved = bounds.reduce((sum, end, index) => {
    const start = bounds[index - 1] ?? 0;
    return keyAt(former, end) === keyAt(wanted, end) ? sum : sum + (end - start);
  }, 0);
  return rounded(moved);
}

interface Multivariate {
  readonly shares: readonly VariantShare[];
  /** Members that this release does not know; those of variants by key. */
  readonly unknown: JsonObject;
}

/** `undefined` unless it is a list of variants with keys and percentages. */
function readMultivariate(value: JsonValue | undefined): Multivariate | undefined {
  const multivariate = value ?? {};
  if (!isJsonObject(multivariate)) return undefined;
  const listed = multivariate['variants'] ?? [];
  const variants = isJsonArray(listed) ? listed.map(readVariant) : [undefined];
  if (!variants.every((variant) => variant !== undefined)) return undefined;
  const ofVariants = variants.filter(({ unknown }) => definedKeys(unknown).length > 0);
  return {
    shares: withRest(variants.map(({ key, percentage }) => ({ key, percentage }))),
    unknown: {
      ...without(multivariate, KNOWN_MEMBERS.multivariate),
      variants: objectFrom(ofVariants.map(({ key, unknown }) => [key, unknown])),
    },
  };
}

interface ReadVariant {
  readonly key: string;
  readonly percentage: number;
  readonly unknown: JsonObject;
}

function readVariant(variant: JsonValue): ReadVariant | undefined {
  if (!isJsonObject(variant)) return undefined;
  const [key, percentage] = [variant['key'], shareOf(variant)];
  if (typeof key !== 'string' || percentage === undefined) return undefined;
  return { key, percentage, unknown: without(variant, KNOWN_MEMBERS.variant) };
}

function withRest(shares: readonly VariantShare[]): readonly VariantShare[] {
  const rest = rounded(100 - shares.reduce((sum, { percentage }) => sum + percentage, 0));
  return rest > 0 ? [...shares, { percentage: rest }] : shares;
}

interface VariantRange {
  readonly end: number;
  readonly key?: string;
}

function rangesOf(shares: readonly VariantShare[]): VariantRange[] {
  let end = 0;
  return shares.map(({ key, percentage }) => {
    end = Math.min(100, rounded(end + percentage));
    return { end, ...(key === undefined ? {} : { key }) };
  });
}

/** The key of the range just below the bound. */
function keyAt(ranges: readonly VariantRange[], bound: number): string | undefined {
  return ranges.find(({ end }) => end >= bound)?.key;
}

/** Sums of decimals are not exact in binary. */
function rounded(percentage: number): number {
  return Math.round(percentage * 1e6) / 1e6;
}
