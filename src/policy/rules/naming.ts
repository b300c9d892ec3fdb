/** `naming`: a new key, also one that a rename gives, matches a pattern. */

import { matchPermits } from '../../engine/scope.ts';
import type { Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';

export const naming: Rule<PolicyFor<'naming'>> = ({ resource, key, before, after }, { patterns }) => {
  if (resource !== 'flag' || after === undefined || before?.['key'] === key) return [];
  return matchPermits(patterns)(key) ? [] : [{ facts: { what: 'naming', patterns } }];
};
