/** Lists the roles with access to a flag, and reads one entry. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { findFlag, parseId } from '../flags/find.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import { serialiseAccess } from './serialise.ts';

export function listRoleAccess(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  const flag = findFlag(service, call, 'flagId');
  const page = readPage(call.query);
  const results = store.roleAccess.list(flag.id, page).map((access) => serialiseAccess(service, flag, access));
  return { status: 200, body: buildPage(call, page, { count: store.roleAccess.count(flag.id), results }) };
}

export function getRoleAccess(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call, 'flagId');
  const access = service.store.roleAccess.find(flag.id, parseId(call.params['id']));
  if (access === undefined) throw notFound();
  return { status: 200, body: serialiseAccess(service, flag, access) };
}
