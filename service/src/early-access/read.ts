/** Lists the early access features of a project, and reads one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { answerPage } from '../handler/paging.ts';
import type { StoredFeature } from '../store/early-access-features.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { minimalFlag } from '../flag-values/minimal-flag.ts';
import { canEdit } from '../flags/serialize.ts';

export function listFeatures(service: ServiceContext, call: Call): Answer {
  const features = service.store.earlyAccessFeatures.list(call.projectId);
  return answerPage(call, features, (feature) => serializeFeature(service, feature));
}

export function getFeature(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeFeature(service, findFeature(service, call)) };
}

/** The feature that a path names. Throws a 404. */
export function findFeature({ store }: ServiceContext, call: Call): StoredFeature {
  const feature = store.earlyAccessFeatures.find(call.projectId, call.params['id']?.toLowerCase() ?? '');
  if (feature === undefined) throw notFound();
  return feature;
}

export function serializeFeature({ store }: ServiceContext, feature: StoredFeature): JsonObject {
  const flag = feature.flagId === null ? undefined : store.flags.find(feature.projectId, feature.flagId);
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
export function linkedForm({ id, fields }: StoredFeature): JsonObject {
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
