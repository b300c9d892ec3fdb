/**
 * How long another project has had what a flag is to people. A flag is taken apart: its fields, the parts of its filters, the list of whom its
 * conditions ask for, and each member of a condition together with whom that asks for. Each part has a digest, so that a record can hold it.
 */

import { createHash } from 'node:crypto';
import { canonicalText, definedKeys, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import { canonicalFlag } from '../../../posthog/flag/model/canonical.ts';
import { viewFilters } from '../../../posthog/flag/model/flag.ts';
import { mapReferencesIn, type ReferenceMapping } from '../../../posthog/flag/model/references.ts';
import { aggregationIn, numberConditions } from '../../effects/sides.ts';

/** Digests by part. Two flags have the same part if both have its digest, or neither has the part. */
export type Parts = ReadonlyMap<string, string>;

/** `cohort`: names cohorts alike in all projects. Keys, descriptions and tags reach nobody, and are no part. */
export function partsOf(flag: JsonObject, cohort: NonNullable<ReferenceMapping['cohort']>): Parts {
  const { filters, ...fields } = canonicalFlag(mapReferencesIn(flag, { cohort }));
  const named = definedKeys(fields)
    .filter((field) => !METADATA.has(field))
    .map((field): [string, JsonValue | undefined] => [toPointer([field]), fields[field]]);
  const ofFilters = filters === undefined ? [] : partsOfFilters(filters);
  return new Map([...named, ...ofFilters].map(([part, value]) => [part, digestOf(value ?? null)]));
}

const METADATA: ReadonlySet<string> = new Set(['key', 'name', 'tags']);
const CONDITIONS = '/filters/groups';

function partsOfFilters(filters: JsonValue): [string, JsonValue | undefined][] {
  if (!isJsonObject(filters) || viewFilters(filters).isOpaque) return [['/filters', filters]];
  const others = definedKeys(filters).filter((name) => name !== 'groups');
  const conditions = numberConditions(filters).map(({ number, condition }) => ({
    ...{ number, condition },
    asked: [condition['properties'] ?? [], aggregationIn(filters, condition) ?? null],
  }));
  return [
    ...others.map((name): [string, JsonValue | undefined] => [toPointer(['filters', name]), filters[name]]),
    ...(filters['groups'] === undefined
      ? []
      : [[CONDITIONS, conditions.map(({ asked }) => asked)] as [string, JsonValue]]),
    ...conditions.flatMap(({ number, condition, asked }) =>
      definedKeys(condition)
        .filter((name) => !ASKED.has(name))
        .map((name): [string, JsonValue] => [
          toPointer(['filters', 'groups', number - 1, name]),
          // Another condition in its place has no value of this one.
          [asked, condition[name] ?? null],
        ]),
    ),
  ];
}

/** What the list of conditions has, and what reaches nobody. */
const ASKED: ReadonlySet<string> = new Set(['properties', 'aggregation_group_type_index', 'description']);

function digestOf(value: JsonValue): string {
  return createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 24);
}

export function differingParts(one: Parts, other: Parts): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((part) => one.get(part) !== other.get(part));
}

/** Why it is not known what a project has had. */
export type SoakUnknown = 'record' | 'moved' | 'live' | 'log';

/** What is known of a project that must have had the values of others. */
export type Soaking =
  | { readonly kind: 'unknown'; readonly why: SoakUnknown }
  | {
      readonly kind: 'known';
      /** Names the cohorts of the project that is judged. */
      readonly cohort: NonNullable<ReferenceMapping['cohort']>;
      readonly flags: ReadonlyMap<string, SoakedFlag>;
    };

/** Times are in milliseconds since 1970, by the clock of this machine. */
export interface SoakedFlag {
  /** What was applied, and since when in one piece; without a digest, the part is absent. */
  readonly recorded: (part: string) => { readonly digest?: string; readonly since: number };
  /** Since when the manifests declare the part differently for the judged project; absent if they do not, or not with this digest. */
  readonly apartSince: (part: string, digest: string | undefined) => number | undefined;
  /** `movedAt`: when the log says that somebody changed the part last. */
  readonly live:
    | { readonly kind: 'unknown'; readonly why: SoakUnknown }
    | { readonly kind: 'known'; readonly parts: Parts; readonly movedAt: (part: string) => number | undefined };
}
