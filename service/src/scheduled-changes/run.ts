/** Makes the scheduled changes that are due, each in the name of the user who scheduled it. (docs/service/scheduled-changes.md) */

import { plainText } from '../../../src/base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from '../../../src/base/json.ts';
import { isOutdated } from '../approvals/requests.ts';
import { failApproved, makeApproved } from '../change-requests/requests.ts';
import { formatOf } from '../filters/conditions.ts';
import { changeFlagWithRules, changeFlag, draftOf } from '../flags/update.ts';
import { readWrite } from '../flags/fields.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import type { ServiceContext, Answer } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';
import type { StoredRequest } from '../store/approvals.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { StoredSchedule } from '../store/objects.ts';
import { nextOfCron, nextOfInterval } from './next-time.ts';
import { ImpossibleChange, valuesOf } from './values.ts';
import { gate, wouldGate, type PlannedWrite } from '../approvals/gate.ts';

const RETRY_AFTER_MS = 60_000;
const MOST_ATTEMPTS = 5;

/** Runs what is due now, in the order of the times. A change that fails does not keep others from running. */
export function runDueChanges(service: ServiceContext): void {
  if (!service.rules.scheduledChanges) return;
  const now = service.now().getTime();
  for (const projectId of service.projectIds) {
    const due = service.store.scheduledChanges.list(projectId).filter((one) => isPending(one) && timeOf(one) <= now);
    for (const { id } of due.toSorted((a, b) => timeOf(a) - timeOf(b))) runOne(service, projectId, id);
  }
}

/** The next time at which something is due: a scheduled change, or another attempt at a failed one. */
export function nextRunTime({ store, projectIds, rules }: ServiceContext, after: Date): Date | undefined {
  if (!rules.scheduledChanges) return undefined;
  const start = after.getTime();
  const times = projectIds
    .flatMap((projectId) => store.scheduledChanges.list(projectId))
    .filter(isPending)
    .map((one) => (timeOf(one) > start ? timeOf(one) : attemptsOf(one) > 0 ? start + RETRY_AFTER_MS : Infinity));
  const next = Math.min(...times);
  return Number.isFinite(next) ? new Date(Math.ceil(next)) : undefined;
}

/** A paused one keeps its repetition but no longer recurs. */
function isPending({ fields }: StoredSchedule): boolean {
  return fields['executed_at'] === null && (fields['is_recurring'] === true || !repeats(fields));
}

function repeats({ recurrence_interval: interval, cron_expression: cron }: JsonObject): boolean {
  return Boolean(interval) || Boolean(cron);
}

function timeOf({ fields }: StoredSchedule): number {
  return microsecondsIn(fields['scheduled_at']) / 1000;
}

function microsecondsIn(time: JsonValue | undefined): number {
  return typeof time === 'string' ? parseMicroseconds(time) : NaN;
}

function attemptsOf({ fields }: StoredSchedule): number {
  return Number(fields['failure_count'] ?? 0);
}

/** Another process on the same file may have run it meanwhile, so it is read again in the transaction. */
function runOne(given: ServiceContext, projectId: string, id: number): void {
  const { store } = given;
  const change = (work: (schedule: StoredSchedule) => JsonObject): void =>
    store.transaction(() => {
      const found = store.scheduledChanges.list(projectId).find((one) => one.id === id && isPending(one));
      if (found === undefined || timeOf(found) > given.now().getTime()) return;
      const fields = { ...found.fields, ...work(found), updated_at: formatTimestamp(given.now()) };
      store.scheduledChanges.update(projectId, { id, fields });
    });
  try {
    change((schedule) => {
      const { created_by: user } = schedule.fields;
      return run({ ...given, ...(isJsonObject(user) && { user }) }, projectId, schedule);
    });
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ImpossibleChange)) throw error;
    change((schedule) => failed(given, { projectId, schedule, error }));
  }
}

/** Returns the members of the schedule that change. */
function run(service: ServiceContext, projectId: string, schedule: StoredSchedule): JsonObject {
  const { fields } = schedule;
  const time = formatTimestamp(service.now());
  const end = microsecondsIn(fields['end_date']);
  if (repeats(fields) && end <= microsecondsIn(time)) return { executed_at: time };
  const flag = service.store.flags.find(projectId, schedule.flagId);
  if (flag === undefined || flag.deleted) throw new ImpossibleChange('The flag does not exist');
  makeChange(service, flag, schedule);
  if (!repeats(fields)) return { executed_at: time };
  const next = nextTime(fields, service.now());
  if (next === undefined || next.getTime() * 1000 > end) return { executed_at: time, last_executed_at: time };
  return advance(service, { schedule, flag, next });
}

