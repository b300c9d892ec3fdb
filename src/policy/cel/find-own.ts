/** Own rules: an expression that is true of a change finds it. */

import type { Rule } from '../judged.ts';
import type { OwnPolicy } from '../policy.ts';
import { contextOf } from './context.ts';
import { compile, make, type Compiled } from './language.ts';

/** A rule that cannot tell finds the change as well, as an error: it may be what the rule is for. */
export const findOwn: Rule<OwnPolicy> = (resource, { when, message }, surroundings) => {
  const compiled = compiledOf(when);
  const answer =
    'mistake' in compiled
      ? { failure: compiled.mistake.message }
      : compiled.evaluate(contextOf(resource, surroundings, make));
  if (typeof answer === 'object') return [{ facts: { what: 'own_failed', detail: answer.failure }, level: 'error' }];
  return answer ? [{ facts: { what: 'own', message } }] : [];
};

const COMPILED = new Map<string, Compiled>();

/** A plan may have thousands of changes. */
function compiledOf(when: string): Compiled {
  const known = COMPILED.get(when);
  if (known !== undefined) return known;
  const compiled = compile(when);
  COMPILED.set(when, compiled);
  return compiled;
}
