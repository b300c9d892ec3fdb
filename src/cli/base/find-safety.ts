/** The limits and protected flags that apply to a plan: those of the base, unless the checkout is stricter. */

import type { Config } from '../../config/config.ts';
import type { SafetySource } from '../../engine/safety.ts';
import { stricterOf, type SafetySettings } from '../../engine/stricter.ts';
import type { Judge } from './find-judge.ts';

export interface FoundSafety extends SafetySettings {
  /** Absent without a base. */
  readonly safety?: SafetySource;
}

/** `config`: of the checkout. `judge`: absent for runs that are not judged. */
export function findSafety(judge: Judge | undefined, config: Config): FoundSafety {
  const { limits, protected: patterns, origins } = config;
  const own = { limits, protected: patterns, origins };
  if (judge === undefined) return own;
  if (judge.from === 'base') {
    const { commit } = judge;
    const { looser, ...settings } = stricterOf(judge.config, own, commit);
    return { ...settings, safety: { from: 'base', commit, looser } };
  }
  const { why } = judge;
  return why === 'no_base' ? own : { ...own, safety: { from: 'checkout', why } };
}
