/** `expires`: a flag whose last day has passed is only taken back, and a new last day is not too far ahead. */

import { arrayOrEmpty, type JsonObject } from '../../base/json.ts';
import { isDate } from '../../base/dates.ts';
import { joinReaches } from '../../effects/effect.ts';
import type { Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

const DAY = 86_400_000;

export const expires: Rule<PolicyFor<'expires'>> = (resource, { tag, maxDays: max_days }, { now }) => {
  const { before, after, classes } = resource;
  const date = after === undefined ? undefined : lastDayOf(after, tag);
  if (date === undefined) return [];
  const isNew = before === undefined || lastDayOf(before, tag) !== date;
  const place = sourceOf(resource, '/tags');
  if (!isDate(date)) return isNew ? [{ facts: { what: 'expires', problem: 'invalid', date }, ...place }] : [];
  if (date < dayOf(now)) {
    const { turnsOn, changesVariant } = joinReaches(classes);
    return turnsOn || changesVariant || isNew ? [{ facts: { what: 'expires', problem: 'passed', date } }] : [];
  }
  if (!isNew || max_days === undefined || date <= dayOf(now + max_days * DAY)) return [];
  return [{ facts: { what: 'expires', problem: 'too_far', date, max_days }, ...place }];
};

function lastDayOf(flag: JsonObject, prefix: string): string | undefined {
  const tag = arrayOrEmpty(flag['tags']).find((one) => typeof one === 'string' && one.startsWith(prefix));
  return typeof tag === 'string' ? tag.slice(prefix.length) : undefined;
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
