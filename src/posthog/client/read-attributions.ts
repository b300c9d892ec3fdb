/**
 * Reads who gave flags and cohorts the values that differ. Each costs one request for the newest entries of its activity, and more
 * only until every value is explained.
 */

import type { JsonObject } from '../../base/json.ts';
import type { Attribution, UnknownAuthor } from '../attribution.ts';
import type { OwnKind } from '../kind-types.ts';
import type { OwnWrite } from '../own-writes.ts';
import { attribute, type Inquiry, type Logged, type SoughtValue } from '../replay-log.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';
import type { ActivityPage, ActivityQuery } from './operations/flag-insight.ts';

export interface AttributionQuestion {
  readonly logged: Logged;
  /** Each path once. */
  readonly sought: readonly SoughtValue[];
}

type Client = Pick<ServiceClient, 'flagActivity' | 'cohortActivity'>;

/** The answers in the order of what is asked about, by path. */
export async function readAttributions(
  client: Client,
  asked: readonly AttributionQuestion[],
  writes: readonly OwnWrite[],
): Promise<readonly ReadonlyMap<string, Attribution>[]> {
  const refusal: LogRefusal = {};
  const read = async (one: AttributionQuestion): Promise<ReadonlyMap<string, Attribution>> =>
    readOne(client, { ...one, writes }, refusal);
  const [first, ...others] = asked;
  if (first === undefined) return [];
  // A key that may not read one log may read none of them, so the first one is tried alone.
  return [await read(first), ...(await Promise.all(others.map(read)))];
}

interface LogRefusal {
  reason?: UnknownAuthor;
}

const ACTIVITY: {
  readonly [Kind in OwnKind]: (client: Client, id: number, asked: ActivityQuery) => Promise<ActivityPage>;
} = {
  flag: async (client, id, asked) => client.flagActivity(id, asked),
  cohort: async (client, id, asked) => client.cohortActivity(id, asked),
  // Changes of early access features are recorded nowhere, so no request is made.
  early_access: async () => ({ results: [], total_count: 0, next: null }),
};

/** Entries that are read of one resource at most. */
const MOST_ENTRIES = 1_000;

async function readOne(
  client: Client,
  inquiry: Inquiry,
  refusal: LogRefusal,
): Promise<ReadonlyMap<string, Attribution>> {
  const entries: JsonObject[] = [];
  let answers: AttributionsByPath = new Map(inquiry.sought.map(({ path }) => [path, undefined]));
  let asked: PageQuery = { limit: FIRST_ENTRIES, page: 1 };
  for (;;) {
    const page = await readPage(client, { of: inquiry.logged, asked }, refusal);
    if (isReason(page)) return complete(answers, page);
    entries.push(...page.results);
    const isWhole = page.results.length === 0 || isLast(page, entries.length);
    answers = attribute(inquiry, { entries, isWhole });
    const isOpen = [...answers.values()].includes(undefined);
    if (!isOpen || isWhole || entries.length >= MOST_ENTRIES) return complete(answers, 'too_long');
    asked = nextPage(asked, page.results.length, entries.length);
  }
}

type AttributionsByPath = ReadonlyMap<string, Attribution | undefined>;
type PageQuery = Required<ActivityQuery>;

const FIRST_ENTRIES = 25;
const ENTRIES_PER_PAGE = 100;

/**
 * Pages double until they are large: a page of as many entries as were read is the second one of its size. A service that gives fewer
 * entries than requested has its own page size.
 */
function nextPage({ limit, page }: PageQuery, got: number, read: number): PageQuery {
  if (got < limit) return { limit, page: page + 1 };
  const next = Math.min(read, ENTRIES_PER_PAGE);
  return { limit: next, page: read / next + 1 };
}

async function readPage(
  client: Client,
  { of: { resource, id }, asked }: { readonly of: Logged; readonly asked: PageQuery },
  refusal: LogRefusal,
): Promise<ActivityPage | UnknownAuthor> {
  if (refusal.reason !== undefined) return refusal.reason;
  try {
    return await ACTIVITY[resource](client, id, asked);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    if (error.failure.kind !== 'forbidden') return 'unreadable';
    refusal.reason = 'forbidden';
    return refusal.reason;
  }
}

function isReason(page: ActivityPage | UnknownAuthor): page is UnknownAuthor {
  return typeof page === 'string';
}

function isLast({ total_count: total, next }: ActivityPage, read: number): boolean {
  return typeof total === 'number' ? read >= total : typeof next !== 'string';
}

function complete(answers: AttributionsByPath, reason: UnknownAuthor): ReadonlyMap<string, Attribution> {
  return new Map([...answers].map(([path, answer]) => [path, answer ?? { kind: 'unknown', reason }]));
}
