/** `require`: a new flag has a description and certain tags, a new cohort a description; no change takes them away. */

import { arrayOrEmpty, memberOf, type JsonObject } from '../../../base/json.ts';
import { boolean, is, object, ref, string } from '../../../base/schema.ts';
import { matchKeyPatterns } from '../../../core/engine/scope.ts';
import { globs, namesCohorts, sourceOf, type PolicyKind } from '../basis/policy-kind.ts';

export interface Require {
  readonly written: Partial<Require['options']>;
  /** `tags`: each pattern must match a tag. */
  readonly options: { readonly description: boolean; readonly tags: readonly string[] };
  readonly facts:
    | { readonly what: 'require'; readonly missing: 'description' }
    | { readonly what: 'require'; readonly missing: 'tag'; readonly pattern: string };
}

export const required: PolicyKind<Require> = {
  description: 'What a new flag must have, and no change takes away.',
  schema: {
    'description?': boolean({ description: 'Whether a flag needs a description.', default: false }),
    'tags?': ref(globs, { description: 'Each pattern must match a tag.', examples: [['owner:*']] }),
  },
  together: { if: { properties: { description: is(false) } }, then: { required: ['tags'] } },
  contents: { tags: 'globs' },
  read: ({ description = false, tags = [] }) => ({ description, tags }),
  judge: (resource, policy) => {
    const { definition } = resource;
    if (definition !== undefined && !namesCohorts(policy)) return [];
    const { before, after } = definition ?? resource;
    if (after === undefined) return [];
    const wanted =
      definition === undefined ? { ...policy, field: 'name' } : { ...policy, tags: [], field: 'description' };
    const isNew = before === undefined || before['deleted'] === true;
    const had = new Set(isNew ? [] : missingIn(before, wanted).map(({ id }) => id));
    return missingIn(after, wanted)
      .filter(({ id }) => !had.has(id))
      .map(({ facts, pointer }) => ({ facts, ...sourceOf(resource, pointer) }));
  },
  facts: [
    object({ what: is('require'), missing: is('description') }),
    object({ what: is('require'), missing: is('tag'), pattern: string() }),
  ],
  text: (facts, { quote }) =>
    facts.missing === 'description' ? 'has no description' : `has no tag that matches ${quote(facts.pattern)}`,
};

/** `field`: the one with the description. */
function missingIn(
  flag: JsonObject,
  { description, tags, field }: Require['options'] & { readonly field: string },
): { readonly id: string; readonly facts: Require['facts']; readonly pointer: string }[] {
  const own = arrayOrEmpty(flag['tags']).filter((tag) => typeof tag === 'string');
  const unmatched = tags.filter((pattern) => !own.some(matchKeyPatterns([pattern])));
  const text = memberOf(flag, field);
  const isDescribed = typeof text === 'string' && text.trim() !== '';
  return [
    ...(description && !isDescribed
      ? [{ id: 'description', facts: { what: 'require', missing: 'description' }, pointer: `/${field}` } as const]
      : []),
    ...unmatched.map((pattern) => ({
      id: `tag ${pattern}`,
      facts: { what: 'require', missing: 'tag', pattern } as const,
      pointer: '/tags',
    })),
  ];
}
