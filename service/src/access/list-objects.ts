/** Lists the objects that have a rule for one subject: for everyone, for a role, or for a member. Only flags have any here. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, notFound } from '../handler/envelope.ts';
import type { RuledFlag } from '../store/access-rules.ts';
import { RESOURCE } from './levels.ts';

export function listDefaultObjects({ store }: ServiceContext, { projectId }: Call): Answer {
  return answer(store.accessRules.listFlags(projectId, { roleId: null, memberId: null }));
}

export function listRoleObjects({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const role = store.roles.find(readSubject(query, 'role_id'));
  if (role === undefined) throw notFound();
  return answer(store.accessRules.listFlags(projectId, { roleId: role.id, memberId: null }));
}

export function listMemberObjects({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const member = store.organization.findMember(readSubject(query, 'member_id'));
  if (member === undefined) throw notFound();
  return answer(store.accessRules.listFlags(projectId, { roleId: null, memberId: member.id }));
}

function readSubject(query: URLSearchParams, name: string): string {
  const id = query.get(name);
  if (id === null || id === '') throw invalid('required', 'This parameter is required.', name);
  return id.toLowerCase();
}

/** The answer is not paged. */
function answer(flags: readonly RuledFlag[]): Answer {
  return { status: 200, body: { results: flags.map(serialiseObject) } };
}

function serialiseObject({ id, key, level }: RuledFlag): JsonObject {
  return { resource: RESOURCE, resource_id: String(id), name: key, short_id: null, access_level: level };
}
