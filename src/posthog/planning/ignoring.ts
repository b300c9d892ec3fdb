/** Differences that a run ignores: all of a resource, or those at a place in it. */

import type { JsonObject } from '../../base/json.ts';
import { keyGlob } from '../../base/key-glob.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import type { LeaveRule, LeaveContext } from '../../core/engine/matched.ts';
import { fingerprintOf } from '../../core/engine/plan-document.ts';
import { familyIn } from '../families.ts';
import { matchesField, type FieldPath } from '../../core/engine/field-path.ts';
import type { PostHog } from '../kind.ts';
import type { Change } from '../plan.ts';
import { readName } from '../names/resource-name.ts';

export interface Ignored {
  /** A name, as options have it, or a glob. */
  readonly key: string;
  /** Absent: everything about the resource. */
  readonly path?: FieldPath;
  /** Applies only while the live value has this digest (`stateOf`). */
  readonly state?: string;
}

/** `onMatch` gets each entry that a difference matches. */
export function leaveIgnored<Entry extends Ignored>(
  entries: readonly Entry[],
  onMatch: (entry: Entry) => void = () => undefined,
): LeaveRule {
  const matchers = entries.map((entry) => ({ entry, isKey: keyGlob(entry.key) }));
  return {
    by: 'difference',
    isLeft: (part, context) => {
      const found = matchers.find(({ entry, isKey }) => isKey(context.name) && isMeant(entry, part, context));
      if (found !== undefined) onMatch(found.entry);
      return found !== undefined;
    },
  };
}

/** A digest of a live value, so that a file can say which value is known without repeating it. */
export function stateOf({ before }: FieldChange): string {
  return fingerprintOf(before === undefined ? {} : { live: before });
}

function isMeant({ path, state }: Ignored, part: FieldChange, context: LeaveContext): boolean {
  if (state !== undefined && state !== stateOf(part)) return false;
  return (
    path === undefined ||
    pointersOf(part, context).some((pointer) => matchesField(path, pointer, fieldsOf(part, context)))
  );
}

/** A role is known by its id and by its name. */
function pointersOf({ path }: FieldChange, { change }: LeaveContext): readonly string[] {
  const made = change as Change;
  const name = made.resource === 'role_access' ? made.role?.name : undefined;
  return name === undefined ? [path] : [path, `/role_access/roles/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`];
}

/** The index of an element is that of the state that has it. */
function fieldsOf({ after }: FieldChange, { match, name }: LeaveContext): JsonObject {
  const desired = match.desired as PostHog['desired'];
  if (after !== undefined && desired.kind !== 'retired') return desired.fields;
  return match.live === undefined ? {} : familyIn(readName(name).section).fieldsOf(match.live as PostHog['live']);
}
