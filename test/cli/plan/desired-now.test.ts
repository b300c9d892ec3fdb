import { describe, expect, test } from 'vitest';
import { desiredNow } from '../../../src/cli/plan/desired-now.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import type { LastWrite } from '../../../src/cli/runs/find-recorded.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { parseManifest } from '../../../src/posthog/manifests/manifests.ts';
import type { Moment, Reached } from '../../../src/core/rollout/rollout.ts';
import { liveOf, momentAt, recordAt, stateAt, steps } from '../../posthog/rollouts/stepped.ts';

const FLAGS = `  a: { active: true, rollout_percentage: ${steps([1, 10], [3, 50], [5, 100])} }\n`;

const RENAMED = FLAGS.replace('active: true', 'active: true, previous_keys: [old]');

interface Given {
  readonly flags?: string;
  /** Days after the start. */
  readonly now: number;
  readonly reach?: Moment['reach'];
  /** Absent: what an apply on day 0 recorded. */
  readonly recorded?: readonly Reached[];
  readonly live?: readonly Flag[];
  /** Whether runs of ours made what is live; absent: they did. */
  readonly isMade?: boolean;
  readonly override?: readonly string[];
  /** The newest recorded write of each value. */
  readonly write?: LastWrite;
}

const percentageIn = (fields: unknown): JsonValue | undefined => {
  const { filters } = fields as { readonly filters?: { readonly groups: readonly Record<string, JsonValue>[] } };
  return filters?.groups[0]?.['rollout_percentage'];
};

async function now({
  flags = FLAGS,
  now: days,
  reach = 'due',
  recorded = recordAt(flags, 0),
  live,
  isMade = true,
  override,
  write,
}: Given): Promise<{
  readonly desired: DesiredState;
  readonly progress: readonly Reached[];
  readonly same: readonly boolean[];
}> {
  const desired = stateAt(flags, momentAt(days, { reach: 'planned' }));
  const project = {
    service: 'remote',
    name: 'main',
    roles: {},
    cohorts: {},
    moment: momentAt(days, { reach: 'planned' }),
  };
  const loaded = { config: { projects: { main: project } }, project };
  const facts = { kind: 'commit', commit: 'c'.repeat(40), from: 'ref', rollouts: recorded };
  const found = await desiredNow({
    ...{ loaded, desired, git: { base: { facts } } },
    files: [parseManifest('flags.yaml', `flags:\n${flags}`).file],
    live: { flags: live ?? liveOf(stateAt(flags, momentAt(0))), roleAccess: {} },
    moment: { now: momentAt(days).now, reach },
    findWrites: async (values: readonly unknown[]) => new Map(values.map((one) => [one, write])),
    findApproved: async (values: readonly unknown[]) => (isMade ? values : []),
    override,
  } as never);
  const { moment } = found.loaded.project;
  return {
    desired: found.desired,
    progress: moment?.progress ?? [],
    same: [found.desired === desired, (found.loaded as unknown) === loaded],
  };
}

async function percentage(given: Given): Promise<JsonValue | undefined> {
  const [flag] = (await now(given)).desired.flags;
  return flag?.kind === 'declared' ? percentageIn(flag.fields) : undefined;
}

/** The live flag with a percentage that nobody recorded. */
const liveAt = (percent: number | undefined, more: object = {}, key = 'a'): readonly Flag[] =>
  liveOf(stateAt(FLAGS, momentAt(0))).map((flag) => {
    const group = { properties: [], ...(percent === undefined ? {} : { rollout_percentage: percent }) };
    return { ...flag, key, filters: { groups: [group] }, ...more } as Flag;
  });

const PRO = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };

test('a state without rollouts is that of the manifests', async () => {
  expect((await now({ flags: '  a: { active: true }\n', now: 2 })).same).toEqual([true, true]);
});

test.each<[string, Given, number]>([
  ['the next step where it is due', { now: 1.5 }, 10],
  ['no step before its time', { now: 0.5 }, 0],
  ['what was applied, in a run that makes no step', { now: 1.5, reach: 'applied' }, 0],
  [
    'what was applied, though it came later than now',
    { now: 0.5, reach: 'applied', recorded: recordAt(FLAGS, 1.5, recordAt(FLAGS, 0)) },
    10,
  ],
  [
    'the plan of a time, whatever was applied later',
    { now: 0.5, reach: 'planned', recorded: recordAt(FLAGS, 1.5, recordAt(FLAGS, 0)) },
    0,
  ],
  ['the plan of a time that is to come', { now: 3.5, reach: 'planned' }, 50],
])('a rollout declares %s', async (_, given, percent) => {
  expect(await percentage(given)).toBe(percent);
});

