/** The checks of one flag's filters, which read them as `view.ts` does. A new check is a row here. */

import { stringifyJson } from '../../../base/json-text.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import type { Suggest } from '../../../base/text.ts';
import { ALL_SOUND, type Soundness } from '../../../manifest/declaration.ts';
import type { Filters, Condition, Property } from '../model/flag.ts';
import { propertiesOf, viewFilters, type FiltersView, type PartAt } from '../model/view.ts';
import { checkOperators } from './operators.ts';
import { checkPayloads, checkVariants } from './variants.ts';
import type { FlagFinding } from './problems.ts';
import { checkUnknownMembers, RESERVED_MEMBERS } from './unknown-members.ts';

/** Parts of other products that can match although `groups` is empty. */
const OTHER_CONDITIONS = ['super_groups', 'feature_enrollment', 'holdout', 'holdout_groups'];

/** Bytes of compact JSON text; docs/service.md, "Filters". */
const MOST_BYTES = 512 * 1024;
/** A character is at most seven bytes: `\\\\u00fc`, an escape within a string. */
const SURELY_SMALL = MOST_BYTES / 7;

const INDEX = 'aggregation_group_type_index';

interface FilterCheck {
  readonly check: (view: FiltersView, sound: Soundness, suggest: Suggest) => readonly FlagFinding[];
  /** Whether the filters have what the check is about; default: all have. */
  readonly isConcerned?: (view: FiltersView) => boolean;
  /** Whether the check compares values that are each sound. */
  readonly together?: true;
}

const CHECKS: readonly FilterCheck[] = [
  { check: checkMembers },
  { check: checkVariants, isConcerned: namesVariants, together: true },
  { check: checkPayloads, isConcerned: ({ filters }) => (filters.payloads ?? null) !== null, together: true },
  { check: checkOperators },
  { check: checkAggregation, together: true },
  { check: checkSize, together: true },
];

function namesVariants({ filters, conditions }: FiltersView): boolean {
  return (filters.multivariate ?? null) !== null || conditions.some(({ part }) => (part.variant ?? null) !== null);
}

export interface FilterContext {
  readonly sound: Soundness;
  readonly suggest: Suggest;
  /** Whether the flag is declared with `unknown_members: allow`. */
  readonly unknownAllowed: boolean;
}

/** `filters` may have mistakes of shape: every check covers only the sound parts. */
export function checkFilters(filters: Filters, { sound, suggest, unknownAllowed }: FilterContext): FlagFinding[] {
  const view = viewFilters(filters);
  return [...runChecks(CHECKS, view, { sound, suggest }), ...checkUnknownMembers(view, unknownAllowed)];
}

/** Checks only whether the values of filters fit together. `filters`: as the service has them, or would have them. */
export function checkTogether(filters: Filters): FlagFinding[] {
  const together = CHECKS.filter((one) => one.together === true);
  return runChecks(together, viewFilters(filters), { sound: ALL_SOUND, suggest: () => undefined });
}

function runChecks(
  checks: readonly FilterCheck[],
  view: FiltersView,
  { sound, suggest }: Pick<FilterContext, 'sound' | 'suggest'>,
): FlagFinding[] {
  return checks.flatMap(({ check, isConcerned }) => (isConcerned?.(view) === false ? [] : check(view, sound, suggest)));
}

/** Current services refuse filters without `groups`; older ones ignore them silently (docs/service.md, "Filters"). */
function checkMembers({ filters }: FiltersView, sound: Soundness): FlagFinding[] {
  return [...(sound.at('/filters/groups') ? missingGroups(filters) : []), ...reservedMembers(filters)];
}

function missingGroups(filters: FiltersView['filters']): FlagFinding[] {
  if (!Array.isArray(filters.groups)) {
    return [{ code: 'property-missing', severity: 'error', at: '/filters', args: { property: 'groups' } }];
  }
  if (filters.groups.length > 0 || OTHER_CONDITIONS.some((name) => isGiven(memberOf(filters, name)))) return [];
  return [{ code: 'conditions-none', severity: 'warning', at: '/filters/groups', args: {} }];
}

