/** Checks what manifests and the configuration say about who decides. */

import { fromPointer, valueAt } from '../../../base/json-pointer.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { Between, Ownership } from '../../../core/engine/ownership.ts';
import { canonicalFlag } from '../model/canonical.ts';
import { pointersOf, type FieldPath } from '../../../core/engine/field-path.ts';
import { MEMBER_NAMES, fieldOf, findOwnership, type OwnershipRule } from '../model/fields.ts';
import { keyOf } from '../../../core/engine/diff.ts';
import { isWithin } from '../model/live-values.ts';
import type { FlagFinding } from './problems.ts';

type OwnershipProblem = Pick<FlagFinding, 'code' | 'severity' | 'args'>;

/** The problems of a rule for any flag. */
export function checkRule({ path, ownership }: OwnershipRule): OwnershipProblem[] {
  const field = fieldOf(path);
  if (field === 'key' || field === 'deleted') {
    return [{ code: 'ownership-fixed', severity: 'error', args: { path: path.text } }];
  }
  if (typeof ownership !== 'object') return [];
  const [low, high] = ownership.between;
  if (low > high) return [{ code: 'ownership-bounds-order', severity: 'error', args: { low, high } }];
  return field === ACCESS ? [unfit(path, 'access')] : [];
}

/** The problems of a rule that a flag itself has, where `fields` are what it declares. */
export function checkOwnRule({ path, ownership }: OwnershipRule, fields: JsonObject): OwnershipProblem[] {
  const field = fieldOf(path) ?? '';
  if (field === ACCESS) return [];
  if (!Object.hasOwn(fields, field)) {
    const args = { path: path.text, field: MEMBER_NAMES.get(field) ?? field };
    return [{ code: 'ownership-unmanaged', severity: 'warning', args }];
  }
  const named = namedIn(path, fields);
  if (named.length === 0) {
    return [{ code: 'ownership-names-nothing', severity: 'error', args: { path: path.text } }];
  }
  const ambiguous = findAmbiguous(path, named);
  return ambiguous === undefined ? checkNumbers(path, { ownership, fields, named }) : [ambiguous];
}

/** Declared values outside their bounds, at pointers in the API's names. */
export function checkBounds(rules: readonly OwnershipRule[], fields: JsonObject): FlagFinding[] {
  const bounded = rules.filter(({ ownership }) => typeof ownership === 'object');
  if (bounded.length === 0) return [];
  const canonical = canonicalFlag(fields);
  return bounded.flatMap(({ path, ownership, source }) => {
    const bounds = ownership as Between;
    const [low, high] = bounds.between;
    return pointersOf(path, fields).flatMap((at): FlagFinding[] => {
      const value = valueAt(canonical, at);
      const isOverruled = findOwnership(rules, at, fields) !== ownership;
      if (low > high || isOverruled || !isJsonNumber(value) || isWithin(value, bounds)) return [];
      const args = { path: path.text, value: Number(value), low, high, rule: source };
      return [{ code: 'ownership-value-outside', severity: 'error', at, args }];
    });
  });
}

/** The field by which paths name the access of roles. */
const ACCESS = 'role_access';

/** A payload is a place only where the flag has it, or a variant that may have it. */
function namedIn(path: FieldPath, fields: JsonObject): string[] {
  return pointersOf(path, fields).filter((pointer) => {
    const [field, part, name] = fromPointer(pointer);
    if (field !== 'filters' || part !== 'payloads' || name === undefined) return true;
    return valueAt(fields, pointer) !== undefined || variantKeys(fields).includes(name);
  });
}

function variantKeys(fields: JsonObject): string[] {
  const variants = valueAt(fields, '/filters/multivariate/variants');
  const keys = isJsonArray(variants) ? variants.flatMap((each) => keyOf(each) ?? []) : [];
  return keys.length === 0 ? ['true'] : keys;
}

function findAmbiguous({ steps }: FieldPath, pointers: readonly string[]): OwnershipProblem | undefined {
  const index = steps.findIndex((step) => step.kind === 'named' && step.by === 'description');
  const step = steps[index];
  if (step?.kind !== 'named') return undefined;
  const numbers = [...new Set(pointers.map((pointer) => Number(fromPointer(pointer)[index]) + 1))];
  if (numbers.length <= 1) return undefined;
  return { code: 'condition-ambiguous', severity: 'error', args: { condition: step.name, numbers } };
}

interface Numbers {
  readonly ownership: Ownership;
  readonly fields: JsonObject;
  readonly named: readonly string[];
}

function checkNumbers(path: FieldPath, { ownership, fields, named }: Numbers): OwnershipProblem[] {
  if (typeof ownership !== 'object') return [];
  const canonical = canonicalFlag(fields);
  const other = named.map((pointer) => valueAt(canonical, pointer)).find((value) => !isJsonNumber(value));
  const isNumber = named.every((pointer) => isJsonNumber(valueAt(canonical, pointer)));
  return isNumber ? [] : [unfit(path, typeName(other))];
}

function unfit(path: FieldPath, found: string): OwnershipProblem {
  return { code: 'ownership-between-unfit', severity: 'error', args: { path: path.text, found } };
}

function typeName(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'no value';
  if (isJsonArray(value)) return 'a list';
  return isJsonObject(value) ? 'a mapping' : typeof value;
}
