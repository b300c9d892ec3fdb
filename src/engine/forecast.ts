/** What applying a plan will cost, when nothing goes wrong: requests, time, and share of what everybody shares. */

import { needsArchive, neededOfArchive } from '../posthog/flag/archive.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Change, FlagChange, Plan } from '../posthog/plan.ts';
import { readingOf } from './reading.ts';
import { isFirstOfTwo } from '../posthog/flag/split-change.ts';

/** As in the plan's document. */
export interface Forecast {
  /** Reading again, writing and verifying. Exact where a hundred flags come on a page, and archived ones on one. */
  readonly requests: number;
  /** What budget and latency ask for, whichever takes longer. */
  readonly seconds: number;
  /** Of what the service allows the organisation per hour; absent where no budget is shared. */
  readonly hour_percent?: number;
}

export interface ForecastBasis {
  /** The live flags that the plan was made of. */
  readonly flags: readonly Flag[];
  /** Requests in flight. */
  readonly concurrency: number;
  /** Of one request; default 0. */
  readonly latencyMs?: number;
  readonly budget?: ForecastBudget;
}

export interface ForecastBudget {
  readonly requestsPerHour?: number;
  /** The least time in milliseconds until this many requests can have been sent. */
  leastMs(requests: number): number;
}

export function forecastOf({ changes }: Pick<Plan, 'changes'>, basis: ForecastBasis): Forecast {
  const { flags } = basis;
  const steps =
    changes.length === 0 ? [] : [...readingSteps(changes, flags), changes.length, ...checkingSteps(changes, flags)];
  const requests = steps.reduce((sum, step) => sum + step, 0);
  const rounds = steps.reduce((sum, step) => sum + Math.ceil(step / basis.concurrency), 0);
  const ms = Math.max(rounds * (basis.latencyMs ?? 0), basis.budget?.leastMs(requests) ?? 0);
  const perHour = basis.budget?.requestsPerHour;
  return {
    requests,
    seconds: roundToTenth(ms / 1000),
    ...(perHour === undefined ? {} : { hour_percent: roundToTenth((requests / perHour) * 100) }),
  };
}

const PAGE_SIZE = 100;

/** The first page of the list, the others together, archived and deleted flags, then the role access of some. */
function readingSteps(changes: readonly Change[], flags: readonly Flag[]): number[] {
  const { keys, roleAccessOf, ids } = readingOf(changes);
  const listed = flags.filter(isListed);
  const withRoles = new Set(roleAccessOf);
  return [
    1,
    pages(listed.length) - 1,
    needsArchive(listed, keys) ? 1 : 0,
    flags.filter((flag) => flag.deleted === true && ids.includes(flag.id)).length,
    flagsRead(changes, flags).filter(({ key }) => withRoles.has(key)).length,
  ];
}

function flagsRead(changes: readonly Change[], flags: readonly Flag[]): readonly Flag[] {
  const { keys, ids } = readingOf(changes);
  const listed = flags.filter(isListed);
  const archived = flags.filter((flag) => flag.archived === true && flag.deleted !== true);
  const found = new Set(needsArchive(listed, keys) ? neededOfArchive(listed, archived, keys) : []);
  const restored = new Set(ids);
  return flags.filter((flag) => isListed(flag) || found.has(flag) || restored.has(flag.id));
}

/** Few flags are read one by one, many as the list; then the role access lists that were changed. */
function checkingSteps(changes: readonly Change[], flags: readonly Flag[]): number[] {
  const written = changes.filter((change) => change.resource === 'flag');
  const withRoles = new Set(changes.flatMap((change) => (change.resource === 'role_access' ? [change.key] : [])));
  const readBack = written.length - written.filter(isFirstOfTwo).length;
  const wholeList = readBack > flagsRead(changes, flags).length / PAGE_SIZE;
  const listed = wholeList ? pages(listedAfter(written, flags)) : 0;
  const unlisted = wholeList ? archivedAfter(written, flags) : 0;
  return [...(wholeList ? [1, listed - 1, unlisted] : [readBack]), withRoles.size];
}

/** Archived flags are not listed, and are read one by one. */
function archivedAfter(changes: readonly FlagChange[], flags: readonly Flag[]): number {
  const archived = new Set(flags.filter((flag) => flag.archived === true).map(({ id }) => id));
  return changes.filter((change) => {
    if (change.action === 'delete' || isFirstOfTwo(change)) return false;
    const wanted = change.body['archived'];
    return typeof wanted === 'boolean' ? wanted : change.action !== 'create' && archived.has(change.id);
  }).length;
}

function listedAfter(changes: readonly FlagChange[], flags: readonly Flag[]): number {
  const listed = new Set(flags.filter(isListed).map(({ id }) => id));
  let created = 0;
  for (const change of changes) {
    const { archived } = change.body;
    if (change.action === 'create') created += archived === true ? 0 : 1;
    else if (change.action === 'delete' || archived === true) listed.delete(change.id);
    else if (change.action === 'restore' || archived === false) listed.add(change.id);
  }
  return listed.size + created;
}

function isListed(flag: Flag): boolean {
  return flag.deleted !== true && flag.archived !== true;
}

/** An empty list is a page too. */
function pages(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

function roundToTenth(number: number): number {
  return Math.round(number * 10) / 10;
}
