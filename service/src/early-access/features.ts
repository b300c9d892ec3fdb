/** Lists, reads, creates, changes and deletes early access features. */

import { plainText } from '../../../src/base/json-text.ts';
import {
  arrayOrEmpty,
  isJsonObject,
  memberOf,
  type JsonObject,
  type JsonValue,
  isJsonNumber,
} from '../../../src/base/json.ts';
import { gate } from '../approvals/gate.ts';
import { variantKeys } from '../filters/conditions.ts';
import { addFlag, draftFlag } from '../flags/create.ts';
import { readFields, type BodyField, readWrite } from '../flags/fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type Handler, type ServiceContext, userOf } from '../handler/call.ts';
import { invalidInput, forbidden, orNotFound } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { changeFlag, draftOf } from '../flags/update.ts';
import { canEdit } from '../flags/serialize.ts';
import type { StoredFeature } from '../store/objects.ts';
import { address, anything, choice, integer, text } from '../flags/field-types.ts';
import { answerPage } from '../handler/lists.ts';
import { minimalFlag } from '../flag-values/definitions.ts';

export function createFeature(service: ServiceContext, call: Call): Answer {
  const { store, now, randomUuid } = service;
  return store.transaction(() => {
    const { feature_flag_id: flagId, ...values } = readFields(call.body, NEW_FEATURE_FIELDS);
    // The service reads 0 as no flag.
    const linked = typeof flagId === 'number' && flagId !== 0 ? readFlag(service, call.projectId, flagId) : undefined;
    const isEnrolled = linked !== undefined && isActiveStage(values['stage']);
    const asked = isEnrolled ? startEnrollment(service, linked) : undefined;
    const prepared = asked ?? linked ?? makeFlag(service, call.projectId, values);
    if ('status' in prepared) return prepared;
    const user = userOf(service);
    const feature = {
      id: randomUuid(),
      projectId: call.projectId,
      flagId: prepared.id,
      fields: {
        ...values,
        created_at: formatTimestamp(now()),
        created_by: user,
        assignee: { type: 'user', id: user['id'] ?? null },
      },
    };
    store.earlyAccessFeatures.insert(feature);
    relist(service, feature);
    return { status: 201, body: serializeFeature(service, feature) };
  });
}

export const updateFeature: Handler = updating(true);
/** PUT: name and stage must be present; omitted fields stay. */
export const replaceFeature: Handler = updating(false);

function updating(partial: boolean): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const before = findFeature(service, call);
      const values = readFields(call.body, FEATURE_FIELDS, { partial });
      const payload = isJsonObject(call.body) ? memberOf(call.body, 'payload') : undefined;
      const after = {
        ...before,
        fields: { ...before.fields, ...values, ...(payload !== undefined && { payload: storedPayload(payload) }) },
      };
      const asked = enterStage(service, before, values['stage']);
      if (asked !== undefined) return asked;
      service.store.earlyAccessFeatures.update(after);
      relist(service, after);
      return { status: 200, body: serializeFeature(service, after) };
    });
}

/** A move from one active stage to another keeps the flag. An inactive stage ends the enrollment whenever it is sent. */
function enterStage(service: ServiceContext, feature: StoredFeature, to: JsonValue | undefined): Answer | undefined {
  const flag = flagOf(service, feature);
  if (flag === undefined || to === undefined) return undefined;
  if (isActiveStage(to)) return isActiveStage(feature.fields['stage']) ? undefined : startEnrollment(service, flag);
  endEnrollment(service, flag);
  return undefined;
}

/** Final: there is no soft deletion. The flag stays. */
export function deleteFeature(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const feature = findFeature(service, call);
    const flag = flagOf(service, feature);
    if (flag !== undefined) endEnrollment(service, flag);
    store.earlyAccessFeatures.remove(feature.id);
    relist(service, feature);
    return { status: 204 };
  });
}

/** Deleted flags are found too. */
function readFlag({ store }: ServiceContext, projectId: string, id: number): StoredFlag {
  const flag = store.flags.find(projectId, id);
  if (flag === undefined) throw invalidInput('There is no feature flag with this id.');
  if (arrayOrEmpty(flag.fields['features']).length > 0) {
    throw invalidInput(`The flag ${flag.key} already has an early access feature.`);
  }
  if ((flag.filters['aggregation_group_type_index'] ?? null) !== null) {
    throw invalidInput('A flag for groups cannot have an early access feature.');
  }
  if (arrayOrEmpty(flag.fields['experiment_set']).length > 0) {
    throw invalidInput(`The flag ${flag.key} belongs to an experiment, and a flag belongs to one product.`);
  }
  if (variantKeys(flag.filters).length > 0) {
    throw invalidInput('A flag with variants cannot have an early access feature.');
  }
  return flag;
}

