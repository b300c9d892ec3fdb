/** `experiment-running`: no change alters what the people of a running experiment get. */

import { joinReaches } from '../../effects/effect.ts';
import type { Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';

export const experimentRunning: Rule<PolicyFor<'experiment-running'>> = ({ before, classes }, _, { experiments }) => {
  const key = before?.['key'];
  const running = typeof key === 'string' ? (experiments?.get(key) ?? []) : [];
  if (running.length === 0) return [];
  const { turnsOn, turnsOff, changesVariant } = joinReaches(classes);
  if (!turnsOn && !turnsOff && !changesVariant && !classes.includes('payload')) return [];
  const named = running.map(({ id, name }) => (typeof name === 'string' ? { id, name } : { id }));
  return [{ facts: { what: 'experiment-running', experiments: named } }];
};
