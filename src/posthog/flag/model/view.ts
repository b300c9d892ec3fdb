/**
 * The parsed filters of a flag, walked once for everything that needs their parts, references or canonical form. Filters are immutable, so
 * the results stay true.
 */

import { stringifyJson } from '../../../base/json-text.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import type { Condition, Filters, Property, Variant } from './flag.ts';

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
    this.opaqueVersion = findOpaqueVersion(filters);
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
    return (this.#variants ??= variantsIn(this.filters));
  }

  get references(): References {
    return (this.#references ??= this.isOpaque ? NONE : findReferences(this.filters));
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

function findOpaqueVersion(filters: JsonObject): string | undefined {
  if (!Object.hasOwn(filters, 'version')) return undefined;
  const { version = null } = filters;
  return version === 1 ? undefined : stringifyJson(version);
}

function variantsIn({ multivariate }: Filters): readonly PartAt<Variant>[] {
  return isJsonObject(multivariate) ? partsOf(multivariate['variants'], VARIANTS) : [];
}

function partsOf<Part>(list: unknown, at: string): readonly PartAt<Part>[] {
  if (!Array.isArray(list)) return [];
  const parts: PartAt<Part>[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const part: unknown = list[index];
    if (isJsonObject(part)) parts.push({ part: part as Part, at: `${at}/${index}`, number: index + 1 });
  }
  return parts;
}

const NONE: References = { flags: [], cohorts: [] };

function findReferences(filters: JsonObject): References {
  const flags: (string | number)[] = [];
  const cohorts: JsonValue[] = [];
  const visit = ({ type, key, value }: JsonObject): void => {
    if (type === 'flag' && (typeof key === 'string' || typeof key === 'number')) flags.push(key);
    if (type === 'cohort' && value !== undefined) cohorts.push(value);
  };
  for (const name of CONDITION_LISTS) visitProperties(filters[name], visit);
  return flags.length + cohorts.length === 0 ? NONE : { flags, cohorts };
}

function visitProperties(conditions: JsonValue | undefined, visit: (property: JsonObject) => void): void {
  for (const condition of arrayOrEmpty(conditions)) {
    if (!isJsonObject(condition)) continue;
    for (const property of arrayOrEmpty(condition['properties'])) if (isJsonObject(property)) visit(property);
  }
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
