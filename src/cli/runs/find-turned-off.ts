/** Finds the flags that the newest recorded run about them turned off with `off`. */

import { FlagwrightError } from '../../base/errors.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { switchedIn } from '../../journal/turned-off.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { TurnedOff, TurnedOffFlags } from '../../posthog/turned-off.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns } from './find-runs.ts';

/** Runs that are read at most, the newest first: a journal grows without end. */
const MOST_RUNS = 50;

/** Among the flags with these ids; `undefined` where there are none. A journal that cannot be used is skipped. */
export async function findTurnedOff(
  session: Session,
  project: ProjectIdentity,
  ids: ReadonlySet<number>,
): Promise<TurnedOffFlags | undefined> {
  const open = new Set(ids);
  const found = new Map<number, TurnedOff>();
  if (open.size === 0) return undefined;
  let read = 0;
  try {
    for await (const entry of readRuns(session, await readRunOrder(session))) {
      if (read === MOST_RUNS || open.size === 0) break;
      read += 1;
      if ('run' in entry && belongsTo(entry.run, project)) settle(open, switchedIn(entry.run), found);
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
  }
  return found.size === 0 ? undefined : found;
}

/** The newest run about a flag has the last word. */
function settle(open: Set<number>, switched: ReturnType<typeof switchedIn>, found: Map<number, TurnedOff>): void {
  for (const [id, off] of switched) if (open.delete(id) && off !== undefined) found.set(id, off);
}

/** The ids of declared flags that nobody has now: of no other need a plan ask the journal. */
export function declaredAndOff({ flags: declared }: DesiredState, { flags }: LiveState): Set<number> {
  const keys = new Set(declared.map(({ key }) => key));
  return new Set(flags.filter((flag) => keys.has(flag.key) && isOff(flag)).map(({ id }) => id));
}

function isOff({ active, filters }: Flag): boolean {
  if (active === false) return true;
  // What services stored in earlier years may have any shape.
  const groups: JsonValue | undefined = isJsonObject(filters) ? filters['groups'] : undefined;
  if (!isJsonArray(groups) || groups.length === 0) return false;
  return groups.every((group) => isJsonObject(group) && group['rollout_percentage'] === 0);
}