function makeChange(service: ServiceContext, flag: StoredFlag, { id, fields }: StoredSchedule): void {
  const { payload = null, change_request: bound } = fields;
  if (typeof bound === 'string') return applyBound(service, flag.projectId, bound);
  // A flag that changed since may have brought the change under a policy: without an approval it is skipped.
  const planned = plannedWrite(service, { flag, payload });
  if (planned !== undefined && wouldGate(service, planned)) return;
  const running = { ...service, trigger: { job_type: 'scheduled_change', job_id: String(id), payload } };
  const values = readWrite(valuesOf(flag, payload), { profile: service.rules.name, partial: true });
  if (formatOf(flag.filters) === 'conditions') changeFlag(running, { before: flag, values });
  else changeFlagWithRules(running, { before: flag, values, body: values });
}

/** An approved request is made; one that is undecided, or approved for another version of the flag, expires. */
function applyBound(service: ServiceContext, projectId: string, id: string): void {
  const request = findOpen(service, projectId, id);
  if (request === undefined) return;
  if (request.state === 'approved' && !isOutdated(service, request)) makeApproved(service, request);
  else service.store.approvals.updateRequest({ ...request, state: 'expired' });
}

function findOpen({ store }: ServiceContext, projectId: string, id: JsonValue | undefined): StoredRequest | undefined {
  return store.approvals.openRequests(projectId).find((one) => one.id === id);
}

/** Skips what was missed: the next time is in the future. */
function nextTime({ scheduled_at: at, ...fields }: JsonObject, now: Date): Date | undefined {
  const { recurrence_interval: interval, cron_expression: cron, timezone } = fields;
  const scheduled = new Date(microsecondsIn(at) / 1000);
  if (typeof cron === 'string' && cron !== '') {
    return nextOfCron(cron, now > scheduled ? now : scheduled, typeof timezone === 'string' ? timezone : undefined);
  }
  let next = nextOfInterval(scheduled, plainText(interval ?? null));
  while (next <= now) next = nextOfInterval(next, plainText(interval ?? null));
  return next;
}

interface Advance {
  readonly schedule: StoredSchedule;
  readonly flag: StoredFlag;
  readonly next: Date;
}

/**
 * Every occurrence needs an approval of its own, of the flag as it is by then. While another request for the same action is open,
 * the schedule stays where it is.
 */
function advance(service: ServiceContext, { schedule, flag: { projectId, id }, next }: Advance): JsonObject {
  const flag = service.store.flags.find(projectId, id);
  if (flag === undefined) return {};
  const binding = bindApproval(service, { flag, payload: schedule.fields['payload'] });
  if ('refusal' in binding) {
    if (binding.refusal.status === 409) return {};
    throw new ImpossibleChange('The change matches several approval policies');
  }
  const time = formatTimestamp(service.now());
  return { change_request: binding.request, scheduled_at: formatTimestamp(next), last_executed_at: time };
}

interface FailedSchedule {
  readonly projectId: string;
  readonly schedule: StoredSchedule;
  readonly error: Refusal | ImpossibleChange;
}

/** A refused change is tried again each minute, but for one that is approved. */
function failed(service: ServiceContext, { projectId, schedule, error }: FailedSchedule): JsonObject {
  const failure_count = attemptsOf(schedule) + 1;
  const request = findOpen(service, projectId, schedule.fields['change_request']);
  if (request !== undefined && error instanceof Refusal) failApproved(service, request, error);
  const isFinal = error instanceof ImpossibleChange || request !== undefined || failure_count >= MOST_ATTEMPTS;
  const rest = isFinal ? 'it is not tried again' : `${MOST_ATTEMPTS - failure_count} more attempts follow`;
  return {
    failure_count,
    failure_reason: `${error.message} (attempt ${failure_count}; ${rest})`,
    ...(isFinal && { executed_at: formatTimestamp(service.now()) }),
  };
}

/** `request`: the id of the change request to bind, or null. `refusal`: the answer that refuses to schedule. */
type ApprovalBinding = { readonly request: string | null } | { readonly refusal: Answer };

interface ScheduledPayload {
  readonly flag: StoredFlag;
  readonly payload: JsonValue | undefined;
}

/** `bound`: the request that the schedule has already. */
export function bindApproval(
  service: ServiceContext,
  asked: ScheduledPayload & { readonly bound?: string },
): ApprovalBinding {
  const write = plannedWrite(service, asked);
  const answer = write && gate(service, write);
  if (answer === undefined) return { request: null };
  const { code, change_request_id: id } = objectOrEmpty(answer.body);
  if (typeof id === 'string' && (code === 'approval_required' || id === asked.bound)) return { request: id };
  return { refusal: answer };
}

/** `undefined` for a change that cannot be made: its run says why. */
function plannedWrite(service: ServiceContext, { flag, payload }: ScheduledPayload): PlannedWrite | undefined {
  try {
    const values = readWrite(valuesOf(flag, payload), { profile: service.rules.name, partial: true });
    const after = draftOf(service, flag, values)();
    return { projectId: flag.projectId, before: flag, values, draft: () => after };
  } catch (error) {
    if (error instanceof ImpossibleChange || error instanceof Refusal) return undefined;
    throw error;
  }
}
