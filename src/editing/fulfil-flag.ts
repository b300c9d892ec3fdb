/** Whether a declared flag says what is wished, and otherwise what it said before. */

import { definedKeys, jsonEquals, memberOf, type JsonObject } from '../base/json.ts';
import type { DeclaredFlag, DesiredFlag } from '../posthog/desired.ts';
import { EDITOR } from '../posthog/role-access/access.ts';
import type { EditingContext } from './context.ts';
import type { FlagWish } from './wish.ts';
import { wishedFlag } from './wished-flag.ts';

export interface ChangedFlag {
  readonly before: DesiredFlag | undefined;
  readonly now: DesiredFlag | undefined;
}

export function fulfilsFlag(wish: FlagWish, { before, now }: ChangedFlag, context: EditingContext): boolean {
  if (wish.deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before : undefined;
  const fields = wish.fields ?? {};
  const { isMet } = wishedFlag(context, wish);
  return (
    definedKeys(fields).every((name) => Object.hasOwn(now.fields, name) && isMet(pick(now.fields, name))) &&
    (former === undefined || isSameBut(former, now, definedKeys(fields))) &&
    hasAccess(wish, { former, now })
  );
}

function pick(fields: JsonObject, name: string): JsonObject {
  return { [name]: memberOf(fields, name) };
}

function isSameBut(former: DeclaredFlag, now: DeclaredFlag, changed: readonly string[]): boolean {
  const names = new Set([...definedKeys(former.fields), ...definedKeys(now.fields)]);
  const isSame = (name: string): boolean => jsonEquals(memberOf(former.fields, name), memberOf(now.fields, name));
  return (
    [...names].every((name) => changed.includes(name) || isSame(name)) &&
    (former.key !== now.key || jsonEquals(former.previousKeys, now.previousKeys))
  );
}

function hasAccess(
  { access }: FlagWish,
  { former, now }: { readonly former: DeclaredFlag | undefined; readonly now: DeclaredFlag },
): boolean {
  const roles = access?.roles === undefined ? undefined : Object.fromEntries(access.roles);
  const everyone = access?.everyone;
  const hasRoles =
    roles !== undefined
      ? jsonEquals(rolesOf(now), roles)
      : former === undefined || jsonEquals(rolesOf(now), rolesOf(former));
  const isLevel =
    everyone !== undefined
      ? now.everyone?.level === everyone
      : former === undefined || now.everyone?.level === former.everyone?.level;
  return hasRoles && isLevel;
}

function rolesOf({ roleAccess }: DeclaredFlag): JsonObject | undefined {
  return roleAccess && Object.fromEntries(roleAccess.map(({ id, level = EDITOR }) => [id, level]));
}
