/** Serialises an early access feature: in its own answers, and as its flag lists it. */

import type { JsonObject } from '../../../src/base/json.ts';
import { minimalFlag } from '../flag-values/minimal-flag.ts';
import { canEdit } from '../flags/serialise.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredFeature } from '../store/early-access-features.ts';

export function serialiseFeature({ store }: ServiceContext, feature: StoredFeature): JsonObject {
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
