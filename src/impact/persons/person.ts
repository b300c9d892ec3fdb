/** A person of a file, with what is known of them. */

import { isJsonNumber, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface ListedPerson {
  readonly distinctId: string;
  /** A property that is not here is unknown. */
  readonly properties: JsonObject;
  /** Memberships by the index of the group type; an absent type is unknown. */
  readonly groups: Readonly<Record<string, Membership>>;
  /** Ids of all cohorts of the person; absent if they are unknown. */
  readonly cohorts?: readonly string[];
}

/** `none`: the person is in no group of the type. */
export type Membership =
  | 'none'
  | {
      /** Absent if it is unknown. */
      readonly key?: string;
      /** A property that is not here is unknown. */
      readonly properties: JsonObject;
    };

/** Lines of a file, from `line` on, and what they hold. */
export type PersonEntry = { readonly line: number } & (
  | { readonly person: ListedPerson }
  | { readonly fault: 'no_id' }
  /** `lines`: of a quoted cell that does not end. */
  | { readonly fault: 'malformed'; readonly lines: number }
);

export type ParsedPerson = { readonly person: ListedPerson } | { readonly fault: 'no_id' | 'malformed' };

/** The format of `aggregation_group_type_index` in flags. */
export function isGroupType(text: string): boolean {
  return /^\d$/.test(text);
}

/** `undefined` for what is no id. */
export function idText(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' && !isJsonNumber(value)) return undefined;
  return String(value);
}

/** Names that stand for what is hashed while only the order of decisions matters. No real identifier begins with them. */
export const PERSON = '\u0000person';
export const DEVICE = '\u0000device';
/** Followed by the index of the type. */
export const GROUP = '\u0000group ';
