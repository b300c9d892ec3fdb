/** Finds which values of live flags recorded runs wrote: a step that the service has was made by us only if one of them made it. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { Run } from '../../journal/read.ts';
import { wasSent } from '../../journal/undo.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns } from './find-runs.ts';

export interface StepValue {
  /** The id of the flag. */
  readonly id: number;
  /** The place in the names of the service. */
  readonly path: string;
  readonly value: JsonValue;
}

/**
 * Returns those that an apply wrote, or may have written, and no later run wrote again: `off` and `undo` set the values of steps too, and make
 * none. A journal that cannot be used ends the search, since its run may be the newest one about a flag.
 */
export async function findMadeSteps<Value extends StepValue>(
  session: Session,
  project: ProjectIdentity,
  values: readonly Value[],
): Promise<readonly Value[]> {
  const open = new Set(values);
  const made: Value[] = [];
  for await (const entry of readRuns(session, await readRunOrder(session))) {
    if ('problem' in entry || open.size === 0) break;
    if (!belongsTo(entry.run, project)) continue;
    for (const value of open) {
      const written = writtenTo(entry.run, value);
      if (written === undefined) continue;
      open.delete(value);
      const { off, undoes } = entry.run.plan;
      if (off === undefined && undoes === undefined && jsonEquals(written.after, value.value)) made.push(value);
    }
  }
  return made;
}

/** What the run wrote to the path, or to something that contains it. */
function writtenTo(run: Run, { id, path }: StepValue): { readonly after?: JsonValue } | undefined {
  return run.plan.changes
    .filter((change) => change.resource === 'flag' && change.id === id && wasSent(run, change))
    .flatMap((change) => ('fields' in change ? change.fields : [{ path: '' }]))
    .flatMap((field) => (field.path === path ? [field] : `${path}/`.startsWith(`${field.path}/`) ? [{}] : []))[0];
}
