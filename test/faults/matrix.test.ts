/**
 * Every fault with every kind of write at the first, a middle and the last change: nothing twice, nothing lost, each outcome
 * true, the others not stopped, and the next run converges. `FAULTS=long` runs every cell in both profiles; otherwise each
 * pair of fault and kind is tried once, at a stage and in a profile that change from pair to pair.
 */

import { env } from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import type { ChangeResult } from '../../src/apply/result.ts';
import type { FaultRule } from '../../src/embedded/faults/script.ts';
import type { Profile } from '../../src/embedded/service.ts';
import { FAULTS, type Fault } from './catalogue.ts';
import { KEYS, KINDS, setUp, wantedOf, type Kind } from './kinds.ts';
import { expectConvergence, look, startRig, type Seen } from './rig.ts';

interface Cell {
  readonly profile: Profile;
  readonly stage: number;
}

const PROFILES: readonly Profile[] = ['documented', 'posthog'];
const ALL_CELLS: readonly Cell[] = PROFILES.flatMap((profile) => KEYS.map((_key, stage) => ({ profile, stage })));

const pairs = FAULTS.flatMap((fault, row) =>
  KINDS.map((kind, column) => {
    // Six cells, and one more than a multiple of them each step: every cell has its turn in every row and column.
    const cells = env['FAULTS'] === 'long' ? ALL_CELLS : [ALL_CELLS[(row * 5 + column) % ALL_CELLS.length] as Cell];
    return { fault, kind, cells, name: `${fault.name} × ${kind.name}` };
  }),
);

let tried = 0;
let survived = 0;
// eslint-disable-next-line no-console -- the figure is what this file is run for
afterAll(() => console.log(`faults: ${tried} tried, ${survived} survived`));

describe.concurrent('matrix', () => {
  test.each(pairs)('$name', async ({ fault, kind, cells }) => {
    for (const cell of cells) {
      tried += 1;
      await runCell(fault, kind, cell);
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
    const { ourActivity: before } = await look(honest);
    const faulty = await rig.startFaulty(rulesOf(fault, kind, stage));
    const { changes, remainder, verified } = await faulty.apply(plan);
    await settled(fault);
    const seen = await look(honest);
    const context = `${profile}, change ${stage + 1} of ${KEYS.length}: ${JSON.stringify(changes.map(({ result }) => result))}`;
    const done = changes.map(({ change }) =>
      kind.isDone(flagOf(seen, change.key, kind), seen.rolesOf(flagOf(seen, change.key, kind))),
    );
    changes.forEach((entry, index) => {
      const told = remainder.some(({ ref }) => ref === entry.change.ref);
      expectTruth(entry, { isDone: done[index] === true, told: fault.lies === true && told, context });
      if (index !== stage) expect(entry.result.outcome, context).toBe('applied');
    });
    const wanted = kind.name === 'revoke' ? (fault.ofRevoke ?? fault.outcome) : fault.outcome;
    if (wanted !== undefined) expect(changes[stage]?.result.outcome, context).toBe(wanted);
    expect(verified, context).toBe(fault.blind !== true);
    if (fault.lies !== true) expect(remainder, context).toEqual([]);
    expectOnce(kind, { seen, before, done, context });
    await expectConvergence(honest, wantedOf(kind));
  } finally {
    await rig.close();
  }
}

/** The rule about the n-th write, where the changes are made one after the other. */
function rulesOf(fault: Fault, kind: Kind, stage: number): FaultRule[] {
  const { effects, attempts, forMs, blind } = fault;
  const readsBefore = 1 + (['grant', 'revoke', 'restore'].includes(kind.name) ? KEYS.length : 0);
  return [
    {
      match: { operation: kind.operation },
      from: stage + 1,
      ...(forMs === undefined ? { count: attempts ?? 1 } : { for_ms: forMs }),
      ...effects,
    },
    ...(blind === true
      ? [{ match: { access: 'read' as const }, from: readsBefore + 1, count: 1_000_000, answer: { status: 500 } }]
      : []),
  ];
}

/** A request that was given up may still be carried out later; its moment has passed by then. */
async function settled({ effects: { latency } }: Fault): Promise<void> {
  if (latency !== undefined) await new Promise((resolve) => setTimeout(resolve, latency.ms));
}

function flagOf(seen: Seen, key: string, kind: Kind): Seen['flags'][number] | undefined {
  const before = kind.name === 'rename' ? key.replace(/-renamed$/, '') : key;
  return seen.flags.find((flag) => flag.key === key || flag.key === before);
}

function expectTruth(
  { result }: ChangeResult,
  { isDone, told, context }: { readonly isDone: boolean; readonly told: boolean; readonly context: string },
): void {
  switch (result.outcome) {
    case 'applied':
      if (!told) expect(isDone, `applied means done; ${context}`).toBe(true);
      return;
    case 'failed':
    case 'pending':
    case 'skipped':
      expect(isDone, `${result.outcome} means not done; ${context}`).toBe(false);
      return;
    case 'unknown':
      return;
    default:
      return result satisfies never;
  }
}

interface Written {
  readonly seen: Seen;
  readonly before: readonly string[];
  readonly done: readonly boolean[];
  readonly context: string;
}

/** One entry in the log for each flag that was changed, and one role access entry for each role that was granted. */
function expectOnce(kind: Kind, { seen, before, done, context }: Written): void {
  const writes = seen.ourActivity.slice(0, seen.ourActivity.length - before.length);
  const expected = done.filter(Boolean).length;
  if (kind.operation === 'createFlag' || kind.operation === 'updateFlag') {
    expect(writes, context).toHaveLength(expected);
    expect(new Set(writes).size, context).toBe(expected);
  } else {
    expect(writes, context).toEqual([]);
    for (const flag of seen.flags) expect(seen.rolesOf(flag).length, context).toBeLessThanOrEqual(1);
  }
}
