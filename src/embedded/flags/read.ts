/** Lists flags, and reads one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { FlagFilter } from '../store/flag-conditions.ts';
import type { FlagPage } from '../store/flags.ts';
import { findFlag } from './find.ts';
import { readListFilter } from './list-filter.ts';
import { serialise } from './serialise.ts';

/** Newest first; without deleted flags, and without archived ones unless requested. */
export function listFlags(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const page = readPage(call.query);
  const filter = { ...archiveFilter(rules.archive, call.query), ...(rules.listFilters && readListFilter(call.query)) };
  const order = rules.listFilters ? readOrder(call.query.get('order')) : {};
  const count = store.flags.count(call.projectId, filter);
  const flags = store.flags.list(call.projectId, filter, { ...page, ...order });
  const results = flags.map((flag) => serialise(service, flag));
  return { status: 200, body: buildPage(call, page, { count, results }) };
}

/** Includes deleted flags. */
export function getFlag(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialise(service, findFlag(service, call)) };
}

/** `archived=true` lists only archived flags; any other value, or none, lists only the others. */
function archiveFilter(hasArchive: boolean, query: URLSearchParams): FlagFilter {
  return hasArchive ? { archived: query.get('archived') === 'true' } : {};
}

function readOrder(order: string | null): Pick<FlagPage, 'order'> {
  if (order === null || order === '') return {};
  const descending = order.startsWith('-');
  return { order: { column: descending ? order.slice(1) : order, descending } };
}
