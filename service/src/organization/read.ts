/** Answers the organization, its projects and its members. */

import type { JsonObject } from '../../../src/base/json.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import { describeProject, serializeCurrentKey, serializeMember, serializeOrganization } from './serialize.ts';

export function getOrganization(service: ServiceContext): Answer {
  return { status: 200, body: serializeOrganization(service) };
}

/** The key of the request. */
export function getCurrentKey(service: ServiceContext): Answer {
  return { status: 200, body: serializeCurrentKey(userOf(service)) };
}

export function getProject(_: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: describeProject(projectId) };
}

export function listMembers({ store }: ServiceContext, call: Call): Answer {
  return pageOf(call, store.organization.listMembers().map(serializeMember));
}

export function pageOf(call: Call, all: readonly JsonObject[]): Answer {
  const page = readPage(call.query);
  const results = all.slice(page.offset, page.offset + page.limit);
  return { status: 200, body: buildPage(call, page, { count: all.length, results }) };
}
