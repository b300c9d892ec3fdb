/** The members that a user writes by hand where an edit is refused, as a manifest writes them. */

import type { JsonObject } from '../base/json.ts';
import { setIn } from './members.ts';
import { layOutEdit, type FileEdit } from './texts.ts';
import { toMembers } from './choose-layer.ts';

/** `undefined` where nothing is to be added. */
export function suggestMembers(edits: readonly FileEdit[]): string | undefined {
  const whole = edits.reduce<JsonObject>((all, { edit: { path, value } }) => {
    return value === undefined ? all : toMembers(setIn(all, path.map(String), value));
  }, {});
  return Object.keys(whole).length === 0 ? undefined : layOutEdit(whole, []).trimEnd();
}
