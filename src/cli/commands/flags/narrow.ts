/** Filters and sorts `flags list` on the client too: services of 2023 ignore both (docs/service.md, "Flag list"). */

import { FlagwrightError } from '../../../base/errors.ts';
import { plainText } from '../../../base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { Flag } from '../../../posthog/flag/model/flag.ts';
import type { FlagListQuery } from '../../../posthog/flag/requests.ts';
import { quoteShort } from '../../../report/escape.ts';

export type FlagFilter = Pick<FlagListQuery, 'search' | 'key' | 'active' | 'archived'>;

/** Whether the flag passes the filter, by the same rules as on a service that filters. */
export function isWanted(flag: Flag, { search, key, active, archived }: FlagFilter): boolean {
  return (
    (search === undefined || searchedNames(flag).some((name) => normalize(name).includes(normalize(search)))) &&
    (key === undefined || flag.key.toLowerCase() === key.toLowerCase()) &&
    (active === undefined || isActive(flag, active)) &&
    (archived === undefined || (flag.archived ?? false) === archived)
  );
}

/**
 * Sorts by a field, descending with a leading `-`. Flags without a value come last, equal ones keep their order.
 * @throws {FlagwrightError} `usage` for a field that no flag has.
 */
export function sortFlags(flags: readonly Flag[], order: string): readonly Flag[] {
  const field = order.replace(/^-/, '');
  if (flags.length > 0 && !flags.some((flag) => Object.hasOwn(flag, field))) {
    throw new FlagwrightError('usage', `No flag has a field '${field}' to sort by.`, {
      remedy: 'Use key, name, active, created_at or another field that flags list -f json shows.',
    });
  }
  const sign = order.startsWith('-') ? -1 : 1;
  const valueOf = (flag: Flag): JsonValue => toComparable(flag[field]);
  return flags.toSorted((one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right);
  });
}

/** @throws {FlagwrightError} `usage` if the service does not know which flags are stale. */
function isActive(flag: Flag, wanted: boolean | 'STALE'): boolean {
  if (wanted !== 'STALE') return (flag.active ?? true) === wanted;
  const { status } = flag as JsonObject;
  if (typeof status === 'string') return status === 'STALE';
  throw new FlagwrightError('usage', `The service does not say whether ${quoteShort(flag.key)} is stale.`, {
    remedy: 'Services have the status of flags since 2025. `flagwright stale` judges flags by the code and git too.',
  });
}

/** The service searches the names of linked experiments too. */
function searchedNames({ key, name, experiment_set_metadata: experiments }: Flag): readonly string[] {
  const linked = experiments?.flatMap((experiment) => experiment.name ?? []);
  return [key, name ?? '', ...(linked ?? [])];
}

/** The search treats a space, a dash and an underscore alike. */
function normalize(text: string): string {
  return text.trim().toLowerCase().replaceAll(/[ _-]/g, ' ');
}

/** A person, as in `created_by`, is compared by id. */
function toComparable(value: JsonValue | undefined): JsonValue {
  return isJsonObject(value) ? (value['id'] ?? null) : (value ?? null);
}

function compare(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  const [one, other] = [toText(left), toText(right)];
  return Number(one > other) - Number(one < other);
}

function toText(value: JsonValue): string {
  return plainText(value);
}
