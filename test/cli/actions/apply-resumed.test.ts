/** What is left of a run that was cut off: which changes it still makes, and which it cannot. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stage, type Stage } from '../../helpers/stage.ts';

/** Applies the manifests, and takes the last records from the journal, as if the run had been killed then. */
async function cutOff({ run, workspace }: Stage, kept: number): Promise<string> {
  const ran = await run('apply', '-y', '-f', 'json', '--concurrency', '1');
  expect(ran.code).toBe(0);
  const name = (ran.document() as { run: string }).run;
  const file = path.join(workspace.root, '.flagwright/journal', `${name}.jsonl`);
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${lines.slice(0, kept).join('\n')}\n`);
  return name;
}

const SECRET = `flags:
  a:
    active: true
    fields: { has_encrypted_payloads: true, is_remote_configuration: true }
    filters: { groups: [{ rollout_percentage: 100 }], payloads: { 'true': '"secret"' } }
`;

test('a run that writes encrypted payloads is not resumed, since no journal contains them', async () => {
  const staged = await stage(SECRET);
  const name = await cutOff(staged, 2);
  const { code, stderr } = await staged.run('apply', '--resume');
  expect([code, stderr]).toEqual([
    1,
    `error  Run ${name} cannot be resumed: it changes the encrypted payloads of a, which no journal contains.\n  → Run \`flagwright apply\` again: it plans the remaining changes.\n`,
  ]);
});

test('a run whose encrypted payloads are written already is resumed: only what is left counts', async () => {
  const staged = await stage(`${SECRET}  b: { active: true, rollout_percentage: 2 }\n`);
  // The plan, and the beginning and the end of the first change.
  const name = await cutOff(staged, 4);
  const resumed = await staged.run('apply', '--resume', '-f', 'json');
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(resumed.document()).toMatchObject({ run: name });
  expect((await staged.run('plan', '-f', 'json')).document()).toMatchObject({ changes: [] });
});
