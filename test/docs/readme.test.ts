/** The README's transcripts: each command in a `console` block has the output that the block shows. */

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GIT_ENV } from '../helpers/repository.ts';
import { openWorld } from '../helpers/world.ts';

const root = path.join(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

interface Step {
  readonly command: string;
  readonly output: string;
}

function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n').trimEnd() };
    });
}

/** Matches the output literally, except that `…` matches the rest of its line. */
function pattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'));
  return new RegExp(`^${lines.join('\n')}$`);
}

const transcripts = [...readme.matchAll(/<!-- transcript: (\S+) -->\s+```console\n(.*?)```/gs)];

const run = promisify(execFile);

const { PATH: _, ...IDENTITY } = GIT_ENV;

/** A folder in which `command` runs the built flagwright; `npx` has the name as its first argument. */
function workplace(command: 'flagwright' | 'npx'): { folder: string; env: Record<string, string> } {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shift = command === 'npx' ? 'shift\n' : '';
  const script = `#!/bin/sh\n${shift}exec "${process.execPath}" "${root}/dist/cli/bin.js" "$@"\n`;
  writeFileSync(path.join(folder, command), script, { mode: 0o755 });
  return { folder, env: { HOME: folder, PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`, NO_COLOR: '1', ...IDENTITY } };
}

function turnOff(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace('active: true', 'active: false'));
}

describe('the README', () => {
  it('has a transcript', () => expect(transcripts.length).toBeGreaterThan(0));

  it.each(transcripts.map(([, folder = '', block = '']) => ({ folder, steps: stepsOf(block) })))(
    'shows the real output in $folder',
    ({ folder, steps }) => {
      const { folder: copy, env: own } = workplace('flagwright');
      // A clean home: the commands say who commits.
      const env = Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(IDENTITY, name)));
      cpSync(path.join(root, folder), copy, { recursive: true });
      const [, section = ''] = readme.split('## A first plan');
      const [commitAll = ''] = /^git init .*$/m.exec(section) ?? [];
      execFileSync('sh', ['-ec', commitAll], { cwd: copy, env });
      for (const { command, output } of steps) {
        const found = execFileSync('sh', ['-c', `${command} 2>&1`], { cwd: copy, env, encoding: 'utf8' });
        expect(found.trimEnd(), command).toMatch(pattern(output));
      }
    },
  );

  it('makes the command of the transcript available in a clone', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-readme-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [, section = ''] = readme.split('## A first plan');
    const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
    const script = `${block.replaceAll('/tmp/quickstart', path.join(folder, 'quickstart'))}flagwright validate\n`;
    const env = { HOME: folder, PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, NO_COLOR: '1', ...IDENTITY };
    expect(execFileSync('sh', ['-e', '-c', script], { cwd: root, env, encoding: 'utf8' })).toContain('no problems');
  });

  it('leads to a project in sync and then to a first change, with the commands of "On your project"', async () => {
    const world = await openWorld('posthog');
    await world.client.createFlag({ key: 'live-already', active: true, tags: ['old'] });
    const { folder, env } = workplace('npx');
    execFileSync('git', ['init', '-q'], { cwd: folder, env });
    const [, section = ''] = readme.split('## On your project');
    const commands = [...(section.split('\n## ')[0] ?? '').matchAll(/```sh\n(.*?)```/gs)]
      .flatMap(([, block = '']) => block.trim().split('\n'))
      .filter((command) => !command.startsWith('npm '))
      .map((command) => command.replace('https://us.posthog.com --project-id 5678', `${world.url} --project-id 1`));
    const outputs: string[] = [];
    let exported = '';
    for (const command of commands) {
      const key = command.startsWith('export ') ? '' : 'export POSTHOG_API_KEY=phx_test; ';
      const { stdout } = await run('sh', ['-c', `${key}${command}`], { cwd: folder, env });
      outputs.push(stdout);
      if (command.includes(' export ')) [exported = ''] = /flags\/\S+/.exec(stdout) ?? [];
      if (stdout.includes('In sync: 1 flag matches the manifests')) turnOff(path.join(folder, exported));
    }
    expect(outputs.at(-3)).toContain('In sync: 1 flag matches the manifests');
    expect(outputs.at(-2)).toContain('Plan: 1 to update');
    expect(outputs.at(-1)).toContain('Applied 1 change');
    expect(await world.client.listFlags()).toEqual([
      expect.objectContaining({ key: 'live-already', active: false, tags: ['old'] }),
    ]);
  });

  it('leads to each page of docs, by a link of its own or of a page that it leads to', () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file) || !existsSync(path.join(root, file))) return;
      reached.add(file);
      for (const [, target = ''] of readFileSync(path.join(root, file), 'utf8').matchAll(/\]\((?!https:)([^)#]+\.md)/g))
        visit(path.join(path.dirname(file), target));
    };
    visit('README.md');
    const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
    expect(pages.filter((name) => name.endsWith('.md') && !reached.has(path.join('docs', name)))).toEqual([]);
  });

  it('has at most 1,000 words', () => expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1000));

  it.each([...readme.matchAll(/\]\((?!https:)([^)#]+)\)/g)].map(([, target = '']) => target))(
    'links to %s, which exists',
    (target) => {
      expect(() => readFileSync(path.join(root, target))).not.toThrow(/ENOENT/);
    },
  );
});
