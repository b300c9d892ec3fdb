/** Every report that shows a step names the guard that it waits for, and why. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG } from '../helpers/git-stage.ts';
import { begunGuarded, verdict } from '../helpers/guarded.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import type { TimedStage } from '../helpers/timed-stage.ts';

const config = `${CONFIG}guards:\n  budget: { verdict: error-budget, patience: 3h }\n`;

/** At 10%, and the next step is due and held. */
async function held(): Promise<TimedStage> {
  const staged = await begunGuarded(config);
  staged.write('verdicts.json', verdict('hold', 4.5, '4% of requests fail'));
  return staged;
}

const WORDS = 'budget holds: the verdict error-budget says hold: 4% of requests fail';

test('a step that waits is named with its guard and the reason', async () => {
  const { runAt } = await held();
  const out = path.join(mkdtempSync(path.join(tmpdir(), 'flagwright-shown-')), 'out');
  const missing: string[] = [];
  for (const argv of [['plan'], ['drift'], ['apply', '--due'], ['explain', 'checkout']]) {
    const forms = ['markdown', 'html', 'message', 'slack', 'teams'];
    const also = argv[0] === 'explain' ? [] : forms;
    const ran = await runAt(
      5,
      ...argv,
      '--verdicts',
      'verdicts.json',
      ...also.flatMap((form) => ['--report', `${form}=${out}.${form}`]),
    );
    const texts = [['text', ran.stdout], ...also.map((form) => [form, readFileSync(`${out}.${form}`, 'utf8')])];
    for (const [form = '', text = ''] of texts) if (!text.includes(WORDS)) missing.push(`${argv.join(' ')} ${form}`);
    const { stdout } = await runAt(5, ...argv, '--verdicts', 'verdicts.json', '-f', 'json');
    expect(stdout).toContain('"says": "hold"');
  }
  expect(missing).toEqual([]);
});

test.each([
  ['a rollout', 'flags/main.yaml', / +guard: .*\n/],
  ['the configuration', 'flagwright.yaml', / verdict: error-budget,/],
])('explain asks the guard that a change of %s loosens, as a plan does', async (_, file, removed) => {
  const { runAt, write, root } = await held();
  write(
    file,
    readFileSync(path.join(root, file), 'utf8').replace(removed, file.startsWith('flags/') ? '' : ' verdict: other,'),
  );
  for (const argv of [['plan'], ['explain', 'checkout']])
    expect((await runAt(5, ...argv, '--verdicts', 'verdicts.json')).stdout).toContain(WORDS);
});

test('the catalog asks the guards as a plan does', async () => {
  const { runAt } = await held();
  for (const form of ['html', 'json']) {
    const { stdout, code } = await runAt(5, 'catalog', '--verdicts', 'verdicts.json', '-f', form);
    expect(stdout).toContain(`It waits: ${WORDS}`.slice(form === 'json' ? 'It waits: '.length : 0));
    expect(code).toBe(0);
  }
  const missing = await runAt(5, 'catalog', '--verdicts', 'absent.json', '-f', 'json');
  expect(missing.stdout).toContain('the file of `--verdicts` cannot be read');
  const offline = await runAt(5, 'catalog', '--declared', '--verdicts', 'verdicts.json', '-f', 'json');
  expect(offline.stderr).toContain('--declared and --verdicts cannot be used together.');
  expect(offline.code).toBe(1);
});

test('the catalog and explain tell what is not known where no file is given, and explain asks nothing offline', async () => {
  const { runAt } = await held();
  const unknown = 'budget does not know: the verdict error-budget is in no file';
  for (const argv of [
    ['catalog', '-f', 'html'],
    ['catalog', '-f', 'json'],
    ['explain', 'checkout'],
  ])
    expect((await runAt(5, ...argv)).stdout).toContain(unknown);
  const offline = (await runAt(5, 'explain', 'checkout', '--offline')).stdout;
  expect(offline).toContain('guarded by budget');
  expect(offline).not.toContain('does not know');
  const document = (await runAt(5, 'explain', 'checkout', '-f', 'json')).document();
  expect(schemaErrors('explain', document)).toEqual([]);
  expect(document['rollouts']).toMatchObject([
    { key: 'checkout', waits: 'guarded', guard_readings: [{ why: 'not_given' }] },
  ]);
});
