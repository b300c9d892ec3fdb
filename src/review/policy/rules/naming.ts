/** `naming`: new keys, including those of renamed flags, match a pattern. Those of cohorts must only if the rule names cohorts. */

import { array, is, object, ref, string } from '../../../base/schema.ts';
import { matchKeyPatterns } from '../../../core/engine/scope.ts';
import { names, namesCohorts, type PolicyKind } from '../basis/policy-kind.ts';

export interface Naming {
  readonly written: { readonly patterns: readonly string[] };
  /** New keys must match one of the patterns. */
  readonly options: { readonly patterns: readonly string[] };
  readonly facts: { readonly what: 'naming'; readonly patterns: readonly string[] };
}

export const naming: PolicyKind<Naming> = {
  description: 'What new keys look like.',
  schema: {
    patterns: ref(names, { description: 'A new key matches one of them.', examples: [['shop-*', 'ops-*']] }),
  },
  contents: { patterns: 'globs' },
  read: ({ patterns }) => ({ patterns }),
  judgesNames: true,
  judge: (resource, policy) => {
    const { resource: kind, key, before, after, definition } = resource;
    const isNewKey = kind === 'flag' && after !== undefined && before?.['key'] !== key;
    const isNewCohort = definition?.before === undefined && definition?.after !== undefined;
    const isNew = kind === 'cohort' ? namesCohorts(policy) && isNewCohort : isNewKey;
    const { patterns } = policy;
    return !isNew || matchKeyPatterns(patterns)(key) ? [] : [{ facts: { what: 'naming', patterns } }];
  },
  facts: [object({ what: is('naming'), patterns: array(string()) })],
  text: ({ patterns }, wording) => `is a new key that matches none of ${wording.names(patterns)}`,
};
