/** Finds the flags that the newest recorded run about them turned off with `off`. */

import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { switchedIn } from '../../journal/recorded.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { TurnedOff, TurnedOffFlags } from '../../posthog/turned-off.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readUsableRuns } from './find-runs.ts';

/**
 * Returns those of the flags with these ids that a run turned off; `undefined` if none.
 * @throws {FlagwrightError} if a journal on the way cannot be used: its run could be the one that turned a flag off.
 */
export async function findTurnedOff(
  session: Session,
  project: ProjectIdentity,
  ids: ReadonlySet<number>,
): Promise<TurnedOffFlags | undefined> {
  const open = new Set(ids);
  const found = new Map<number, TurnedOff>();
  if (open.size === 0) return undefined;
  for await (const run of readUsableRuns(session, await readRunOrder(session))) {
    if (belongsTo(run, project)) settle(open, switchedIn(run), found);
    if (open.size === 0) break;
  }
  return found.size === 0 ? undefined : found;
}

/** The newest run about a flag has the last word. */
function settle(open: Set<number>, switched: ReturnType<typeof switchedIn>, found: Map<number, TurnedOff>): void {
  for (const [id, off] of switched) if (open.delete(id) && off !== undefined) found.set(id, off);
}

/** The ids of flags that are off and that the manifests do not declare off: of no other need a plan ask the journal. */
export function declaredAndOff({ flags: declared }: DesiredState, { flags }: LiveState): Set<number> {
  const keys = new Set(declared.filter((flag) => !isDeclaredOff(flag)).map(({ key }) => key));
  return new Set(flags.filter((flag) => keys.has(flag.key) && isOff(flag)).map(({ id }) => id));
}

function isDeclaredOff(flag: DesiredFlag): boolean {
  return flag.kind === 'retired' || flag.fields['active'] === false;
}

function isOff({ active, filters }: Flag): boolean {
  if (active === false) return true;
  // Old stored values may have any shape.
  const groups: JsonValue | undefined = isJsonObject(filters) ? filters['groups'] : undefined;
  if (!isJsonArray(groups) || groups.length === 0) return false;
  return groups.every((group) => isJsonObject(group) && group['rollout_percentage'] === 0);
}
