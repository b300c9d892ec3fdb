/** For whom a flag is on, in words for people who read no conditions: `25% of people whose country is US`. */

import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import { aggregationIn, decides } from '../../review/effects/sides.ts';
import { quoteShort } from '../escape.ts';
import { count } from './amounts.ts';
import { inlineValue, isEmptyValue, LISTED, shortProperty } from './values.ts';

/**
 * Escaped. `fields`: `active` and `filters` of the flag, with names in place of the ids of cohorts; absent if the project has no such flag
 * (`missing`) or was not read.
 */
export function whoText({ word, fields, isArchived }: Audience, limits: Limits = BRIEF): string {
  if (fields === undefined)
    return word === 'missing' ? 'nobody: the project does not have it' : 'not known: the project was not read';
  if (isArchived === true && fields['active'] === false) return 'nobody: it is archived';
  const said = audienceText(fields, limits);
  // Conditions that nobody meets, or of which people are held out.
  return word === 'off' && !said.startsWith('nobody') ? `nobody in effect (set for ${said})` : said;
}

/** The most that is named of each flag. */
interface Limits {
  readonly conditions: number;
  /** Of one list. */
  readonly values: number;
}

const BRIEF: Limits = { conditions: 4, values: LISTED };

/** For people who search in it. */
export const SEARCHED: Limits = { conditions: 20, values: 50 };

interface Audience {
  readonly word: string;
  readonly fields?: JsonObject;
  readonly isArchived?: boolean;
}

function audienceText({ active, filters }: JsonObject, limits: Limits): string {
  if (active === false) return 'nobody: it is switched off';
  const own = objectOrEmpty(filters);
  const view = viewFilters(own);
  if (view.isOpaque) return 'not known: only the service reads these rules';
  const conditions = view.conditions.map(({ part }) => part as JsonObject);
  const reached = conditions.filter(({ rollout_percentage: share }) => share !== 0);
  const early = decides(own['super_groups']) || decides(own['feature_enrollment']) ? ['people in early access'] : [];
  if (reached.length + early.length === 0)
    return conditions.length === 0 ? 'nobody: it has no condition' : 'nobody: its rollout is 0%';
  const everybody = reached.findIndex((one) => isOpen(one, own) && shareOf(one) === 100);
  // What comes after a condition for everyone decides nothing, unless it chooses a variant.
  const counts = (one: JsonObject): boolean => isOpen(one, own) || !isEmptyValue(one['variant'] ?? null);
  const listed = everybody === -1 ? reached : reached.slice(0, everybody + 1).filter(counts);
  const shown = [...early, ...listed.map((one) => conditionWords(one, own, limits))];
  const most = shown.slice(0, limits.conditions);
  const more = shown.length - most.length;
  const who = [...most, ...(more === 0 ? [] : [count(more, 'more condition')])].join('; or ');
  const shares = view.variants.filter(({ part }) => (part.rollout_percentage ?? 0) > 0);
  const variants = shares.map(({ part }) => `${quoteShort(part.key)} ${part.rollout_percentage}%`).join(', ');
  const holdout = isJsonObject(own['holdout']) ? ', but people held out for an experiment' : '';
  return `${who}${holdout}${variants === '' ? '' : ` (variants: ${variants})`}`;
}

function conditionWords(condition: JsonObject, filters: JsonObject, limits: Limits): string {
  const properties = arrayOrEmpty(condition['properties']);
  const share = shareOf(condition);
  const type = aggregationIn(filters, condition);
  const people = type === null ? 'people' : `groups of type ${inlineValue(type)}`;
  const everyone = type === null ? 'everyone' : `all ${people}`;
  const who =
    properties.length === 0
      ? everyone
      : `${people} ${properties.map((one) => propertyWords(one, limits)).join(' and ')}`;
  const { variant = null } = condition;
  const forced = isEmptyValue(variant) ? '' : ` get ${inlineValue(variant)}`;
  return `${share === 100 ? '' : `${inlineValue(share)}% of `}${who}${forced}`;
}

/** `whose country is US`, `in cohort beta`, `who have the flag checkout`. */
function propertyWords(property: JsonValue, { values }: Limits): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const said = shortProperty(property, { form: 'clause', most: values });
  if (property['type'] === 'cohort') return said;
  if (property['type'] !== 'flag') return `whose ${said}${countryNames(property)}`;
  const { key = null, value = null } = property;
  if (value === true) return `who have ${inlineValue(key)}`;
  return value === false
    ? `who do not have ${inlineValue(key)}`
    : `who have ${inlineValue(key)} as ${inlineValue(value)}`;
}

/** ` (Germany, Austria)` where countries are compared with codes, which not every reader knows. */
function countryNames({ key, operator, value = null }: JsonObject): string {
  if (!/country/i.test(inlineValue(key ?? null)) || !EQUALITY.has(operator ?? 'exact')) return '';
  const names = [value].flat().flatMap((code) => {
    const isCode = typeof code === 'string' && /^[a-z]{2}$/i.test(code);
    if (!isCode) return [];
    countries ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    return countries.of(code.toUpperCase()) ?? [];
  });
  return names.length === 0 ? '' : ` (${[...new Set(names)].join(', ')})`;
}

const EQUALITY: ReadonlySet<JsonValue> = new Set(['exact', 'is_not']);
let countries: Intl.DisplayNames | undefined;

function isOpen({ properties, ...condition }: JsonObject, filters: JsonObject): boolean {
  return arrayOrEmpty(properties).length === 0 && aggregationIn(filters, condition) === null;
}

function shareOf({ rollout_percentage: share }: JsonObject): JsonValue {
  return share ?? 100;
}
