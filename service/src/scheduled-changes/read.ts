/** Lists the scheduled changes of flags, and reads one. (docs/service.md, "Scheduled changes") */

import type { JsonObject } from '../../../src/base/json.ts';
import { parseTeamId } from '../flag-values/minimal-flag.ts';
import { parseId } from '../flags/find.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { StoredSchedule } from '../store/scheduled-changes.ts';

export const MODEL = 'FeatureFlag';

/** Sorted by id; includes executed ones. */
export function listScheduledChanges(context: ServiceContext, call: Call): Answer {
  const page = readPage(call.query);
  const found = findAsked(context, call);
  const results = found
    .slice(page.offset, page.offset + page.limit)
    .map((schedule) => serialiseSchedule(context, schedule, call.projectId));
  return { status: 200, body: buildPage(call, page, { count: found.length, results }) };
}

export function getScheduledChange(context: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialiseSchedule(context, findSchedule(context, call), call.projectId) };
}

export function findSchedule(context: ServiceContext, call: Call): StoredSchedule {
  const id = parseId(call.params['id']);
  const schedule = findAsked(context, call).find((stored) => stored.id === id);
  if (schedule === undefined) throw notFound();
  return schedule;
}

/** The query limits a list and a single read alike. */
function findAsked({ store }: ServiceContext, { query, projectId }: Call): readonly StoredSchedule[] {
  const record = query.get('record_id');
  if ((query.get('model_name') ?? MODEL) !== MODEL) return [];
  return store.scheduledChanges.list(projectId).filter(({ flagId }) => record === null || record === String(flagId));
}

export function serialiseSchedule(
  { store }: ServiceContext,
  { id, flagId, fields }: StoredSchedule,
  projectId: string,
): JsonObject {
  const { failure_count: _, change_request: bound, ...shown } = fields;
  const request =
    typeof bound === 'string' ? store.approvals.requests(projectId).find((one) => one.id === bound) : undefined;
  return {
    id,
    team_id: parseTeamId(projectId),
    record_id: String(flagId),
    model_name: MODEL,
    ...shown,
    change_request: request === undefined ? null : { id: request.id, state: request.state },
  };
}
