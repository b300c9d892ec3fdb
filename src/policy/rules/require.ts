/** `require`: a new flag has a description and certain tags, a new cohort a description; no change takes them away. */

import { arrayOrEmpty, memberOf, type JsonObject } from '../../base/json.ts';
import { matchPermits } from '../../engine/scope.ts';
import type { Found, Rule } from '../judged.ts';
import { namesCohorts, type PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const required: Rule<PolicyFor<'require'>> = (resource, policy) => {
  const { cohort } = resource;
  if (cohort !== undefined && !namesCohorts(policy)) return [];
  const { before, after } = cohort ?? resource;
  if (after === undefined) return [];
  const wanted = cohort === undefined ? { ...policy, field: 'name' } : { ...policy, tags: [], field: 'description' };
  const isNew = before === undefined || before['deleted'] === true;
  const had = new Set(isNew ? [] : missingIn(before, wanted).map(({ id }) => id));
  return missingIn(after, wanted)
    .filter(({ id }) => !had.has(id))
    .map(({ facts, pointer }) => ({ facts, ...sourceOf(resource, pointer) }));
};

interface Missing {
  readonly id: string;
  readonly facts: Found['facts'];
  readonly pointer: string;
}

/** `field`: the one with the description. */
type Wanted = Pick<PolicyFor<'require'>, 'description' | 'tags'> & { readonly field: string };

function missingIn(flag: JsonObject, { description, tags, field }: Wanted): Missing[] {
  const own = arrayOrEmpty(flag['tags']).filter((tag) => typeof tag === 'string');
  const unmatched = tags.filter((pattern) => !own.some(matchPermits([pattern])));
  const text = memberOf(flag, field);
  const isDescribed = typeof text === 'string' && text.trim() !== '';
  return [
    ...(description && !isDescribed
      ? [{ id: 'description', facts: { what: 'require', missing: 'description' }, pointer: `/${field}` } as const]
      : []),
    ...unmatched.map((pattern): Missing => ({
      id: `tag ${pattern}`,
      facts: { what: 'require', missing: 'tag', pattern },
      pointer: '/tags',
    })),
  ];
}
