/** Sums the requests that applying a plan costs: each reader and writer states its own. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { type ForecastBasis, forecastOf } from '../../../src/loop/apply/read-again.ts';
import type { Forecast } from '../../../src/core/engine/forecast.ts';
import { invertPlan } from '../../../src/posthog/planning/invert-plan.ts';
import {
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

const ARCHIVED = { archived: true, active: false } as const;

/** Flags `f1`, `f2`, …, all alike. */
const flags = (count: number, fields: Partial<Flag> = {}): Flag[] =>
  Array.from({ length: count }, (_, index) => liveFlag(index + 1, `f${index + 1}`, fields));
const others = (count: number, fields: Partial<Flag> = {}): Flag[] =>
  flags(count, fields).map((flag) => ({ ...flag, id: flag.id + 1000, key: `other-${flag.id}` }));
const renamed = (count: number, fields: JsonObject = {}): DesiredFlag[] =>
  Array.from({ length: count }, (_, index) => declared(`f${index + 1}`, { name: 'new', ...fields }));

function withoutArchive(flag: Flag): Flag {
  const { archived: _archived, ...rest } = flag;
  return rest as Flag;
}

function forecast(
  desired: readonly DesiredFlag[],
  live: readonly Flag[],
  basis: Partial<ForecastBasis> = {},
): Forecast {
  const roleAccess = Object.fromEntries(live.map(({ id }) => [String(id), [entry(id, 'role-x')]]));
  const plan = planFor(desiredState(...desired), liveState(live, roleAccess));
  return forecastOf(plan, { flags: live, concurrency: 4, ...basis });
}

describe('the requests of a run', () => {
  it.each<[string, number, readonly DesiredFlag[], readonly Flag[]]>([
    ['no change', 0, [], flags(5)],
    // The list, the write, the list.
    ['one update', 3, renamed(1), flags(1)],
    ['a create in an empty project', 3, [declared('new', {})], []],
    // The flag, the write, the flag.
    ['one update among many', 3, renamed(1), flags(1100)],
    ['a create among many', 3 + 1 + 1, [declared('new', {})], flags(1100)],
    ['as many updates as there are pages', 2 + 2 + 2, renamed(2), flags(1001)],
    ['as many updates as one for each five hundred', 2 + 2 + 2, renamed(2), flags(1000)],
    // The service does not lock a flag without a version, so each is read once more.
    ['updates without a version', 1 + 2 + 2 + 1, renamed(2), flags(99, { version: null })],
    ['an update without a version among many', 1 + 1 + 1 + 1, renamed(1), flags(250, { version: null })],
    // Above one in five hundred the list is read again.
    ['more updates', 2 + 3 + 2, renamed(3), flags(1000)],
    ['creates that begin a page', 1 + 2 + 2, [declared('x', {}), declared('y', {})], flags(499)],
    ['creates that fill a page', 1 + 1 + 1, [declared('x', {})], flags(499)],
    ['a delete that empties a page', 2 + 2 + 1, [retired('f1'), retired('f2')], flags(501)],
    ['a delete that leaves a page', 2 + 2 + 2, [retired('f1'), retired('f2')], flags(503)],
    // Archived flags have a separate list, and are read back one by one.
    ['an archived flag', 1 + 1 + 1 + 1 + 1, renamed(1), [...flags(1, ARCHIVED), liveFlag(9, 'z')]],
    ['an archived flag alone', 1 + 1 + 1 + 1 + 1, renamed(1), flags(1, ARCHIVED)],
    ['the archiving of a flag', 1 + 1 + 1 + 1, renamed(1, { archived: true, active: false }), flags(1)],
    ['the create of an archived flag', 1 + 1 + 1 + 1, [declared('new', { archived: true })], flags(1)],
    ['a flag that leaves the archive', 1 + 1 + 1 + 1, renamed(1, { archived: false }), flags(1, ARCHIVED)],
    ['the delete of an archived flag', 1 + 1 + 1 + 1, [retired('f1')], flags(1, ARCHIVED)],
    [
      'flags that are archived and leave a page',
      2 + 2 + 1 + 2,
      renamed(2, { archived: true, active: false }),
      flags(502),
    ],
    [
      'flags that leave the archive for a new page',
      1 + 1 + 2 + 2,
      renamed(2, { archived: false }),
      [...flags(2, ARCHIVED), ...flags(499).map((flag) => ({ ...flag, id: flag.id + 10, key: `g${flag.id}` }))],
    ],
    ['a service without an archive', 3, [declared('new', {})], flags(1).map(withoutArchive)],
    // Flags that are not read do not count: deleted ones, and archived ones that the run does not need.
    ['more updates beside deleted flags', 2 + 3 + 2, renamed(3), [...flags(502), ...others(300, { deleted: true })]],
    ['more updates beside archived flags', 2 + 3 + 2, renamed(3), [...flags(502), ...others(300, ARCHIVED)]],
    ['updates beside deleted flags', 1 + 2 + 1, renamed(2), [...flags(99), ...others(50, { deleted: true })]],
    ['updates of archived flags', 1 + 1 + 3 + 1 + 3, renamed(3), [...flags(3, ARCHIVED), ...others(100)]],
    ['a create that begins a page, read alone', 1 + 1 + 1, [declared('x', {})], flags(500)],
    [
      'creates that are archived at once',
      1 + 2 + 1 + 2,
      [declared('x', { archived: true }), declared('y', { archived: true })],
      flags(99),
    ],
    [
      'a grant of an archived flag',
      1 + 1 + 1 + 1 + 1,
      [declared('f1', {}, { roles: ['role-x', 'role-y'] })],
      [...flags(1, ARCHIVED), ...others(1)],
    ],
    // The role access of the flag is read, changed and read back; the flag is not written.
    ['a grant', 1 + 1 + 1 + 1, [declared('f1', {}, { roles: ['role-x', 'role-y'] })], flags(200).slice(0, 50)],
    [
      'two grants of one flag',
      1 + 1 + 2 + 1,
      [declared('f1', {}, { roles: ['role-x', 'role-y', 'role-z'] })],
      flags(3),
    ],
    ['a create with a grant', 1 + 1 + 2 + 1 + 1, [declared('new', {}, { roles: ['role-y'] })], flags(3)],
  ])('%s: %i', (_, requests, desired, live) => {
    expect(forecast(desired, live).requests).toBe(requests);
  });

  it('count deleted flags that a restore reads', () => {
    const before = liveFlag(1, 'f1');
    const { changes } = planFor(desiredState(retired('f1')), liveState([before]));
    const now = [{ ...before, deleted: true }, liveFlag(2, 'other', { deleted: true }), liveFlag(3, 'third')];
    const { plan } = invertPlan([{ change: changes[0] as never }], liveState(now), planOptions());
    // The list, the archive where the key may be, the flag itself, the write, the list.
    expect(forecastOf(plan, { flags: now, concurrency: 4 }).requests).toBe(5);
  });
});

