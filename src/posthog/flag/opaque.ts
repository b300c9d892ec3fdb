/**
 * Filters of another format than conditions, such as rules (format version 2): compared as they are, and never written.
 * (docs/service.md, "Filters of format version 2")
 */

import { memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { FlagWarning } from './change.ts';
import type { Flag } from './model/flag.ts';
import { viewFilters } from './model/view.ts';

/** Fields that the service lets a flag with opaque filters change in some projects. */
const UNCERTAIN: readonly string[] = ['key', 'name', 'tags'];
/** Fields that it lets such a flag change to one value in every project. */
const SAFE: Readonly<Record<string, JsonValue>> = { active: false, deleted: true };

export interface OpaqueOutcome {
  /** The differing fields that can be sent. */
  readonly writable: readonly string[];
  readonly warnings: readonly FlagWarning[];
}

interface OpaqueComparison {
  readonly key: string;
  readonly wanted: JsonObject;
  readonly live: Flag;
  /** The format of the live filters, or of the declared ones if those are not opaque. */
  readonly format: string;
}

/** Decides which differing fields are sent if the live or the declared filters are opaque, and the warnings. */
export function splitByFormat(
  differing: readonly string[],
  { key, wanted, live, format }: OpaqueComparison,
): OpaqueOutcome {
  const own = viewFilters(live.filters).opaqueVersion;
  const isSafe = (field: string): boolean => Object.hasOwn(SAFE, field) && SAFE[field] === memberOf(wanted, field);
  const isUncertain = (field: string): boolean => UNCERTAIN.includes(field) || field === 'active';
  const isClosed = (field: string): boolean =>
    own === undefined ? field === 'filters' : !isSafe(field) && !isUncertain(field);
  const omitted = differing.filter(isClosed);
  const uncertain = own === undefined ? [] : differing.filter((field) => !isSafe(field) && isUncertain(field));
  const writable = differing.filter((field) => !isClosed(field));
  const gated = own === undefined ? [] : writable;
  const isNotable = omitted.length + gated.length > 0;
  return {
    writable,
    warnings: isNotable ? [{ code: 'filters_opaque', key, format, omitted, uncertain, ...gatedOf(gated) }] : [],
  };
}

/** What to warn about where a flag is deleted. */
export function warnOfOpaqueDelete(key: string, { filters }: Flag): FlagWarning[] {
  const format = viewFilters(filters).opaqueVersion;
  if (format === undefined) return [];
  return [{ code: 'filters_opaque', key, format, omitted: [], uncertain: [], gated: ['deleted'] }];
}

function gatedOf(gated: readonly string[]): { readonly gated?: readonly string[] } {
  return gated.length === 0 ? {} : { gated };
}

/** A flag that cannot be created, since its declared filters are opaque; `undefined` for any other. */
export function warnOfOpaqueCreate(key: string, filters: JsonValue | undefined): FlagWarning | undefined {
  const format = viewFilters(filters).opaqueVersion;
  return format === undefined ? undefined : { code: 'create_opaque', key, format };
}
