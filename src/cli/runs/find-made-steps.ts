/** Finds which recorded run wrote a value of a flag last: a step that the service has was made by us only if an apply made it. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { Run } from '../../journal/read.ts';
import { wasSent } from '../../journal/undo.ts';
import type { Session } from '../session/session.ts';
import { readRunOrder, readUsableRuns, sharesIds } from './find-runs.ts';

export interface StepValue {
  /** The id of the flag. */
  readonly id: number;
  /** The place in the names of the service. */
  readonly path: string;
  readonly value: JsonValue;
}

/** The newest recorded write of a value. `by`: `off` and `undo` set the values of steps too, and make none. */
export interface LastWrite extends WrittenValues {
  readonly by: 'apply' | 'off' | 'undo';
}

/**
 * Finds who wrote each value last.
 * @throws {FlagwrightError} if a journal on the way cannot be used: its run could be the newest one about a flag.
 */
export async function findLastWrites<Value extends StepValue>(
  session: Session,
  project: ProjectIdentity,
  values: readonly Value[],
): Promise<ReadonlyMap<Value, LastWrite>> {
  const open = new Set(values);
  const found = new Map<Value, LastWrite>();
  if (open.size === 0) return found;
  for await (const run of readUsableRuns(session, await readRunOrder(session))) {
    if (!sharesIds(run, project)) continue;
    const { off, undoes } = run.plan;
    for (const value of open) {
      const written = writtenTo(run, value);
      if (written === undefined) continue;
      open.delete(value);
      found.set(value, { ...written, by: off !== undefined ? 'off' : undoes !== undefined ? 'undo' : 'apply' });
    }
    if (open.size === 0) break;
  }
  return found;
}

/** Whether a run made the step: an apply wrote its value, or may have, and no later run wrote it again. */
export function isMade({ value }: StepValue, write: LastWrite | undefined): boolean {
  return write?.by === 'apply' && jsonEquals(write.after, value);
}

type WrittenValues = Partial<Pick<FieldChange, 'before' | 'after'>>;

/** What the run wrote to the path, or to something that contains it. */
function writtenTo(run: Run, { id, path }: StepValue): WrittenValues | undefined {
  return run.plan.changes
    .filter((change) => change.resource === 'flag' && change.id === id && wasSent(run, change))
    .flatMap((change) => ('fields' in change ? change.fields : [{ path: '' }]))
    .flatMap((field) => (field.path === path ? [field] : `${path}/`.startsWith(`${field.path}/`) ? [{}] : []))[0];
}
