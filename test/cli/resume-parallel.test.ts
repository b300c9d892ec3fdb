/** Several processes that resume one killed run at the same moment: one of them does, and no request is sent twice. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CliResult } from '../helpers/cli.ts';
import {
  activityOf,
  CHANGES,
  FLAGS,
  killAt,
  manifest,
  PERMITTED,
  scene,
  twice,
  type Scene,
} from '../helpers/killed-run.ts';
import { runs } from '../helpers/runs.ts';

const ROUNDS = runs(3);

test(`2 or 3 processes at once, ${ROUNDS} rounds: each change is sent once, and the losers say why they did nothing`, async () => {
  const staged = await scene('posthog');
  expect((await staged.run('apply', '-y')).code).toBe(0);
  for (let round = 1; round <= ROUNDS; round += 1) {
    staged.workspace.write('flags/main.yaml', manifest(round % 2 === 1 ? 'after' : 'before'));
    const write = 1 + ((round * 7) % CHANGES);
    await killAt(staged, ['apply', '-y', ...PERMITTED], { write, when: round % 2 === 1 ? 'after' : 'before' });
    const resumed = await Promise.all(
      Array.from({ length: 2 + (round % 2) }, () => staged.runBuilt('apply', '--resume', '-f', 'json')),
    );
    for (const result of resumed) expectWonOrLost(result);
    expect(
      resumed.map(({ code }) => code),
      `round ${round}`,
    ).toContain(0);
    expect(sentTwice(staged), `round ${round}`).toEqual([]);
    expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await staged.run('history')).stdout).not.toMatch(/interrupted|incomplete|unreadable/);
  }
  expect(twice(await activityOf(staged.client)).filter((entry) => entry.endsWith('created'))).toEqual([]);
});

function expectWonOrLost({ code, stdout, stderr, signal }: CliResult): void {
  expect([0, 4], stderr).toContain(code);
  expect(signal).toBe(null);
  if (code === 4) {
    expect(stderr).toContain('Another process is executing this run; nothing was sent.');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'refused' } });
    return;
  }
  const { changes } = JSON.parse(stdout) as { changes: unknown[] };
  expect([0, CHANGES, FLAGS]).toContain(changes.length);
}

/** The number of changes that the processes resuming the newest run sent more than once, over all of them. */
function sentTwice({ workspace }: Scene): string[] {
  const folder = path.join(workspace.root, '.flagwright/journal');
  const journals = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  const text = readFileSync(path.join(folder, journals.toSorted().at(-1) as string), 'utf8');
  const resumed = text.slice(text.indexOf('"kind":"resumed"'));
  return twice([...resumed.matchAll(/"kind":"sending","ref":"([^"]+)"/g)].map(([, ref]) => ref as string).toSorted());
}
