/** `require`: a new flag has a description, certain tags and an owner, a new cohort a description and an owner; no change takes them away. */

import { arrayOrEmpty, memberOf, type JsonObject } from '../../../base/json.ts';
import { array, boolean, is, object, ref, string } from '../../../base/schema.ts';
import { matchKeyPatterns } from '../../../core/engine/scope.ts';
import { DEFAULT_OWNER_PREFIXES, ownerOf, type OwnerRules } from '../../../core/manifest/code-owners.ts';
import { globs, namesCohorts, sourceOf, type PolicyKind } from '../basis/policy-kind.ts';

export interface Require {
  readonly written: Partial<Omit<Require['options'], 'owner'>> & { readonly owner?: boolean };
  /** `tags`: each pattern must match a tag. */
  readonly options: { readonly description: boolean; readonly tags: readonly string[]; readonly owner?: true };
  readonly facts:
    | { readonly what: 'require'; readonly missing: 'description' }
    | { readonly what: 'require'; readonly missing: 'tag'; readonly pattern: string }
    /** `prefixes`: of tags that would name one. `unread`: there is a list of owners, and it cannot be read. */
    | {
        readonly what: 'require';
        readonly missing: 'owner';
        readonly prefixes: readonly string[];
        readonly unread?: true;
      };
}

export const required: PolicyKind<Require> = {
  description: 'What a new flag must have, and no change takes away.',
  schema: {
    'description?': boolean({ description: 'Whether a flag needs a description.', default: false }),
    'owner?': boolean({
      description: 'Whether a tag or CODEOWNERS must name an owner of the flag.',
      default: false,
    }),
    'tags?': ref(globs, { description: 'Each pattern must match a tag.', examples: [['owner:*']] }),
  },
  together: { if: { properties: { description: is(false), owner: is(false) } }, then: { required: ['tags'] } },
  contents: { tags: 'globs' },
  read: ({ description = false, tags = [], owner }) => ({ description, tags, ...(owner === true && { owner }) }),
  asksOwners: ({ owner }) => owner === true,
  judge: (resource, policy, { owners = UNKNOWN_OWNERS }) => {
    const { definition } = resource;
    if (definition !== undefined && !namesCohorts(policy)) return [];
    const { before, after } = definition ?? resource;
    if (after === undefined) return [];
    const file = resource.changes.find(({ source }) => source !== undefined)?.source?.file;
    const given = { ...policy, owners, ...(file !== undefined && { file }) };
    const wanted =
      definition === undefined ? { ...given, field: 'name' } : { ...given, tags: [], field: 'description' };
    const isNew = before === undefined || before['deleted'] === true;
    const had = new Set(isNew ? [] : missingIn(before, wanted).map(({ id }) => id));
    return missingIn(after, wanted)
      .filter(({ id }) => !had.has(id))
      .map(({ facts, pointer }) => ({ facts, ...sourceOf(resource, pointer) }));
  },
  facts: [
    object({ what: is('require'), missing: is('description') }),
    object({ what: is('require'), missing: is('tag'), pattern: string() }),
    object({
      what: is('require'),
      missing: is('owner'),
      prefixes: array(string(), 'What a tag begins with that names an owner'),
      'unread?': is(true, 'CODEOWNERS cannot be read'),
    }),
  ],
  text: (facts, { quote, names }) => {
    if (facts.missing === 'description') return 'has no description';
    if (facts.missing === 'tag') return `has no tag that matches ${quote(facts.pattern)}`;
    const files = facts.unread === true ? 'CODEOWNERS cannot be read' : 'CODEOWNERS names nobody for its file';
    return `has no known owner: no tag begins with ${names(facts.prefixes)}, and ${files}`;
  },
};

/** Of a run that does not know them. */
const UNKNOWN_OWNERS: OwnerRules = { prefixes: DEFAULT_OWNER_PREFIXES, ownersOf: () => [], isUnread: true };

type Wanted = Require['options'] & {
  /** The one with the description. */
  readonly field: string;
  readonly owners: OwnerRules;
  /** Where it is declared. */
  readonly file?: string;
};

function missingIn(
  flag: JsonObject,
  { description, tags, field, owner, owners, file }: Wanted,
): { readonly id: string; readonly facts: Require['facts']; readonly pointer: string }[] {
  const own = arrayOrEmpty(flag['tags']).filter((tag) => typeof tag === 'string');
  const unmatched = tags.filter((pattern) => !own.some(matchKeyPatterns([pattern])));
  const text = memberOf(flag, field);
  const isOwned = owner !== true || ownerOf({ tags: own, ...(file !== undefined && { file }) }, owners) !== undefined;
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
    ...(isOwned
      ? []
      : [
          {
            id: 'owner',
            facts: {
              ...({ what: 'require', missing: 'owner', prefixes: owners.prefixes } as const),
              ...(owners.isUnread === true && ({ unread: true } as const)),
            },
            pointer: '/tags',
          },
        ]),
  ];
}
