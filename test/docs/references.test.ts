/** The page docs/references.md: its commands print what it shows, and the references of one repository reach another. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createRepository } from '../helpers/repository.ts';

const TEXT = readFileSync(path.join(import.meta.dirname, '../../docs/references.md'), 'utf8');
const FILES = Object.fromEntries(
  [...TEXT.matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(([, name = '', text = '']) => [name, text]),
);
const CONFIG = `projects: { main: { host: https://eu.posthog.com, project_id: '1' } }\n`;
const SHOWN = /```console\n\$ flagwright refs\n(.*?)```/s.exec(TEXT)?.[1] ?? '';
const commandOf = (word: string): readonly string[] =>
  (new RegExp(`\\$ flagwright (refs .*${word}.*)`).exec(TEXT)?.[1] ?? '').split(' ');

test('the first example prints what the page shows', async () => {
  const { root } = createRepository({ 'flagwright.yaml': CONFIG, ...FILES });
  expect(await cli(['refs'], { cwd: root })).toMatchObject({ code: 0, stdout: SHOWN });
});

test('a repository of code exports its references, and that of the flags knows them', async () => {
  const code = createRepository({ 'src/banner.ts': FILES['src/banner.ts'] ?? '' });
  code.git('remote', 'add', 'origin', 'https://github.com/acme/web.git');
  const sources = 'refs: { sources: [{ repository: github.com/acme/web, file: references/web.json }] }\n';
  const flags = createRepository({
    'flagwright.yaml': CONFIG + sources,
    'flags/a.yaml': FILES['flags/checkout.yaml'] ?? '',
  });
  expect(await cli(commandOf('flags.json'), { cwd: flags.root })).toMatchObject({ code: 0 });
  code.write('flags.json', flags.read('flags.json'));
  expect(await cli(commandOf('export'), { cwd: code.root })).toMatchObject({ code: 0 });
  flags.write('references/web.json', code.read('references.json'));
  const { stdout } = await cli(['refs'], { cwd: flags.root });
  expect(stdout).toContain('github.com/acme/web: src/banner.ts:3:54  call of the SDK');
  expect(stdout).toContain('References: 2 of 3 flags read · 1 not found');
});
