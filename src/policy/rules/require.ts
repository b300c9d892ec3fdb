/** `require`: a new flag has a description and certain tags, and no change takes them away. */

import { arrayOrEmpty, type JsonObject } from '../../base/json.ts';
import { matchPermits } from '../../engine/scope.ts';
import type { Found, Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const required: Rule<PolicyFor<'require'>> = (resource, policy) => {
  const { before, after } = resource;
  if (after === undefined) return [];
  const isNew = before === undefined || before['deleted'] === true;
  const had = new Set(isNew ? [] : missingIn(before, policy).map(({ id }) => id));
  return missingIn(after, policy)
    .filter(({ id }) => !had.has(id))
    .map(({ facts, pointer }) => ({ facts, ...sourceOf(resource, pointer) }));
};

interface Missing {
  readonly id: string;
  readonly facts: Found['facts'];
  readonly pointer: string;
}

function missingIn(flag: JsonObject, { description, tags }: PolicyFor<'require'>): Missing[] {
  const own = arrayOrEmpty(flag['tags']).filter((tag) => typeof tag === 'string');
  const unmatched = tags.filter((pattern) => !own.some(matchPermits([pattern])));
  const text = flag['name'];
  const isDescribed = typeof text === 'string' && text.trim() !== '';
  return [
    ...(description && !isDescribed
      ? [{ id: 'description', facts: { what: 'require', missing: 'description' }, pointer: '/name' } as const]
      : []),
    ...unmatched.map((pattern): Missing => ({
      id: `tag ${pattern}`,
      facts: { what: 'require', missing: 'tag', pattern },
      pointer: '/tags',
    })),
  ];
}
