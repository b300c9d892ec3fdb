/** `expires`: a flag whose last day has passed is only disabled, narrowed or deleted, and a new last day is not too far ahead. */

import { isDate } from '../../../base/times.ts';
import { arrayOrEmpty, type JsonObject } from '../../../base/json.ts';
import { among, count, is, number, object, string } from '../../../base/schema.ts';
import { joinReaches } from '../../effects/effect.ts';
import { sourceOf, type PolicyKind } from '../basis/policy-kind.ts';

export interface Expires {
  readonly written: { readonly tag?: string; readonly max_days?: number };
  /** The tag with this prefix has the last day of the flag. `maxDays`: how far ahead a new last day may be. */
  readonly options: { readonly tag: string; readonly maxDays?: number };
  readonly facts:
    | { readonly what: 'expires'; readonly problem: 'passed' | 'invalid'; readonly date: string }
    | { readonly what: 'expires'; readonly problem: 'too_far'; readonly date: string; readonly max_days: number };
}

const DAY = 86_400_000;

export const expires: PolicyKind<Expires> = {
  description: 'After its last day, a flag is only taken back.',
  schema: {
    'tag?': string({ description: 'The beginning of the tag with the last day.', minLength: 1, default: 'expires:' }),
    'max_days?': count('How far ahead a new last day may be. Default: any.'),
  },
  read: ({ tag = 'expires:', max_days: maxDays }) => ({ tag, ...(maxDays !== undefined && { maxDays }) }),
  judge: (resource, { tag, maxDays: max_days }, { now }) => {
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
  },
  facts: [
    object({ what: is('expires'), problem: among(['passed', 'invalid']), date: string() }),
    object({ what: is('expires'), problem: is('too_far'), date: string(), max_days: number() }),
  ],
  text: (facts, wording) => {
    const date = wording.quote(facts.date);
    switch (facts.problem) {
      case 'passed':
        return `turns on or changes variants after its last day, ${date}`;
      case 'invalid':
        return `has a last day that is not a date, ${date}`;
      case 'too_far':
        return `has a last day, ${date}, that is more than ${wording.count(facts.max_days, 'day')} ahead`;
    }
  },
};

export function lastDayOf(flag: JsonObject, prefix: string): string | undefined {
  const tag = arrayOrEmpty(flag['tags']).find((one) => typeof one === 'string' && one.startsWith(prefix));
  return typeof tag === 'string' ? tag.slice(prefix.length) : undefined;
}

export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
