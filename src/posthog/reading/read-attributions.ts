/**
 * Reads who gave flags and cohorts the values that differ. Where several flags differ, the activity of the project is read first, as long as
 * each of its pages explains a flag. Any other resource costs one request for its newest entries, and more only until every value is
 * explained. (docs/requests.md)
 */

import type { JsonObject } from '../../base/json.ts';
import type { Attribution, UnknownAuthor, OwnWrite } from '../authors/attribution.ts';
import { attribute, type Inquiry, type Logged, type SoughtValue } from '../authors/replay-log.ts';
import type { ServiceClient } from '../service-client.ts';
import type { ActivityEntry, ActivityPage, ActivityQuery } from '../client/operations/flag-insight.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Divergence } from '../../core/engine/base.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { FAMILIES } from '../families.ts';
import type { LiveState } from '../live.ts';
import type { Change, Plan } from '../plan.ts';
import type { RoleChange } from '../role-access/change.ts';

export interface AttributionQuestion {
  readonly logged: Logged;
  /** Each path once. */
  readonly sought: readonly SoughtValue[];
}

type Client = Pick<ServiceClient, 'flagActivity' | 'cohortActivity' | 'projectFlagActivity' | 'budget'>;

/** The answers in the order of what is asked about, by path. */
export async function readAttributions(
  client: Client,
  asked: readonly AttributionQuestion[],
  writes: readonly OwnWrite[],
): Promise<readonly ReadonlyMap<string, Attribution>[]> {
  const refusal: LogRefusal = {};
  const inquiries = asked.map((one): Inquiry => ({ ...one, writes }));
  const explained = await readProjectLog(client, inquiries, refusal);
  const read = async (one: Inquiry): Promise<readonly [Inquiry, ReadonlyMap<string, Attribution>]> => [
    one,
    await readOne(client, one, refusal),
  ];
  const [first, ...others] = inquiries.filter((one) => !explained.has(one));
  if (refusal.reason === undefined) client.budget.announce('flagActivity', 1 + others.length);
  // A key that may not read one log may read none of them, so the first one is tried alone.
  const alone = first === undefined ? [] : [await read(first), ...(await Promise.all(others.map(read)))];
  const answers = new Map([...explained, ...alone]);
  return inquiries.map((one) => answers.get(one) ?? new Map<string, Attribution>());
}

interface LogRefusal {
  reason?: UnknownAuthor;
}

const ACTIVITY: {
  readonly [Kind in Logged['resource']]: (client: Client, id: number, asked: ActivityQuery) => Promise<ActivityPage>;
} = {
  flag: async (client, id, asked) => client.flagActivity(id, asked),
  cohort: async (client, id, asked) => client.cohortActivity(id, asked),
};

type Explained = ReadonlyMap<Inquiry, ReadonlyMap<string, Attribution>>;

/**
 * The flags that the newest entries of the whole project explain. A page that explains none is the last, so this costs at most one request
 * more than a request for each flag. What it leaves open, a failure included, is asked of the flags themselves.
 */
async function readProjectLog(client: Client, inquiries: readonly Inquiry[], refusal: LogRefusal): Promise<Explained> {
  const explained = new Map<Inquiry, ReadonlyMap<string, Attribution>>();
  let open = inquiries.filter(({ logged }) => logged.resource === 'flag');
  const byFlag = new Map<string, ActivityEntry[]>();
  let read = 0;
  for (let number = 1; open.length > 1; number += 1) {
    const page = await orReason(client.projectFlagActivity({ limit: ENTRIES_PER_PAGE, page: number }), refusal);
    if (isReason(page)) break;
    read += page.results.length;
    for (const entry of page.results) {
      const id = String(entry.item_id);
      byFlag.set(id, [...(byFlag.get(id) ?? []), entry]);
    }
    const left = open.filter((inquiry) => {
      // Entries that this log lacks cannot be told from those that do not exist, so it never counts as whole.
      const answers = attribute(inquiry, { entries: byFlag.get(String(inquiry.logged.id)) ?? [], isWhole: false });
      if (isComplete(answers)) explained.set(inquiry, answers);
      return !isComplete(answers);
    });
    if (left.length === open.length || isLast(page, read)) break;
    open = left;
  }
  return explained;
}

function isComplete(answers: AttributionsByPath): answers is ReadonlyMap<string, Attribution> {
  return ![...answers.values()].includes(undefined);
}

/** Entries that are read of one resource at most. */
const MOST_ENTRIES = 1_000;

async function readOne(
  client: Client,
  inquiry: Inquiry,
  refusal: LogRefusal,
): Promise<ReadonlyMap<string, Attribution>> {
  const entries: JsonObject[] = [];
  let answers: AttributionsByPath = new Map(inquiry.sought.map(({ path }) => [path, undefined]));
  let asked: Required<ActivityQuery> = { limit: FIRST_ENTRIES, page: 1 };
  for (;;) {
    const { resource, id } = inquiry.logged;
    const page = refusal.reason ?? (await orReason(ACTIVITY[resource](client, id, asked), refusal));
    if (isReason(page)) return complete(answers, page);
    entries.push(...page.results);
    const isWhole = page.results.length === 0 || isLast(page, entries.length);
    answers = attribute(inquiry, { entries, isWhole });
    if (isComplete(answers) || isWhole || entries.length >= MOST_ENTRIES) return complete(answers, 'too_long');
    // Pages double until they are large: a page of as many entries as were read is the second one of its size. A service that gives fewer
    // entries than requested has its own page size.
    const next = Math.min(entries.length, ENTRIES_PER_PAGE);
    asked =
      page.results.length < asked.limit
        ? { limit: asked.limit, page: asked.page + 1 }
        : { limit: next, page: entries.length / next + 1 };
  }
}

type AttributionsByPath = ReadonlyMap<string, Attribution | undefined>;

const FIRST_ENTRIES = 25;
const ENTRIES_PER_PAGE = 100;

async function orReason(reading: Promise<ActivityPage>, refusal: LogRefusal): Promise<ActivityPage | UnknownAuthor> {
  try {
    return await reading;
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

interface Inquiries {
  /** Each resource once. */
  readonly logged: readonly LoggedInquiry[];
  readonly access: readonly RoleChange[];
}

export interface LoggedInquiry {
  readonly logged: Logged;
  /** Keys are refs of changes. */
  readonly sought: ReadonlyMap<string, readonly SoughtValue[]>;
}

/** A change with its fields that may be edits: at least one. */
export interface EditedChange<Made extends Change> {
  readonly change: Made;
  readonly fields: readonly FieldChange[];
}

/** Every difference may be an edit if there is no base. */
export function chooseInquiries({ changes, base }: Plan, live: LiveState): Inquiries {
  const isEdit = base?.kind === 'commit' ? isDrift : () => true;
  const edits = changes.flatMap((change): EditedChange<Exclude<Change, RoleChange>>[] => {
    if (change.resource === 'role_access') return [];
    const fields = change.fields.filter(isEdit);
    return fields.length === 0 ? [] : [{ change, fields }];
  });
  const logged = FAMILIES.flatMap((family) =>
    family.inquire(
      edits.filter(({ change }) => change.resource === family.kind),
      live,
    ),
  );
  return {
    logged,
    access: changes.filter((change) => change.resource === 'role_access' && isEdit(change)) as RoleChange[],
  };
}

function isDrift({ divergence }: { readonly divergence?: Divergence }): boolean {
  return divergence === 'drifted' || divergence === 'conflict';
}
