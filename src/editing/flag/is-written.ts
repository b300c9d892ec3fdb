/** Whether a declared flag has the requested values, by the comparison of plans, and otherwise its former ones. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, jsonEquals, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag } from '../../posthog/desired.ts';
import { compareFlag } from '../../posthog/flag/compare-flag.ts';
import { toFields } from '../../posthog/flag/manifest/fields.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
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
  const { fields = {}, access } = edit;
  if (edit.deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const { isMet } = wantedFlag(context, edit);
  const hasFields = definedKeys(fields).every(
    (name) => Object.hasOwn(now.fields, name) && isMet({ [name]: memberOf(now.fields, name) }),
  );
  const former = before?.kind === 'declared' ? before : undefined;
  const roles = access?.roles === undefined ? former && rolesOf(former) : Object.fromEntries(access.roles);
  const everyone = access?.everyone === undefined ? former?.everyone?.level : access.everyone;
  return (
    hasFields &&
    (former === undefined || isSameBut(former, now, fields)) &&
    ((former === undefined && access?.roles === undefined) || jsonEquals(rolesOf(now), roles)) &&
    ((former === undefined && access?.everyone === undefined) || now.everyone?.level === everyone)
  );
}

function isSameBut(former: DeclaredFlag, now: DeclaredFlag, changed: JsonObject): boolean {
  const names = [...new Set([...definedKeys(former.fields), ...definedKeys(now.fields)])];
  const isSame = (name: string): boolean => jsonEquals(memberOf(former.fields, name), memberOf(now.fields, name));
  return (
    names.every((name) => Object.hasOwn(changed, name) || isSame(name)) &&
    (former.key !== now.key || jsonEquals(former.previousKeys, now.previousKeys))
  );
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
  const declaration = read.declarations.get(key);
  const declared = declaration && toFields(layerDeclaration(declaration, project.name, EDITED.flags.layering)).fields;
  const edited = { id: 0, ...snapshot.flags.byKey(key), deleted: false, key, ...fields };
  const flag = withDeclaredSecrecy<Flag>(edited, declared ?? {});
  const desired = EDITED.flags.desired(read.resolve(project).desired).find((one) => one.key === key);
  const ownership = desired?.kind === 'declared' ? desired.ownership : undefined;
  const identity = { kind: 'declared', key, previousKeys: [], ...defined({ ownership }) } as const;
  const places = { place: { file: '', line: 1, column: 1 } };
  return {
    flag,
    isMet: (own) => {
      const pair = { desired: { ...identity, fields: own, places }, live: flag };
      const { differences } = compareFlag(pair, snapshot.flags);
      return !differences.some(({ path }) => Object.hasOwn(own, fromPointer(path)[0] ?? ''));
    },
  };
}
