/** `naming`: a new key, also one that a rename gives, matches a pattern; that of a new cohort where the rule names cohorts. */

import { matchPermits } from '../../engine/scope.ts';
import type { JudgedResource, Rule } from '../judged.ts';
import { namesCohorts, type PolicyFor } from '../policy.ts';

export const naming: Rule<PolicyFor<'naming'>> = (resource, policy) => {
  const { patterns } = policy;
  const isNew = resource.resource === 'cohort' ? namesCohorts(policy) && isNewCohort(resource) : isNewKey(resource);
  return !isNew || matchPermits(patterns)(resource.key) ? [] : [{ facts: { what: 'naming', patterns } }];
};

function isNewKey({ resource, key, before, after }: JudgedResource): boolean {
  return resource === 'flag' && after !== undefined && before?.['key'] !== key;
}

function isNewCohort({ cohort }: JudgedResource): boolean {
  return cohort?.before === undefined && cohort?.after !== undefined;
}
