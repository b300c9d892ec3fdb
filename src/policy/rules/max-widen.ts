/** `max-widen`: no change turns a flag on for more than so many percentage points of a condition's people. */

import { matchPermits } from '../../engine/scope.ts';
import type { Found, JudgedResource, Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const maxWiden: Rule<PolicyFor<'max-widen'>> = (resource, { points: limit, keys }) => {
  const isAbout = keys === undefined ? () => true : matchPermits(keys);
  return [...(resource.names.some(isAbout) ? findOwn(resource, limit) : []), ...findOthers(resource, limit, isAbout)];
};

function findOwn(resource: JudgedResource, limit: number): Found[] {
  const { own } = resource.widening ?? {};
  if (own === undefined || own.points <= limit) return [];
  const { points, exact, pointer } = own;
  return [{ facts: { what: 'max-widen', points, limit, exact }, ...sourceOf(resource, pointer) }];
}

/** A rule about the flag that changes is about what the change does to others; a rule about another flag, about that one. */
function findOthers(resource: JudgedResource, limit: number, isAbout: (name: string) => boolean): Found[] {
  const isAboutAll = resource.names.some(isAbout);
  const beyond = (resource.widening?.others ?? []).filter(
    ({ key, points }) => points > limit && (isAboutAll || isAbout(key)),
  );
  if (beyond.length === 0) return [];
  const points = Math.max(...beyond.map((one) => one.points));
  return [{ facts: { what: 'max-widen', points, limit, exact: false, flags: beyond.map(({ key }) => key) } }];
}
