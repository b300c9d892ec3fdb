/**
 * A feature flag in the shape of the service's interface (docs/service.md, "Flags"). Service generations answer differently,
 * so every field but `id` and `key` may be absent, and fields that are not named here are kept as they came.
 */

import {
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
  arrayOrEmpty,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
} from '../../../base/json.ts';
import type { KeysAfterPlan } from '../../../core/engine/snapshot.ts';
import { stringifyJson } from '../../../base/json-text.ts';

export interface Flag extends JsonObject {
  readonly id: number;
  readonly key: string;
  /** The description; the name is historical. */
  readonly name?: string | null;
  readonly active?: boolean;
  readonly deleted?: boolean;
  readonly archived?: boolean;
  readonly filters?: Filters;
  readonly created_at?: string;
  readonly ensure_experience_continuity?: boolean | null;
  readonly tags?: readonly string[] | null;
  /** Counts accepted updates since 2025; null for flags that are older than the counter, absent before. */
  readonly version?: number | null;
  /** Exists since 2025, like `updated_at`; null if no user did it. */
  readonly last_modified_by?: JsonValue;
  readonly updated_at?: string | null;
  readonly can_edit?: boolean;
  readonly experiment_set?: readonly number[] | null;
  readonly experiment_set_metadata?: readonly ExperimentSummary[] | null;
  readonly has_encrypted_payloads?: boolean | null;
}

/** Whether the flag is in the service's usual list. */
export function isListed({ deleted, archived }: Flag): boolean {
  return deleted !== true && archived !== true;
}

