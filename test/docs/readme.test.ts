/** The README's transcripts are run: each command in its `console` blocks, with the output that stands below it. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit.ts';

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

/** What stands for itself, save for `…`, which stands for the rest of its line. */
function pattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'));
  return new RegExp(`^${lines.join('\n')}$`);
}

const transcripts = [...readme.matchAll(/<!-- transcript: (\S+) -->\s+```console\n(.*?)```/gs)];

describe('the README', () => {
  it('has a transcript', () => expect(transcripts.length).toBeGreaterThan(0));

  it.each(transcripts.map(([, folder = '', block = '']) => ({ folder, steps: stepsOf(block) })))(
    'shows what really happens in $folder',
    ({ folder, steps }) => {
      const copy = mkdtempSync(path.join(tmpdir(), 'flaghoist-readme-'));
      cpSync(path.join(root, folder), copy, { recursive: true });
      writeFileSync(
        path.join(copy, 'flaghoist'),
        `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/bin.js" "$@"\n`,
        { mode: 0o755 },
      );
      const env = { HOME: copy, PATH: `${copy}:/usr/local/bin:/usr/bin:/bin`, NO_COLOR: '1' };
      for (const { command, output } of steps) {
        const found = execFileSync('sh', ['-c', `${command} 2>&1`], { cwd: copy, env, encoding: 'utf8' });
        expect(found.trimEnd(), command).toMatch(pattern(output));
      }
      rmSync(copy, { recursive: true });
    },
  );

  it('has the table of exit codes', () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(Object.fromEntries(rows)).toEqual(EXIT_CODES);
  });

  it.each([...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target))(
    'links to %s, which is there',
    (target) => {
      expect(() => readFileSync(path.join(root, target))).not.toThrow(/ENOENT/);
    },
  );
});
