/** `no-personal-data`: no condition of a flag or a cohort names people by their e-mail addresses or phone numbers. */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { among, integer, is, object, ref } from '../../../base/schema.ts';
import { COHORT_TEXTS } from '../../../posthog/cohort/cohort.ts';
import { leavesOf } from '../../../posthog/flag/model/cohort-filters.ts';
import { type PartAt, viewFilters } from '../../../posthog/flag/model/flag.ts';
import { matchKeyPatterns } from '../../../core/engine/scope.ts';
import { globs, sourceOf, type PolicyKind } from '../basis/policy-kind.ts';
import { findPersonalData, type PersonalData } from '../basis/personal-data.ts';

export interface NoPersonalData {
  readonly written: Partial<NoPersonalData['options']>;
  /** `allow`: patterns of values that do not count as personal data. */
  readonly options: { readonly allow: readonly string[] };
  /** Excludes the data itself. `condition` counts from 1. */
  readonly facts: {
    readonly what: 'no-personal-data';
    readonly data: PersonalData;
    readonly condition?: number;
    readonly amount: number;
  };
}

export const noPersonalData: PolicyKind<NoPersonalData> = {
  description: 'No e-mail addresses and phone numbers in conditions.',
  schema: { 'allow?': ref(globs, { description: 'Values that are allowed.', examples: [['*@example.com']] }) },
  contents: { allow: 'globs' },
  read: ({ allow = [] }) => ({ allow }),
  judge: (resource, { allow }) => {
    const { before, after } = resource.definition ?? resource;
    const placesIn = resource.definition === undefined ? conditionsOf : definitionOf;
    if (after === undefined) return [];
    const isAllowed = matchKeyPatterns(allow);
    const had = new Set(before === undefined ? [] : placesIn(before).flatMap(({ texts }) => texts.map(identityOf)));
    return placesIn(after).flatMap((found) => {
      const texts = found.texts.filter((text) => !had.has(identityOf(text)) && !allow.includes(text.text));
      const data = texts.flatMap(({ text, isRegex }) => findPersonalData(text, isRegex, isAllowed) ?? []);
      return [...new Set(data)].map((kind) => {
        const amount = data.filter((one) => one === kind).length;
        const { pointer, condition } = found;
        const facts = {
          what: 'no-personal-data',
          data: kind,
          amount,
          ...(condition !== undefined && { condition }),
        } as const;
        return { facts, ...sourceOf(resource, pointer) };
      });
    });
  },
  facts: [
    object({
      what: is('no-personal-data'),
      data: among(['email', 'phone']),
      'condition?': integer({ minimum: 1, description: 'Counts from 1' }),
      amount: integer({ minimum: 1 }),
    }),
  ],
  text: ({ condition, amount, data }, { resource, count }) => {
    // What is attached to a flag is judged with the flag.
    const elsewhere = resource === 'cohort' ? 'its definition' : 'its early access';
    const where = condition === undefined ? elsewhere : `condition ${condition}`;
    return `names people in ${where}: ${count(amount, ...PERSONAL[data])}`;
  },
};

const PERSONAL: Readonly<Record<PersonalData, readonly [one: string, many: string]>> = {
  email: ['e-mail address', 'e-mail addresses'],
  phone: ['phone number', 'phone numbers'],
};

/** A string that people wrote in a condition or a cohort. */
interface Text {
  readonly text: string;
  readonly isRegex: boolean;
}

/** The strings at one place: a condition of a flag, with its number among the release conditions, or a part of a cohort. */
interface Texts {
  readonly pointer: string;
  readonly condition?: number;
  readonly texts: readonly Text[];
}

function conditionsOf({ filters }: JsonObject): Texts[] {
  const { conditions, superConditions } = viewFilters(filters);
  return [
    ...conditions.map((condition) => ({ ...textsAt(condition), condition: condition.number })),
    ...superConditions.map(textsAt),
  ];
}

function textsAt({ part, at }: PartAt<JsonObject>): Texts {
  const { description = null, properties = null } = part;
  return { pointer: at, texts: distinct([...plainTexts(description), ...arrayOrEmpty(properties).flatMap(textsOf)]) };
}

function definitionOf(cohort: JsonObject): Texts[] {
  return [
    { pointer: '/filters', texts: distinct(leavesOf(cohort['filters']).flatMap(textsOf)) },
    ...COHORT_TEXTS.map((name) => ({ pointer: `/${name}`, texts: distinct(plainTexts(cohort[name] ?? null)) })),
  ];
}

function distinct(texts: readonly Text[]): Text[] {
  return [...new Map(texts.map((text) => [identityOf(text), text])).values()];
}

function identityOf({ text, isRegex }: Text): string {
  return `${isRegex ? 'regex' : 'text'} ${text}`;
}

/** The value of a filter, and the name of the property that it is compared with. */
function textsOf(property: JsonValue): Text[] {
  if (!isJsonObject(property)) return [];
  const { value = null, key = null, operator } = property;
  const isRegex = typeof operator === 'string' && operator.includes('regex');
  return [...stringsIn(value).map((text) => ({ text, isRegex })), ...plainTexts(key)];
}

function plainTexts(value: JsonValue): Text[] {
  return typeof value === 'string' ? [{ text: value, isRegex: false }] : [];
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (isJsonArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap((member) => stringsIn(member ?? null)) : [];
}
