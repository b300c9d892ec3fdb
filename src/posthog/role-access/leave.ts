/** Declared access with live levels in place of some changes, so that a comparison does not find them. */

import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import { EVERYONE, levelBefore, subjectOf, type RoleChange } from './change.ts';

/** `undefined` if the flag is deleted. */
export function leaveAccess(change: RoleChange, desired: DesiredFlag): DeclaredFlag | undefined {
  if (desired.kind === 'retired') return undefined;
  const [subject, level] = [subjectOf(change), levelBefore(change)];
  const { everyone, roleAccess = [], places } = desired;
  if (subject === EVERYONE) return { ...desired, everyone: { place: places.place, ...everyone, level } };
  const others = roleAccess.filter(({ id }) => id !== subject);
  const kept = level === null ? [] : [{ id: subject, level, place: places.place }];
  return { ...desired, roleAccess: [...others, ...kept] };
}
