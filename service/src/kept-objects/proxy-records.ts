/** The domains of an organization that stand before the service. Nothing here resolves them, so each waits for its DNS. */

import { createHash } from 'node:crypto';
import { plainText } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { text } from '../flags/field-types.ts';
import { readFields } from '../flags/fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type ServiceContext, EMBEDDED_ORGANIZATION_ID, userOf } from '../handler/call.ts';
import { forbidden, invalid, orNotFound, Refusal } from '../handler/envelope.ts';
import { MEMBER_LEVELS, ownLevel } from '../organization/serialize.ts';
import type { KeptObject } from '../store/objects.ts';

const PLACE = { kind: 'proxy_record', projectId: null };
/** The limit of an organization whose billing plan has no higher one. */
const MOST = 2;

/** Newest first, without pages. */
export function listProxyRecords({ store }: ServiceContext): Answer {
  const results = store.keptObjects.list(PLACE).toReversed().map(serializeRecord);
  return { status: 200, body: { results, max_proxy_records: MOST } };
}

export function getProxyRecord(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeRecord(findRecord(service, call)) };
}

export function createProxyRecord(service: ServiceContext, call: Call): Answer {
  const { store, now, randomUuid } = service;
  return store.transaction(() => {
    refuseUnlessAdmin(service);
    const { domain = '' } = readFields(call.body, [{ name: 'domain', type: text({ maxLength: 64 }), required: true }]);
    const records = store.keptObjects.list(PLACE);
    if (records.length >= MOST) {
      // The body has no envelope, as in the service.
      const detail = `Maximum of ${MOST} proxy records per organization.`;
      throw new Refusal(detail, { status: 400, type: 'validation_error', code: 'invalid_input', body: { detail } });
    }
    if (records.some(({ fields }) => fields['domain'] === domain)) {
      throw invalid('unique', 'proxy record with this domain already exists.', 'domain');
    }
    const time = formatTimestamp(now());
    const fields = { domain, created_at: time, updated_at: time, created_by: userOf(service)['id'] ?? null };
    const record = store.keptObjects.insert({ ...PLACE, id: randomUuid(), fields });
    return { status: 200, body: serializeRecord(record) };
  });
}

/** A record that still waits is removed at once. */
export function deleteProxyRecord(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    refuseUnlessAdmin(service);
    service.store.keptObjects.remove(findRecord(service, call));
    return { status: 200, body: { success: true } };
  });
}

function findRecord({ store }: ServiceContext, { params }: Call): KeptObject {
  return orNotFound(store.keptObjects.find(PLACE, params['id'] ?? ''));
}

function serializeRecord({ id, fields }: KeptObject): JsonObject {
  const { domain = '', created_at = null, updated_at = null, created_by = null } = fields;
  const digest = createHash('sha256')
    .update(`${EMBEDDED_ORGANIZATION_ID}${plainText(domain)}`)
    .digest('hex');
  const target = `${digest.slice(0, 20)}.proxy.example.org`;
  return { id, domain, target_cname: target, status: 'waiting', message: null, created_at, updated_at, created_by };
}

function refuseUnlessAdmin(service: ServiceContext): void {
  if (ownLevel(service) < MEMBER_LEVELS.admin) throw forbidden('Your organization access level is insufficient.');
}