/** A flag with experiments loses its key, since 2025, when it is deleted, and gets it back when it is restored. */
export function keyOnceRestored({ id, key, deleted }: Flag): string {
  const suffix = `:deleted:${id}`;
  return deleted === true && key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

export interface ExperimentSummary extends JsonObject {
  readonly id: number;
  readonly name?: string | null;
  readonly is_running?: boolean | null;
}

export interface Filters extends JsonObject {
  readonly groups?: readonly Condition[];
  readonly multivariate?: { readonly variants: readonly Variant[] } | null;
  /** Variant key, or `true` for a flag without variants, to a JSON value or to JSON text. */
  readonly payloads?: { readonly [variant: string]: JsonValue } | null;
  readonly aggregation_group_type_index?: number | null;
}

/** One release condition: all its properties must match, then the rollout decides. */
export interface Condition extends JsonObject {
  readonly properties?: readonly Property[] | null;
  /** 0 to 100, decimals allowed; absent and null mean 100. */
  readonly rollout_percentage?: number | null;
  readonly variant?: string | null;
  readonly description?: string | null;
  readonly aggregation_group_type_index?: number | null;
}

export interface Property extends JsonObject {
  /** Names the other flag for `type: flag`: by its key in manifests and canonical forms, by its id as text on the wire. */
  readonly key: string | number;
  readonly type?: 'person' | 'cohort' | 'group' | 'flag';
  readonly operator?: string | null;
  readonly value?: JsonValue;
}

export interface Variant extends JsonObject {
  readonly key: string;
  readonly name?: string | null;
  readonly rollout_percentage: number;
}

export interface FlagNames extends KeysAfterPlan {
  /** Secret payloads of live flags are digests already. Otherwise a live payload is never taken for a digest, even if it looks like one. */
  readonly hasPayloadDigests?: true;
  /** The id of a cohort that a plan names by alias; `undefined` while the plan is still to create it. */
  readonly cohortIdOf?: (alias: string) => number | undefined;
}

/** The parts of a flag's filters that have members. */
export type FiltersPart = 'filters' | 'multivariate' | 'condition' | 'property' | 'variant';

/** The names in docs/service.md, "Filters"; a test compares them with the schema. */
export const KNOWN_MEMBERS: { readonly [part in FiltersPart]: readonly string[] } = {
  filters: [
    'groups',
    'multivariate',
    'payloads',
    'aggregation_group_type_index',
    'early_exit',
    'feature_enrollment',
    'holdout',
    'holdout_groups',
    'super_groups',
  ],
  multivariate: ['variants'],
  condition: [
    'properties',
    'rollout_percentage',
    'variant',
    'description',
    'aggregation_group_type_index',
    'sort_key',
    'exposure_frozen',
    'exposure_frozen_cohort',
  ],
  property: [
    'key',
    'type',
    'operator',
    'value',
    'group_type_index',
    'negation',
    'label',
    'cohort_name',
    'group_key_names',
  ],
  variant: ['key', 'name', 'rollout_percentage', 'description'],
};

/** A part of filters with its pointer. */
export interface PartAt<Part> {
  readonly part: Part;
  readonly at: string;
  /** The place in its list, counted from 1. */
  readonly number: number;
}

/** The references of conditions, in order of appearance, as they are written; empty for opaque filters. */
interface References {
  readonly flags: readonly (string | number)[];
  /** The values of the conditions on cohorts. */
  readonly cohorts: readonly JsonValue[];
}

export const VARIANTS = '/filters/multivariate/variants';

/** The parts of `filters` that hold conditions. */
export const CONDITION_LISTS = ['groups', 'super_groups'] as const;

/**
 * The number of views that are kept. Plans go through flags one by one, and a flag has a few filters: declared, completed, live, and those
 * of the base.
 */
const MOST_VIEWS = 16;
const RECENT: FiltersView[] = [];
let oldest = 0;

/**
 * Keeps the views of the filters that were seen last: to keep those of every flag would cost more than it saves. A value that is not an
 * object has no parts.
 */
export function viewFilters(filters: JsonValue | undefined): FiltersView {
  if (!isJsonObject(filters)) return NO_FILTERS;
  const known = RECENT.find((view) => view.filters === filters);
  if (known !== undefined) return known;
  const view = new FiltersView(filters as Filters);
  RECENT[oldest] = view;
  oldest = (oldest + 1) % MOST_VIEWS;
  return view;
}

/** Lists are read leniently: elements that are not mappings are left out, but still count in the index of the others. */
export class FiltersView {
  #conditions: readonly PartAt<Condition>[] | undefined;
  #superConditions: readonly PartAt<Condition>[] | undefined;
  #properties: readonly PartAt<Property>[] | undefined;
  #variants: readonly PartAt<Variant>[] | undefined;
  #references: References | undefined;
  #forms: Map<object, JsonObject> | undefined;

  /** Verbatim. */
  readonly filters: Filters;
  /** The version of opaque filters, as JSON; `undefined` for conditions, which have none or the number 1. */
  readonly opaqueVersion: string | undefined;

  constructor(filters: Filters) {
    this.filters = filters;
    const { version = null } = filters;
    this.opaqueVersion = !Object.hasOwn(filters, 'version') || version === 1 ? undefined : stringifyJson(version);
  }

  /** Whether the filters have another format than conditions, such as rules (format version 2): nothing in them is read. */
  get isOpaque(): boolean {
    return this.opaqueVersion !== undefined;
  }

  get conditions(): readonly PartAt<Condition>[] {
    return (this.#conditions ??= partsOf(this.filters.groups, '/filters/groups'));
  }

  /** The conditions of early access. */
  get superConditions(): readonly PartAt<Condition>[] {
    return (this.#superConditions ??= partsOf(this.filters['super_groups'], '/filters/super_groups'));
  }

  /** Whether the list of conditions has other elements, or is not a list. */
  get hasUnreadConditions(): boolean {
    const groups: JsonValue | undefined = this.filters.groups;
    return (groups ?? null) !== null && !(isJsonArray(groups) && groups.length === this.conditions.length);
  }

  get properties(): readonly PartAt<Property>[] {
    return (this.#properties ??= this.conditions.flatMap(propertiesOf));
  }

  get variants(): readonly PartAt<Variant>[] {
    const { multivariate } = this.filters;
    return (this.#variants ??= isJsonObject(multivariate) ? partsOf(multivariate['variants'], VARIANTS) : []);
  }

  get references(): References {
    return (this.#references ??= findReferences(this.isOpaque ? {} : this.filters));
  }

  /** Whether a condition may name one; for opaque filters this is unknown. It costs less than a search among the properties. */
  mayName(referred: keyof References): boolean {
    return this.references[referred].length > 0 || this.isOpaque;
  }

  /** A form of the filters, made once for each maker. */
  form(maker: object, make: () => JsonObject): JsonObject {
    this.#forms ??= new Map();
    const form = this.#forms.get(maker) ?? make();
    this.#forms.set(maker, form);
    return form;
  }
}

/** Whether one of the filters has another format than conditions. */
export function hasOpaque(...several: readonly (JsonValue | undefined)[]): boolean {
  return several.some((filters) => viewFilters(filters).isOpaque);
}

export function propertiesOf({ part, at }: PartAt<Condition>): readonly PartAt<Property>[] {
  return partsOf(part.properties, `${at}/properties`);
}

const NO_FILTERS = new FiltersView({});

function partsOf<Part>(list: unknown, at: string): readonly PartAt<Part>[] {
  if (!Array.isArray(list)) return [];
  const parts: PartAt<Part>[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const part: unknown = list[index];
    if (isJsonObject(part)) parts.push({ part: part as Part, at: `${at}/${index}`, number: index + 1 });
  }
  return parts;
}

function findReferences(filters: JsonObject): References {
  const flags: (string | number)[] = [];
  const cohorts: JsonValue[] = [];
  for (const condition of CONDITION_LISTS.flatMap((name) => arrayOrEmpty(filters[name])))
    for (const property of arrayOrEmpty(objectOrEmpty(condition)['properties'])) {
      const { type, key, value } = objectOrEmpty(property);
      if (type === 'flag' && (typeof key === 'string' || typeof key === 'number')) flags.push(key);
      if (type === 'cohort' && value !== undefined) cohorts.push(value);
    }
  return { flags, cohorts };
}

/** The percentage of a condition's people; without a value, all of them. `undefined` for anything but a number from 0 to 100. */
export function rolloutOf({ rollout_percentage: rollout }: JsonObject): number | undefined {
  return readPercentage(rollout ?? 100);
}

/** The percentage of all people by their hash; without a value, nobody. `undefined` for anything but a number from 0 to 100. */
export function shareOf({ rollout_percentage: share }: JsonObject): number | undefined {
  return readPercentage(share ?? 0);
}

function readPercentage(value: JsonValue): number | undefined {
  if (!isJsonNumber(value)) return undefined;
  const number = Number(String(value));
  return number >= 0 && number <= 100 ? number : undefined;
}
