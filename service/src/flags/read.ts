/** Lists flags, and reads one. */

import { keepPageText, buildPage, readPage } from '../handler/lists.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { FlagSqlFilter, FlagPage } from '../store/flags.ts';
import { readListFilter } from './list-filter.ts';
import { serialize, serializer, canEdit } from './serialize.ts';
import { forbidden, notFound, orNotFound } from '../handler/envelope.ts';

/** Newest first; without deleted flags. Archived flags are never listed together with others. */
export function listFlags(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const page = readPage(call.query);
  const filter = readFilter(service, call.query);
  const order = rules.listFilters ? readOrder(call.query.get('order')) : {};
  const count = store.flags.count(call.projectId, filter);
  const flags = store.flags.list(call.projectId, filter, { ...page, ...order });
  const results = flags.map(serializer(service));
  return { status: 200, body: keepPageText(buildPage(call, page, { count, results }), results) };
}

/** All flags of a list with these parameters. */
export function findMatching(service: ServiceContext, projectId: string, query: URLSearchParams): StoredFlag[] {
  return service.store.flags.list(projectId, readFilter(service, query), { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
}

/** Includes deleted flags. */
export function getFlag(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialize(service, findFlag(service, call)) };
}

function readFilter({ rules, now }: ServiceContext, query: URLSearchParams): FlagSqlFilter {
  return rules.listFilters ? { archived: false, ...readListFilter(query, now()) } : {};
}

function readOrder(order: string | null): Pick<FlagPage, 'order'> {
  if (order === null || order === '') return {};
  const descending = order.startsWith('-');
  return { order: { column: descending ? order.slice(1) : order, descending } };
}

/** Includes deleted flags. */
export function findFlag({ store }: ServiceContext, call: Call, param: 'id' | 'flagId' = 'id'): StoredFlag {
  return orNotFound(store.flags.find(call.projectId, parseId(call.params[param])));
}

export function findEditableFlag(service: ServiceContext, call: Call, param: 'id' | 'flagId' = 'id'): StoredFlag {
  const flag = findFlag(service, call, param);
  if (!canEdit(flag)) throw forbidden('You do not have permission to edit this feature flag.');
  return flag;
}

/** Throws a 404 for an id that is not a number. */
export function parseId(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}