/** The flag is on for nobody except, in an active stage, those who enroll. */
function makeFlag(service: ServiceContext, projectId: string, { name: sent, stage }: JsonObject): StoredFlag | Answer {
  const name = plainText(sent ?? '');
  const filters: JsonObject = {
    groups: [{ properties: [], rollout_percentage: 0, variant: null }],
    ...(isActiveStage(stage) && { feature_enrollment: true }),
  };
  const body = { key: slugOf(name), name: `Feature Flag for Early Access Feature ${name}`, filters };
  const values = readWrite(body, { profile: service.rules.name, partial: false });
  const draft = (): StoredFlag => draftFlag(service, projectId, values);
  return gate(service, { projectId, values, draft }) ?? addFlag(service, projectId, values);
}

/** The key that the service makes of a name: letters without accents, digits, dashes and underscores; other characters are dropped. */
function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\P{ASCII}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/[-\s]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

/** An approval policy can cover it: the answer in place of the write. Runs in the transaction of the caller. */
function startEnrollment(service: ServiceContext, flag: StoredFlag): Answer | undefined {
  checkEditable(flag);
  const values: JsonObject = { filters: { feature_enrollment: true } };
  const { projectId } = flag;
  const asked = gate(service, { projectId, before: flag, values, draft: draftOf(service, flag, values) });
  if (asked === undefined) changeFlag(service, { before: flag, values });
  return asked;
}

/** No policy covers it. The flag is written even if it enrolled nobody. */
function endEnrollment(service: ServiceContext, flag: StoredFlag): void {
  checkEditable(flag);
  changeFlag(service, { before: flag, values: { filters: { feature_enrollment: null } } });
}

/** The flag of a feature, also a deleted one. */
function flagOf({ store }: ServiceContext, { projectId, flagId }: StoredFeature): StoredFlag | undefined {
  return flagId === null ? undefined : store.flags.find(projectId, flagId);
}

/** Makes the flag list its features as they are stored. */
function relist(service: ServiceContext, feature: StoredFeature): void {
  const flag = flagOf(service, feature);
  if (flag === undefined) return;
  const features = service.store.earlyAccessFeatures.listByFlag(flag.id).map(linkedForm);
  service.store.flags.update({ ...flag, fields: { ...flag.fields, features } });
}

function checkEditable(flag: StoredFlag): void {
  if (!canEdit(flag)) throw forbidden('You do not have permission to modify the linked feature flag.');
}

/** People who enrolled get the flag in these stages only. */
const ACTIVE_STAGES: readonly JsonValue[] = ['alpha', 'beta', 'general-availability'];

export const STAGES: readonly string[] = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'];

const FEATURE_FIELDS: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 200 }), required: true },
  { name: 'description', type: text({ blank: true }) },
  { name: 'stage', type: choice(STAGES), required: true },
  { name: 'documentation_url', type: address({ maxLength: 800, blank: true }) },
];

/** The flag of a feature is chosen once. */
const NEW_FEATURE_FIELDS: readonly BodyField[] = [
  ...FEATURE_FIELDS,
  { name: 'payload', type: anything },
  { name: 'feature_flag_id', type: integer },
];

function isActiveStage(stage: JsonValue | undefined): boolean {
  return stage !== undefined && ACTIVE_STAGES.includes(stage);
}

/** An update takes any payload; an empty one of any type is stored as an empty object. */
function storedPayload(sent: JsonValue): JsonValue {
  const isZero = isJsonNumber(sent) && Number(String(sent)) === 0;
  const isHollow = !isJsonNumber(sent) && typeof sent === 'object' && sent !== null && Object.keys(sent).length === 0;
  return sent === null || sent === '' || sent === false || isZero || isHollow ? {} : sent;
}

export function listFeatures(service: ServiceContext, call: Call): Answer {
  const features = service.store.earlyAccessFeatures.list(call.projectId);
  return answerPage(call, features, (feature) => serializeFeature(service, feature));
}

export function getFeature(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeFeature(service, findFeature(service, call)) };
}

/** The feature that a path names. Throws a 404. */
function findFeature({ store }: ServiceContext, call: Call): StoredFeature {
  return orNotFound(store.earlyAccessFeatures.find(call.projectId, call.params['id']?.toLowerCase() ?? ''));
}

function serializeFeature(service: ServiceContext, feature: StoredFeature): JsonObject {
  const flag = flagOf(service, feature);
  const { name, description, stage, documentation_url, payload, created_at, created_by, assignee } = feature.fields;
  return {
    id: feature.id,
    feature_flag: flag === undefined ? null : minimalFlag(flag),
    name: name ?? '',
    description: description ?? '',
    stage: stage ?? null,
    documentation_url: documentation_url ?? '',
    payload: payload ?? {},
    created_at: created_at ?? null,
    created_by: created_by ?? null,
    assignee: assignee ?? null,
    user_access_level: flag === undefined || canEdit(flag) ? 'editor' : 'viewer',
  };
}

/** The form that the flag and SDKs show; without `flagKey`, which the flag adds. */
function linkedForm({ id, fields }: StoredFeature): JsonObject {
  const { name, description, stage, documentation_url, payload } = fields;
  return {
    id,
    name: name ?? '',
    description: description ?? '',
    stage: stage ?? null,
    documentationUrl: documentation_url ?? '',
    payload: payload ?? {},
  };
}