function isGiven(value: JsonValue | undefined): boolean {
  return isJsonArray(value ?? null) ? (value as readonly JsonValue[]).length > 0 : Boolean(value);
}

function reservedMembers(filters: FiltersView['filters']): FlagFinding[] {
  return RESERVED_MEMBERS.filter((name) => Object.hasOwn(filters, name)).map((property) => ({
    code: 'property-reserved',
    severity: 'error',
    at: `/filters/${property}`,
    args: { property },
  }));
}

/** Checks the size of a flag's filters. */
function checkSize({ filters }: FiltersView): FlagFinding[] {
  if (stringifyJson(filters).length <= SURELY_SMALL) return [];
  const bytes = Buffer.byteLength(canonicalText({ ...filters, ...payloadTexts(filters) }));
  if (bytes <= MOST_BYTES) return [];
  return [{ code: 'filters-too-large', severity: 'error', at: '/filters', args: { bytes, limit: MOST_BYTES } }];
}

// The service stores every payload as JSON text, in ASCII and with a space after each comma and colon.
function payloadTexts({ payloads }: Filters): { readonly payloads?: JsonObject } {
  if (!isJsonObject(payloads)) return {};
  const texts = Object.entries(payloads).map(([key, value]): [string, JsonValue] => [
    key,
    typeof value === 'string' ? value : pythonText(stringifyJson(value ?? null)),
  ]);
  return { payloads: objectFrom(texts) };
}

function pythonText(json: string): string {
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replaceAll(/[\u0080-\uffff]/g, escapeUnit) : `${token} `,
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Checks that the properties of a condition fit its aggregation: persons, or groups of one type. */
function checkAggregation({ filters, conditions }: FiltersView, sound: Soundness): FlagFinding[] {
  const flagLevel = sound.at(`/filters/${INDEX}`) ? (filters[INDEX] ?? null) : undefined;
  return conditions
    .filter(({ at }) => sound.at(`${at}/${INDEX}`))
    .flatMap((condition) => {
      const aggregation = indexOf(condition.part, flagLevel);
      const properties = propertiesOf(condition).filter(({ at }) =>
        ['type', 'group_type_index'].every((name) => sound.at(`${at}/${name}`)),
      );
      return [
        ...(flagLevel === undefined ? [] : checkMixed(flagLevel, condition)),
        ...(aggregation === undefined ? [] : properties.flatMap((property) => checkProperty(property, aggregation))),
      ];
    });
}

// A condition inherits the flag's group type. The service does not support a condition with a different one.
function checkMixed(flagLevel: number | null, { part, at }: PartAt<Condition>): FlagFinding[] {
  const condition = part.aggregation_group_type_index;
  if (flagLevel === null || condition === undefined || condition === flagLevel) return [];
  const where = `${at}/aggregation_group_type_index`;
  return [{ code: 'aggregation-mixed', severity: 'error', at: where, args: { flagLevel, condition } }];
}

// `undefined`: it is not known, because of a mistake.
function indexOf(condition: Condition, flagLevel: number | null | undefined): number | null | undefined {
  const own = condition.aggregation_group_type_index;
  return own === undefined ? flagLevel : own;
}

function checkProperty({ part, at }: PartAt<Property>, aggregation: number | null): FlagFinding[] {
  const type = part.type ?? 'person';
  if (aggregation === null) {
    if (type !== 'group') return [];
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'person' } }];
  }
  if (type !== 'group') {
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'group' } }];
  }
  const found = part['group_type_index'] ?? null;
  if (found === null) {
    return [{ code: 'property-missing', severity: 'error', at, args: { property: 'group_type_index' } }];
  }
  if (typeof found !== 'number' || found === aggregation) return [];
  const where = `${at}/group_type_index`;
  return [{ code: 'property-group-mismatch', severity: 'error', at: where, args: { found, expected: aggregation } }];
}
