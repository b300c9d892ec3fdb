/** Options that contradict each other are refused before anything is read or asked. */

import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const LOSES = 'A file that is overwritten loses the flags that the export does not select.';
const OPENFEATURE = 'export --format openfeature';

test.each<[line: string, message: string, remedy: string]>([
  ['export --minimal --full', '--minimal and --full', 'Without either, drift reports every edit'],
  [
    'export --merge --unmanaged',
    '--merge and --unmanaged',
    '--merge also declares the flags that no manifest declares.',
  ],
  ['export --merge --force', '--merge and --force', `${LOSES} Omit --force; --merge overwrites no file.`],
  ['export --unmanaged --force', '--unmanaged and --force', `${LOSES} Omit --force; --unmanaged overwrites no file.`],
  ['export --target a --force', '--target and --force', `${LOSES} Omit --force; --target overwrites no file.`],
  ['off a --dependents --zero', '--dependents and --zero', ''],
  [`${OPENFEATURE} --dry-run`, '--dry-run and --format openfeature', 'Remove --dry-run'],
  [`${OPENFEATURE} --role-access`, '--role-access and --format openfeature', 'Remove --role-access'],
  [`${OPENFEATURE} --target a`, '--target and --format openfeature', 'Remove --target'],
])('%s', async (line, both, remedy) => {
  const ran = await runCli(line.split(' '), { cwd: createWorkspace().root });
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toContain(`${both} cannot be used together.`);
  expect(ran.stderr).toContain(remedy);
});

test('a document of OpenFeature is no report beside another', async () => {
  const argv = [...OPENFEATURE.split(' '), '--report', 'json=report.json'];
  const ran = await runCli(argv, { cwd: createWorkspace().root });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('The format openfeature cannot be used together with another format.');
  expect(ran.stderr).toContain('Run the command once with --format openfeature, and once without.');
});

test.each([
  ['refs --out a.json', '--out needs: refs export.'],
  ['refs --repository acme/app', '--repository needs: refs export.'],
  ['refs --out a.json --repository acme/app', '--out and --repository needs: refs export.'],
  ['refs export --check', 'refs export has no --check.'],
  ['refs export --check --target a', 'refs export has no --check and --target.'],
])('%s', async (line, message) => {
  const ran = await runCli(line.split(' '), { cwd: createWorkspace().root });
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toContain(`error  ${message}`);
});
