/** Loads the scheduled changes of a seed. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { parseTimestamp } from '../format/timestamp.ts';
import { EMBEDDED_USER } from '../handler/user.ts';
import { nextOfCron } from '../scheduled-changes/next-time.ts';
import { NEW_SCHEDULE } from '../scheduled-changes/write.ts';
import type { StoredFlag } from '../store/flag.ts';
import { seedProblem, type SeedDocument } from './document.ts';
import type { SeedTarget } from './persons.ts';

const TIMES = ['scheduled_at', 'executed_at', 'last_executed_at', 'end_date'] as const;

/** Loads those with an id first, so that others do not take their ids. */
export function loadScheduledChanges(
  { service, projectId, time }: SeedTarget,
  { scheduledChanges }: SeedDocument,
  flags: ReadonlyMap<string, StoredFlag>,
): void {
  const entries = scheduledChanges.map((entry, index) => ({ ...entry, pointer: `/scheduled_changes/${index}` }));
  for (const { id, flag: name, pointer, ...written } of entries.toSorted(
    (a, b) => Number(b.id !== undefined) - Number(a.id !== undefined),
  )) {
    const flag = [...flags.values()].find((stored) => stored.id === name || stored.key === name);
    if (flag === undefined) throw seedProblem(`${pointer}/flag`, `no flag is named ${stringifyJson(name)}`);
    for (const member of TIMES) checkTime(written[member], `${pointer}/${member}`);
    const { cron_expression: cron } = written;
    if (cron && nextOfCron(cron, service.now()) === undefined) {
      throw seedProblem(`${pointer}/cron_expression`, `${stringifyJson(cron)} is not a cron expression of five fields`);
    }
    const fields = {
      ...NEW_SCHEDULE,
      change_request: null,
      created_at: time,
      created_by: EMBEDDED_USER,
      updated_at: time,
      ...written,
    };
    try {
      service.store.scheduledChanges.insert(projectId, {
        ...(id === undefined ? {} : { id }),
        flagId: flag.id,
        fields,
      });
    } catch (error) {
      throw seedProblem(`${pointer}/id`, `the id ${String(id)} is already used (${String(error)})`);
    }
  }
}

function checkTime(text: string | null | undefined, pointer: string): void {
  if (typeof text !== 'string' || parseTimestamp(text) !== undefined) return;
  throw seedProblem(pointer, `${stringifyJson(text)} is not a date and time`);
}