describe('a due step whose value a run wrote last', () => {
  const due = { now: 1.5, live: liveAt(0) };

  test.each<[string, LastWrite]>([
    ['`off` set what the flag has', { by: 'off', after: 0 }],
    ['`off` wrote something around the value', { by: 'off' }],
    ['an undo took the step back', { by: 'undo', before: 10, after: 0 }],
  ])('waits where %s, unless the run overrides it', async (_, write) => {
    expect(await percentage({ ...due, write })).toBe(0);
    expect((await now({ ...due, write })).progress[0]).toMatchObject({ stays: true, taken_back: true });
    expect(await percentage({ ...due, write, override: ['a'] })).toBe(10);
  });

  test('waits where an undo took back an earlier step that no run recorded, and the rollout jumps over it', async () => {
    const jumping = { ...due, flags: FLAGS.replace('steps:', 'catch_up: latest, steps:'), now: 3.5 };
    expect(await percentage({ ...jumping, write: { by: 'undo', before: 10, after: 0 } })).toBe(0);
    expect(await percentage({ ...jumping, write: { by: 'apply', before: 10, after: 0 } })).toBe(50);
  });

  test.each<[string, LastWrite]>([
    ['an apply wrote it', { by: 'apply', after: 0 }],
    ['`off` set another value', { by: 'off', after: 5 }],
    ['an undo took another value back', { by: 'undo', before: 33, after: 0 }],
  ])('is made where %s', async (_, write) => {
    expect(await percentage({ ...due, write })).toBe(10);
  });
});

describe('a live value of a later step', () => {
  test('is that of the condition for the same people, wherever it is', async () => {
    const groups = [
      { properties: [PRO], rollout_percentage: 5 },
      { properties: [], rollout_percentage: 50 },
    ];
    const given = { now: 1.5, live: liveAt(0, { filters: { groups } }), isMade: false };
    expect((await now(given)).progress[0]).toMatchObject({ step: 1, unknown_origin: true });
  });

  test('is where the rollout is, and is told of as found', async () => {
    const given = { now: 1.5, live: liveAt(50) };
    expect(await percentage(given)).toBe(50);
    expect((await now(given)).progress).toMatchObject([
      { key: 'a', step: 1, found_live: true },
      { key: 'a', step: -1 },
    ]);
  });

  test('that no run made is told of as such, and taken back only where the run overrides it', async () => {
    const given = { now: 1.5, live: liveAt(50), isMade: false };
    expect((await now(given)).progress[0]).toMatchObject({ step: 1, found_live: true, unknown_origin: true });
    expect(await percentage(given)).toBe(50);
    expect(await percentage({ ...given, override: ['a'] })).toBe(0);
  });

  test.each<[string, Given]>([
    ['of a flag with other edits', { now: 1.5, live: liveAt(50, { active: false }) }],
    ['of a flag that is renamed', { flags: RENAMED, now: 1.5, live: liveAt(50, {}, 'old') }],
  ])('%s stays as it is', async (_, given) => {
    expect(await percentage(given)).toBe(50);
  });

  test('is all people where the condition has no percentage', async () => {
    expect(await percentage({ now: 1.5, live: liveAt(undefined) })).toBe(100);
  });

  test.each<[string, Given]>([
    [
      'of one of two conditions for the same people',
      { now: 1.5, live: liveAt(50, { filters: { groups: [{ rollout_percentage: 50 }, {}] } }) },
    ],
    [
      'of a condition for other people',
      { now: 1.5, live: liveAt(50, { filters: { groups: [{ properties: [PRO], rollout_percentage: 50 }] } }) },
    ],
    ['of no step', { now: 1.5, live: liveAt(33) }],
    ['of no flag', { now: 1.5, live: [] }],
  ])('%s changes nothing', async (_, given) => {
    expect(await percentage(given)).toBe(10);
  });

  test('changes nothing of the plan of a time', async () => {
    expect(await percentage({ now: 1.5, reach: 'planned', live: liveAt(50) })).toBe(10);
  });

  test('of a member of the flag itself is found too', async () => {
    const flags = `  a: { rollout_percentage: 10, active: { from: false, ${steps([1, true], [3, false], [5, true]).slice(2)} }\n`;
    const [flag] = (await now({ flags, now: 0.5, live: liveOf(stateAt(flags, momentAt(1.5))) })).desired.flags;
    expect(flag).toMatchObject({ fields: { active: true } });
  });
});
