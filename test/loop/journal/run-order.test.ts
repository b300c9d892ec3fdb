/** Runs are ordered by what they followed, for any clocks, and for folders that were joined. */

import { mkdtemp, readFile, rm, writeFile, copyFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { listRuns, orderRuns, readOrder } from '../../../src/loop/journal/run-order.ts';
import { beginJournal } from '../../../src/loop/journal/write.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveState, planFor } from '../../helpers/states.ts';

type Step =
  | { readonly kind: 'run'; readonly machine: number; readonly clock: number }
  /** All journals of one machine are copied to another one. */
  | { readonly kind: 'join'; readonly from: number; readonly to: number };

const machine = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  // Few clocks, so that many are equal or go back.
  { arbitrary: fc.record({ kind: fc.constant('run' as const), machine, clock: fc.nat({ max: 4 }) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('join' as const), from: machine, to: machine }), weight: 1 },
);

/** What happened: for each run, all runs that were in the folder when it began. */
class Past {
  readonly #seen = new Map<string, ReadonlySet<string>>();

  add(name: string, folder: Iterable<string>): void {
    this.#seen.set(name, new Set(folder));
  }

  isAfter(name: string, other: string): boolean {
    return this.#seen.get(name)?.has(other) === true;
  }
}

function expectOrder(names: readonly string[], past: Past, follows: (run: string, other: string) => boolean): void {
  for (const [index, newer] of names.entries()) {
    for (const [place, other] of names.entries()) {
      if (newer === other) continue;
      if (past.isAfter(newer, other)) expect(index).toBeLessThan(place);
      expect(follows(newer, other)).toBe(past.isAfter(newer, other));
    }
  }
}

const nameAt = (clock: number, suffix: number): string =>
  `2026010${clock + 1}T000000000Z-${suffix.toString(16).padStart(4, '0')}`;

test('any runs on any machines are listed in the order in which they followed each other', () => {
  holds(400, [fc.array(step, { maxLength: 14 }), fc.infiniteStream(fc.nat({ max: 0xffff }))], (steps, suffixes) => {
    const folders = [0, 1, 2].map(() => new Map<string, readonly string[]>());
    const past = new Past();
    for (const one of steps) {
      if (one.kind === 'join') {
        for (const [name, followed] of folders[one.from] ?? []) folders[one.to]?.set(name, followed);
        continue;
      }
      const folder = folders[one.machine] as Map<string, readonly string[]>;
      const name = nameAt(one.clock, suffixes.next().value);
      fc.pre(!folders.some((other) => other.has(name)));
      past.add(name, folder.keys());
      folder.set(name, orderRuns(folder).heads);
    }
    for (const folder of folders) {
      const { names, heads, follows } = orderRuns(folder);
      expectOrder(names, past, follows);
      expect(heads).toEqual(names.filter((name) => !names.some((other) => past.isAfter(other, name))));
    }
  });
});

test('runs that do not say what they followed are ordered by their names, before those that followed them', () => {
  const old = ['20260103T000000000Z-0000', '20260102T000000000Z-0000', '20260101T000000000Z-0000'];
  const [newest = '', , oldest = ''] = old;
  expect(orderRuns(new Map(old.toReversed().map((name) => [name, undefined])))).toMatchObject({
    names: old,
    heads: [newest],
  });
  // The clock went back before the first run that says it.
  const back = '20251231T000000000Z-0000';
  const order = orderRuns(new Map([...old.map((name) => [name, undefined] as const), [back, [newest]]]));
  expect([order.names, order.heads, order.follows(back, oldest)]).toEqual([[back, ...old], [back], true]);
});

test('what contradicts itself is ordered by names and follows nothing twice', () => {
  const [a, b, c] = [nameAt(0, 1), nameAt(1, 1), nameAt(2, 1)];
  const { names, follows } = orderRuns(
    new Map([
      [a, [c, a]],
      [b, [a, 'unknown']],
      [c, [b]],
    ]),
  );
  expect(names).toEqual([c, b, a]);
  expect([follows(c, a), follows(a, c), follows(a, a)]).toEqual([true, false, false]);
});

test('journals on disk are listed in the order of what they followed, also after their folders were joined', async () => {
  const plan = planFor(desiredState(declared('a', { active: false })), liveState([]));
  const root = await mkdtemp(path.join(tmpdir(), 'flagwright-order-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  let suffix = 0;
  const begin = async (folder: string, clock: number): Promise<string> => {
    suffix += 1;
    const options = { now: () => new Date(Date.UTC(2026, 0, 1 + clock)), random: () => suffix / 0x10000 };
    const journal = await beginJournal(plan, { folder: path.join(root, folder), ...options });
    await journal.end(undefined);
    return journal.run;
  };
  const [first, second, third] = [await begin('one', 5), await begin('one', 2), await begin('one', 2)];
  expect(await listRuns(path.join(root, 'one'))).toEqual([third, second, first]);
  const other = await begin('two', 9);
  for (const file of await readdir(path.join(root, 'one')))
    await copyFile(path.join(root, 'one', file), path.join(root, 'two', file));
  expect((await readOrder(path.join(root, 'two'))).heads).toEqual([other, third]);
  const last = await begin('two', 0);
  const { names, heads } = await readOrder(path.join(root, 'two'));
  expect([names, heads]).toEqual([[last, other, third, second, first], [last]]);
  const text = await readFile(path.join(root, 'two', `${last}.jsonl`), 'utf8');
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ kind: 'begun', follows: [other, third] });
  // A long list, and a file that says nothing.
  const many = Array.from({ length: 1_000 }, (_, index) => nameAt(0, index + 100));
  await writeFile(
    path.join(root, 'two', `${nameAt(0, 7)}.jsonl`),
    `{"follows":${JSON.stringify([...many, last])},"plan":{}}\n`,
  );
  await writeFile(path.join(root, 'two', `${nameAt(0, 8)}.jsonl`), 'not a record');
  expect((await readOrder(path.join(root, 'two'))).follows(nameAt(0, 7), first)).toBe(true);
});
