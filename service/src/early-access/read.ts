/** Lists the early access features of a project, and reads one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { StoredFeature } from '../store/early-access-features.ts';
import { serialiseFeature } from './serialise.ts';

export function listFeatures(service: ServiceContext, call: Call): Answer {
  const features = service.store.earlyAccessFeatures.list(call.projectId);
  const page = readPage(call.query);
  const results = features
    .slice(page.offset, page.offset + page.limit)
    .map((feature) => serialiseFeature(service, feature));
  return { status: 200, body: buildPage(call, page, { count: features.length, results }) };
}

export function getFeature(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialiseFeature(service, findFeature(service, call)) };
}

/** The feature that a path names. Throws a 404. */
export function findFeature({ store }: ServiceContext, call: Call): StoredFeature {
  const feature = store.earlyAccessFeatures.find(call.projectId, call.params['id']?.toLowerCase() ?? '');
  if (feature === undefined) throw notFound();
  return feature;
}
