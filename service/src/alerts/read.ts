/** Lists the alerts of a project, and reads one with its checks. (docs/service/alerts.md) */

import { objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, orNotFound } from '../handler/envelope.ts';
import { answerPage } from '../handler/lists.ts';
import type { StoredAlert, StoredCheck } from '../store/alerts.ts';
import { dateOf } from './checks.ts';
import { timeBefore } from './relative-time.ts';

/** An alert whose insight the user may not view is left out. */
export function listAlerts(service: ServiceContext, call: Call): Answer {
  const { query } = call;
  const search = query.get('search') ?? '';
  if (search.length > 200) throw invalid('invalid_input', 'The search is longer than 200 characters.', 'search');
  const author = query.get('created_by') ?? '';
  if (author !== '' && !UUID.test(author)) throw invalid('invalid_input', 'Not a valid UUID.', 'created_by');
  const insights = ['insight', 'insight_id'].flatMap((name) => query.get(name) ?? []);
  const found = service.store.alerts
    .list(call.projectId)
    .filter(
      ({ fields: { name = '', insight, created_by: by, can_view: canView } }) =>
        canView !== false &&
        plainText(name).toLowerCase().includes(search.toLowerCase()) &&
        (author === '' || objectOrEmpty(by)['uuid'] === author.toLowerCase()) &&
        insights.every((id) => String(Number(id)) === plainText(objectOrEmpty(insight)['id'] ?? '')),
    );
  // Checks of anomaly detection, which nothing here has.
  return answerPage(call, found, (alert) => ({ ...serializeAlert(service, alert), checks: [] }));
}

const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;

const USUAL_CHECKS = 5;
const MOST_CHECKS = 500;

export function getAlert(service: ServiceContext, call: Call): Answer {
  const alert = findAlert(service, call);
  const [from, until] = ['checks_date_from', 'checks_date_to'].map((name) => call.query.get(name) || undefined);
  const checks = keptChecks(service, alert.id).filter(
    ({ time }) =>
      (from === undefined || time >= timeBefore(from, service.now()) * 1000) &&
      (until === undefined || time <= timeBefore(until, service.now()) * 1000),
  );
  const usual = from === undefined && until === undefined ? USUAL_CHECKS : MOST_CHECKS;
  const limit = wholeNumber(call.query.get('checks_limit'), usual, USUAL_CHECKS);
  const offset = Math.max(0, wholeNumber(call.query.get('checks_offset'), 0, 0));
  const shown = checks.slice(offset, offset + Math.max(1, Math.min(limit, MOST_CHECKS))).map(serializeCheck);
  return { status: 200, body: { ...serializeAlert(service, alert), checks: shown, checks_total: checks.length } };
}

function wholeNumber(text: string | null, absent: number, invalidOne: number): number {
  if (text === null) return absent;
  return /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : invalidOne;
}

/** The alert that a path names. Throws a 404. */
export function findAlert(service: ServiceContext, call: Call): StoredAlert {
  const alert = service.store.alerts.find(call.projectId, call.params['id']?.toLowerCase() ?? '');
  return orNotFound(alert?.fields['can_view'] === false ? undefined : alert);
}

/** `last_value` is that of the newest check, also of one that snoozing wrote. */
export function serializeAlert(service: ServiceContext, { id, fields }: StoredAlert): JsonObject {
  const { can_view: _, insight, ...shown } = fields;
  const [newest] = keptChecks(service, id);
  return { id, ...shown, insight: serializeInsight(objectOrEmpty(insight)), last_value: newest?.value ?? null };
}

const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

/** Older checks are gone. */
function keptChecks({ store, now }: ServiceContext, id: string): StoredCheck[] {
  const until = parseMicroseconds(formatTimestamp(now()));
  return store.alerts.checks(id, until - KEPT_MS * 1000, until);
}

/** Nothing here keeps insights: each is an id and a name. */
function serializeInsight({ id = 0, name = '' }: JsonObject): JsonObject {
  const short_id = plainText(id).padStart(8, '0');
  return { id, short_id, name, derived_name: null, description: '', tags: [], dashboards: [], deleted: false };
}

function serializeCheck({ id, time, state, value }: StoredCheck): JsonObject {
  return {
    id,
    created_at: formatTimestamp(dateOf(time)),
    calculated_value: value,
    state,
    targets_notified: false,
    anomaly_scores: null,
    triggered_points: null,
    triggered_dates: null,
    interval: null,
    triggered_metadata: null,
    investigation_status: null,
    investigation_verdict: null,
    investigation_summary: null,
    investigation_notebook_short_id: null,
    notification_sent_at: null,
    notification_suppressed_by_agent: false,
  };
}