describe('the time of a run', () => {
  it('counts a page and a flag with their own latency', () => {
    const conditions = { concurrency: 4, latencyMs: 100, pageLatencyMs: 1000 };
    // One page, one write, one page.
    expect(forecast(renamed(1), flags(1), conditions).seconds).toBe(2.1);
    // A flag, its write, and the flag again.
    expect(forecast(renamed(1), flags(500), conditions).seconds).toBe(0.3);
    // Two flags, as many as the pages of a list that would take longer.
    expect(forecast(renamed(2), flags(1000), conditions).seconds).toBe(0.3);
  });

  it('counts a round for each step of a chain of changes', () => {
    const chain = ['a', 'b', 'c'].map((key, index, keys) =>
      declared(key, index === 0 ? {} : { filters: dependsOn(keys[index - 1] ?? '') }),
    );
    // A page, three creates one after the other, a page.
    expect(forecast(chain, flags(1), { concurrency: 4, latencyMs: 1000 }).seconds).toBe(5);
  });

  it('counts rounds of concurrent requests', () => {
    const live = flags(1_700);
    // The first page, three more in two rounds, seven writes in four, the first page, three more in two.
    expect(forecast(renamed(7), live, { concurrency: 2, latencyMs: 1000 })).toEqual({ requests: 15, seconds: 10 });
    expect(forecast(renamed(7), live, { concurrency: 8, latencyMs: 120 })).toEqual({ requests: 15, seconds: 0.6 });
    expect(forecast(renamed(7), live, { concurrency: 8 }).seconds).toBe(0);
  });

  it('is never less than the budget requires', () => {
    const budget = { leastMs: (requests: number) => requests * 1000, requestsPerHour: 48 };
    expect(forecast(renamed(1), flags(1), { budget, latencyMs: 10 })).toEqual({
      requests: 3,
      seconds: 3,
      hour_percent: 6.3,
    });
    expect(forecast(renamed(1), flags(1), { budget, latencyMs: 5000 }).seconds).toBe(15);
    expect(forecast(renamed(1), flags(1), { budget: { leastMs: () => 0 } })).toEqual({ requests: 3, seconds: 0 });
  });
});
