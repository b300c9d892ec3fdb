/** Real processes that take over one lock at the same moment. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runs } from '../helpers/runs.ts';

const RACER = fileURLToPath(new URL('../helpers/lock-racer.mjs', import.meta.url));
const RACERS = 4;
const ROUNDS = runs(25);
/** A process id that no system assigns. */
const NOBODY = 2 ** 30;

test.each([
  ['that no process held', 0],
  ['whose holder is gone', 1],
  ['that was taken over before', 3],
])(`a lock %s has one taker of ${RACERS}, in each of ${ROUNDS} rounds`, async (_name, stale) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-race-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const racers = Array.from({ length: RACERS }, () => fork(RACER));
  onTestFinished(() => racers.forEach((racer) => racer.kill()));
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = path.join(folder, `${round}.lock`);
    for (let generation = 1; generation <= stale; generation += 1) {
      mkdirSync(`${file}.${generation}`);
      writeFileSync(path.join(`${file}.${generation}`, 'holder.json'), JSON.stringify({ pid: NOBODY, host: 'here' }));
    }
    const at = Date.now() + 3;
    const answers = await Promise.all(racers.map((racer) => ask(racer, { file, at })));
    expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'refused')).toHaveLength(RACERS - 1);
    await Promise.all(racers.map((racer) => ask(racer, {})));
  }
});

async function ask(racer: ChildProcess, message: object): Promise<unknown> {
  racer.send(message);
  const [answer] = (await once(racer, 'message')) as unknown[];
  return answer;
}
