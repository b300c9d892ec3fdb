/** The commands in the examples' READMEs, run in order, do what the comments beside them say. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const examples = path.join(root, 'examples');
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five'];

/** The edit that the text before a block asks for. */
const EDITS: Readonly<Record<string, { block: number; file: string; from: string | RegExp; to: string }>> = {
  quickstart: { block: 1, file: 'flags/checkout.yaml', from: 'rollout_percentage: 10', to: 'rollout_percentage: 25' },
  'multi-project': {
    block: 1,
    file: 'flags/billing.yaml',
    from: /(billing-invoices:(?:\n(?! {2}\S).*)*?\n\s+active:) true/,
    to: '$1 false',
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flagwright-example-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(
  readdirSync(examples, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : [])),
)('the example %s', (name) => {
  it('does what its README says', () => {
    const copy = prepare(name);
    const blocks = [...readFileSync(path.join(copy, 'README.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [index, [, block = '']] of blocks.entries()) {
      edit(copy, name, index);
      for (const { command, claims, code, output } of type(block, copy)) {
        expect({ command, code, output }).toMatchObject({ command, code: claims.exit });
        if (claims.count !== undefined) expect(output, command).toContain(claims.count);
      }
    }
  });
});

function prepare(name: string): string {
  const copy = path.join(folder, name);
  cpSync(path.join(examples, name), copy, { recursive: true, filter: (source) => !source.includes('.flagwright') });
  mkdirSync(path.join(folder, 'bin'));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/bin.js" "$@"\n`;
  writeFileSync(path.join(folder, 'bin/flagwright'), script, { mode: 0o755 });
  return copy;
}

function edit(copy: string, name: string, block: number): void {
  const change = EDITS[name];
  if (change?.block !== block) return;
  const file = path.join(copy, change.file);
  const before = readFileSync(file, 'utf8');
  const after = before.replace(change.from, change.to);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}

interface Typed {
  readonly command: string;
  readonly claims: { readonly exit: number; readonly count?: string };
  readonly code: number;
  readonly output: string;
}

const MARK = '=== exit ';

/** Runs a block in one shell, as a user would, and splits the output by command. */
function type(block: string, cwd: string): Typed[] {
  const lines = block
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const script = lines.map((line) =>
    line.endsWith('&') ? `${line}\n${untilServed(line)}` : `{ ${withoutComment(line)}\n}; echo "${MARK}$?"`,
  );
  const env = { PATH: `${folder}/bin:${process.env['PATH'] ?? ''}`, HOME: folder, NO_COLOR: '1' };
  const { stdout } = spawnSync('bash', ['--norc', '-m', '-c', `exec 2>&1\n${script.join('\n')}`], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const outputs = stdout.split(new RegExp(`${MARK}(\\d+)\\n`));
  return lines
    .filter((line) => !line.endsWith('&'))
    .map((line, index) => ({
      command: withoutComment(line).trim(),
      claims: claimsOf(line),
      code: Number(outputs[index * 2 + 1]),
      output: outputs[index * 2] ?? '',
    }));
}

/** Waits until the service listens that a command starts in the background. */
function untilServed(command: string): string {
  const [, port] = /--port (\d+)/.exec(command) ?? [];
  return `until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.05; done`;
}

function withoutComment(line: string): string {
  return line.replace(/\s+# .*$/, '');
}

function claimsOf(line: string): Typed['claims'] {
  const exit = Number(/exit code (?:is )?(\d)/.exec(line)?.[1] ?? 0);
  const [, word = '', noun = ''] = /# .*?\b(\w+) (flags to create|grants)/.exec(line) ?? [];
  if (!NUMBERS.includes(word)) return { exit };
  return { exit, count: `${NUMBERS.indexOf(word)} to ${noun === 'grants' ? 'grant' : 'create'}` };
}
