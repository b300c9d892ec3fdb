/**
 * Every fault with every operation that writes, at the first, the middle or the last change: no write twice, none lost, every
 * outcome true, other changes unaffected, and the next run converges. `FAULTS=long` runs every fault with every kind of write at
 * every change in both profiles; otherwise the kinds of one operation, and the changes, take turns.
 */

import { env, stdout } from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import type { FaultRule, Profile } from '../../service/src/index.ts';
import { FAULTS, type Fault } from './catalogue.ts';
import { isDone, KEYS, KINDS, operationOf, setUp, wantedOf, type Kind } from './kinds.ts';
import { expectConvergence, expectOnce, expectTruth, look, startRig, type Seen } from './rig.ts';

interface Cell {
  readonly profile: Profile;
  readonly stage: number;
}

interface Row {
  readonly fault: Fault;
  readonly kind: Kind;
  readonly profile: Profile;
  readonly stages: readonly number[];
}

const STAGES = [...KEYS.keys()];
const rows = (env['FAULTS'] === 'long' ? FAULTS.flatMap(everyKind) : FAULTS.flatMap(everyOperation)).map((row) => ({
  ...row,
  name: `${row.fault.name} × ${row.kind.name}, ${row.profile}`,
}));

function everyKind(fault: Fault): readonly Row[] {
  return (['documented', 'posthog'] as const).flatMap((profile) =>
    kindsIn(profile).map((kind) => ({ fault, kind, profile, stages: STAGES })),
  );
}

function everyOperation(fault: Fault, turn: number): readonly Row[] {
  const kinds: readonly (readonly [Profile, Kind])[] = [
    [at(['documented', 'posthog'], turn), at(kindsOf('createFlag', 'documented'), 0)],
    // Two of the seven kinds for each fault, so that each comes up in both profiles.
    ['documented', at(kindsOf('updateFlag', 'documented'), turn * 2)],
    ['posthog', at(kindsOf('updateFlag', 'posthog'), turn * 2 + 1)],
    ['documented', at(kindsOf('createRoleAccess', 'documented'), 0)],
    ['documented', at(kindsOf('deleteRoleAccess', 'documented'), 0)],
    // Slower than the stages, which have the same number.
    ['posthog', at(kindsOf('setAccess', 'posthog'), Math.floor(turn / 3))],
  ];
  return kinds.map(([profile, kind], column) => ({ fault, kind, profile, stages: [at(STAGES, turn + column)] }));
}

function kindsIn(profile: Profile): readonly Kind[] {
  return KINDS.filter(({ only = profile }) => only === profile);
}

function kindsOf(operation: Kind['operation'], profile: Profile): readonly Kind[] {
  return kindsIn(profile).filter((kind) => operationOf(kind, profile) === operation);
}

function at<Item>(items: readonly Item[], turn: number): Item {
  return items[turn % items.length] as Item;
}

let tried = 0;
let survived = 0;
afterAll(() => {
  stdout.write(`faults: ${tried} tried, ${survived} survived\n`);
});

describe.concurrent('matrix', () => {
  test.each(rows)('$name', async ({ fault, kind, profile, stages }) => {
    for (const stage of stages) {
      tried += 1;
      await runCell(fault, kind, { profile, stage });
      survived += 1;
    }
  });
});

async function runCell(fault: Fault, kind: Kind, { profile, stage }: Cell): Promise<void> {
  const rig = await startRig(profile);
  try {
    const { honest } = rig;
    const plan = await setUp(honest, kind);
    const action = ['filters', 'enable', 'disable', 'rename'].includes(kind.name) ? 'update' : kind.name;
    expect(plan.changes.map((change) => change.action)).toEqual(KEYS.map(() => action));
    const before = await look(honest);
    const faulty = await rig.startFaulty(rulesOf(fault, kind, { profile, stage }));
    const { changes, remainder, verified } = await faulty.apply(plan);
    await rig.settle();
    const seen = await look(honest);
    const context = `${profile}, change ${stage + 1} of ${KEYS.length}: ${JSON.stringify(changes.map(({ result }) => result))}`;
    const done = changes.map(({ change }) => isDone(kind, change.key, seen));
    changes.forEach(({ result: { outcome } }, index) => {
      expectTruth(outcome, { isDone: done[index] === true, reported: false, context });
      // Where a flag is read once more before its write, no read means no write.
      const isUnread = fault.blind === true && index > stage && isRefreshed(kind, profile);
      if (index !== stage) expect(outcome, context).toBe(isUnread ? 'failed' : 'applied');
    });
    const wanted =
      kind.name === 'revoke' && profile === 'documented' ? (fault.ofRevoke ?? fault.outcome) : fault.outcome;
    if (wanted !== undefined) expect(changes[stage]?.result.outcome, context).toBe(wanted);
    const isReadBack = changes.some(({ result }) => result.outcome === 'applied');
    expect(verified, context).toBe(fault.blind !== true || !isReadBack);
    expect(remainder, context).toEqual([]);
    expectOnce(seen, before, context);
    expectWrites(kind, { seen, before }, done.filter(Boolean).length);
    await expectConvergence(honest, wantedOf(kind));
  } finally {
    await rig.close();
  }
}

/** The rule for the n-th write, where the changes are made one after the other. */
function rulesOf(fault: Fault, kind: Kind, { profile, stage }: Cell): FaultRule[] {
  const { effects, attempts, forMs, blind } = fault;
  // Where all flags are deleted the list is empty, and the archive is read as well.
  const lists = kind.name === 'restore' ? 2 : 1;
  const readsBefore = lists + (['grant', 'adjust', 'revoke', 'restore'].includes(kind.name) ? KEYS.length : 0);
  const refreshed = isRefreshed(kind, profile) ? stage + 1 : 0;
  return [
    {
      match: { operation: operationOf(kind, profile) },
      from: stage + 1,
      ...(forMs === undefined ? { count: attempts ?? 1 } : { for_ms: forMs }),
      ...effects,
    },
    ...(blind === true
      ? [
          {
            match: { access: 'read' as const },
            from: readsBefore + refreshed + 1,
            count: 1_000_000,
            answer: { status: 500 },
          },
        ]
      : []),
  ];
}

/** The documented service has no lock, so each flag is read once more before it is written. */
function isRefreshed({ name, operation }: Kind, profile: Profile): boolean {
  return profile === 'documented' && operation === 'updateFlag' && name !== 'create';
}

/** The log has one entry for each changed flag, and none for role access. */
function expectWrites(
  kind: Kind,
  { seen, before }: { readonly seen: Seen; readonly before: Seen },
  done: number,
): void {
  const isFlag = kind.operation === 'createFlag' || kind.operation === 'updateFlag';
  expect(seen.ourActivity.length - before.ourActivity.length).toBe(isFlag ? done : 0);
}
