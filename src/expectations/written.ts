/** Test files as written: the members of schemas/expectations.schema.json, which has checked them. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';

/** One document of a test file. */
export interface TestDocument {
  /** Keys are names; `undefined` for a person whose form is wrong. */
  readonly people: ReadonlyMap<string, WrittenPerson | undefined>;
  /** The expectations whose form is right. */
  readonly expectations: readonly PlacedExpectation[];
  readonly places: PlaceTree;
}

interface PlacedExpectation {
  readonly written: WrittenExpectation;
  /** Pointer of the expectation in the document. */
  readonly at: string;
}

export interface WrittenPerson {
  readonly id?: string;
  readonly properties?: JsonObject | null;
  readonly groups?: Readonly<Record<string, WrittenGroup>> | null;
  readonly cohorts?: readonly (string | number)[] | null;
  readonly device_id?: string;
  readonly anonymous_id?: string;
}

export type WrittenGroup = string | number | { readonly key: string | number; readonly properties?: JsonObject | null };

export interface WrittenExpectation {
  readonly name?: string;
  readonly person: string | readonly string[] | (WrittenPerson & { readonly id: string });
  readonly projects?: readonly string[];
  readonly at?: string;
  readonly flags: Readonly<Record<string, WrittenAnswer>>;
}

export type WrittenAnswer = boolean | string | { readonly value?: boolean | string; readonly payload?: JsonValue };
