/** Whether a declared flag has the requested values, by the comparison of plans, and otherwise its former ones. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, jsonEquals, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag } from '../../posthog/desired.ts';
import { compareFlag } from '../../posthog/flag/compare-flag.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { toFields } from '../../posthog/flag/manifest/fields.ts';
import { EDITOR } from '../../posthog/role-access/access.ts';
import type { EditingContext } from '../context.ts';
import type { FlagEdit } from '../edit.ts';
import type { BeforeAndNow } from '../facet.ts';
import { EDITED } from '../kinds.ts';

export function isFlagWritten(
  edit: FlagEdit,
  { before, now }: BeforeAndNow<DesiredFlag>,
  context: EditingContext,
): boolean {
  if (edit.deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before : undefined;
  const fields = edit.fields ?? {};
  const { isMet } = wantedFlag(context, edit);
  return (
    definedKeys(fields).every((name) => Object.hasOwn(now.fields, name) && isMet(pick(now.fields, name))) &&
    (former === undefined || isSameBut(former, now, definedKeys(fields))) &&
    hasAccess(edit, { former, now })
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
  { access }: FlagEdit,
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

/** A flag as an edit has it. */
export interface FlagToWrite {
  readonly flag: Flag;
  /** Whether a plan has nothing to change in these fields, by API name. */
  readonly isMet: (fields: JsonObject) => boolean;
}

export function wantedFlag(context: EditingContext, { key, fields = {} }: FlagEdit): FlagToWrite {
  const { read, project, snapshot } = context;
  const live = snapshot.flags.byKey(key);
  const flag = withDeclaredSecrecy<Flag>(
    { id: 0, ...live, deleted: false, key, ...fields },
    declaredFields(context, key),
  );
  const declared = EDITED.flags.desired(read.resolve(project).desired).find((one) => one.key === key);
  const ownership = declared?.kind === 'declared' ? declared.ownership : undefined;
  return {
    flag,
    isMet: (own) => {
      const place = { file: '', line: 1, column: 1 };
      const desired: DeclaredFlag = {
        kind: 'declared',
        key,
        previousKeys: [],
        fields: own,
        places: { place },
        ...defined({ ownership }),
      };
      const { differences } = compareFlag({ desired, live: flag }, snapshot.flags);
      return !differences.some(({ path }) => Object.hasOwn(own, fromPointer(path)[0] ?? ''));
    },
  };
}

function declaredFields({ read, project }: EditingContext, key: string): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  return toFields(layerDeclaration(declaration, project.name, EDITED.flags.layering)).fields;
}
