/** A person of a file, with what the file says of them. */

import type { JsonObject } from '../../base/json.ts';
import { isJsonNumber, type JsonValue } from '../../base/json.ts';

export interface Person {
  readonly distinctId: string;
  /** A property that is not here is unknown. */
  readonly properties: JsonObject;
  /** Keys of groups, by the index of their type. */
  readonly groups: Readonly<Record<string, string>>;
  /** Ids of all cohorts of the person; absent where they are unknown. */
  readonly cohorts?: readonly string[];
}

/** Lines of a file, from `line` on, and what they hold. */
export type Entry = { readonly line: number } & (
  | { readonly person: Person }
  | { readonly fault: 'no_id' }
  /** `lines`: of a quoted cell that does not end. */
  | { readonly fault: 'malformed'; readonly lines: number }
);

export type Read = { readonly person: Person } | { readonly fault: 'no_id' | 'malformed' };

/** As flags have it in `aggregation_group_type_index`. */
export function isGroupType(text: string): boolean {
  return /^\d$/.test(text);
}

/** `undefined` for what is no id. */
export function idText(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' && !isJsonNumber(value)) return undefined;
  return String(value);
}
