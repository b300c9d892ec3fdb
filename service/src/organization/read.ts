/** Answers the organization, its projects and its members. */

import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { answerPage } from '../handler/lists.ts';
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
  return answerPage(call, store.organization.listMembers(), serializeMember);
}
