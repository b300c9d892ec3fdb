/** Where a document goes, and how wide it is. */

import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { createPublisher } from '../../../src/cli/session/publish.ts';
import { createSecrets, type SessionParts } from '../../../src/cli/session/session-parts.ts';
import type { Report } from '../../../src/report/report.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { RESULT } from '../../report/samples.ts';
import { stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const LONG = `flags:\n  a: { description: "${'a very long description '.repeat(10).trim()}" }\n`;

test('a table is cut at the width of a terminal, and whole in a file, with --verbose and in a pipe', async () => {
  const { run, runWith, workspace } = await stage(LONG);
  expect((await run('apply', '-y')).code).toBe(0);
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list')).stdout)).toBeLessThanOrEqual(60);
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list', '-o', '-')).stdout)).toBeLessThanOrEqual(60);
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list', '-v')).stdout)).toBeGreaterThan(200);
  expect(widest((await run('flags', 'list')).stdout)).toBeGreaterThan(200);
  await runWith({ columns: 60 }, 'flags', 'list', '-o', 'flags.txt');
  expect(widest(workspace.read('flags.txt'))).toBeGreaterThan(200);
});

test('text is wrapped at the width of a terminal or of COLUMNS, and whole in a file and in a pipe', async () => {
  const { run, runWith, workspace } = await stage(LONG);
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  for (const argv of [['plan'], ['plan', '-v'], ['plan', '-o', '-']]) {
    const { stdout } = await runWith({ columns: 60 }, ...argv);
    expect(widest(stdout)).toBeLessThanOrEqual(60);
    expect(stdout).toMatch(/\n {12}description[^\n]*\n {14}a very[^\n]*\n {16}\S/);
  }
  const narrow = widest((await runWith({ columns: 60, env: { COLUMNS: '44' } }, 'plan')).stdout);
  expect([narrow <= 44, narrow > 30]).toEqual([true, true]);
  expect(widest((await run('plan')).stdout)).toBeGreaterThan(200);
  await runWith({ columns: 60 }, 'plan', '-o', 'plan.txt');
  expect(widest(workspace.read('plan.txt'))).toBeGreaterThan(200);
});

test('an error is wrapped where stderr is a terminal', async () => {
  const { runWith } = await stage(LONG);
  const { stderr } = await runWith({ columns: 40, answer: { line: 'no' } }, 'flags', 'get', 'b');
  expect(stderr.split('\n').filter((line) => line.length > 40)).toEqual([]);
  expect(stderr).toMatch(/^error {2}.*\n {7}\S/);
});

test('a document that cannot be written to its file goes to stdout, and the run fails', async () => {
  const { run } = await stage();
  for (const argv of [['plan'], ['drift'], ['flags', 'list', '-f', 'json']]) {
    const ran = await run(...argv, '-o', 'no/such/folder/out.txt');
    expect([ran.code, ran.stdout === '']).toEqual([1, false]);
    expect(ran.stderr).toContain('Cannot write no/such/folder/out.txt: no such file or folder.');
  }
  const refused = await run('apply', '-f', 'json', '-o', 'no/such/folder/out.txt');
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('written to stdout instead') as string]);
});

test('annotations name a file from the checkout, also one outside of it', async () => {
  const { runWith, workspace } = await stage('flags: { a: { activ: true } }\n');
  writeFileSync(path.join(workspace.root, 'elsewhere'), '');
  const env = { GITHUB_WORKSPACE: path.join(workspace.root, 'elsewhere') };
  expect((await runWith({ env }, 'validate', '-f', 'github')).stdout).toContain('::error file=../flags/main.yaml,');
  const above = await runWith({ env: { CI_PROJECT_DIR: path.dirname(workspace.root) } }, 'validate', '-f', 'github');
  expect(above.stdout).toContain(`::error file=${path.basename(workspace.root)}/flags/main.yaml,`);
});

test('records are streamed to a device as they are', async () => {
  const { run } = await stage();
  await run('apply', '-y');
  expect(await run('flags', 'list', '-f', 'jsonl', '-o', '/dev/null')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('records are streamed to stdout, or to a file', async () => {
  const { run, workspace } = await stage();
  await run('apply', '-y');
  const { stdout: lines } = await run('flags', 'list', '-f', 'jsonl');
  expect(lines.match(/"key":"\w+"/g)).toEqual(expect.arrayContaining(['"key":"checkout"', '"key":"search"']));
  expect((await run('flags', 'list', '-f', 'jsonl', '-o', '-')).stdout).toBe(lines);
  expect((await run('flags', 'list', '-f', 'jsonl', '-o', 'flags.jsonl')).stdout).toBe('');
  expect(workspace.read('flags.jsonl')).toBe(lines);
  expect(readdirSync(workspace.root)).toEqual(['.flagwright', 'flags', 'flags.jsonl']);
});

const FAILED = { kind: 'failure', error: new FlagwrightError('file', 'No 12345678.') } as const;

interface Publishing {
  readonly format?: 'json' | 'jsonl';
  readonly print?: (text: string) => Promise<void>;
  readonly isGone?: () => boolean;
}

/** A publisher with a key, whose stdout is `write`. */
function publisherIn(
  root: string,
  output: string | undefined,
  write: (text: string) => Promise<void>,
  { format = 'json', print = async () => Promise.resolve(), ...stdout }: Publishing = {},
) {
  const secrets = createSecrets();
  secrets.add('12345678');
  const context = {
    cwd: root,
    env: {},
    randomUuid: () => '0',
    stdout: { isTerminal: false, columns: 80, write, ...stdout },
  };
  const options = {
    format,
    color: false,
    verbose: false,
    quiet: false,
    ...(output === undefined ? {} : { output }),
  };
  const parts = { context, options, secrets, places: { root } } as unknown as SessionParts;
  return createPublisher(parts, print);
}

test.each([undefined, '-'])('a stdout that cannot be written to is named, with --output %s', async (output) => {
  const { root } = createWorkspace();
  const full = async (): Promise<never> => Promise.reject(Object.assign(new Error('x'), { code: 'ENOSPC' }));
  const publisher = publisherIn(root, output, full);
  await publisher.publish(FAILED);
  const error = { code: 'file', message: 'Cannot write to stdout: the disk is full.' };
  expect(publisher.outputFailures()).toMatchObject([{ error, onStdout: false, afterChanges: false }]);
});

test('a document without the key goes to its file, or else to stdout, and the failure is kept', async () => {
  const { root, read } = createWorkspace();
  const written: string[] = [];
  const write = async (text: string): Promise<void> => void written.push(text);
  const publisher = publisherIn(root, 'a.json', write);
  await publisher.publish(FAILED);
  expect([read('a.json'), written, publisher.outputFailures()]).toEqual([
    expect.stringContaining('No [redacted].') as string,
    [],
    [],
  ]);
  const failing = publisherIn(root, 'no/a.json', write);
  await failing.publish(FAILED);
  expect(written).toEqual([read('a.json')]);
  expect(failing.outputFailures()).toMatchObject([
    { onStdout: true, afterChanges: false, error: { message: 'Cannot write no/a.json: no such file or folder.' } },
  ]);
});

test.each([
  [1, true],
  [0, false],
])('a result of %d changes that cannot be written was made before: %s', async (applied, afterChanges) => {
  const { root } = createWorkspace();
  const publisher = publisherIn(root, 'no/a.json', async () => Promise.resolve());
  const result = { ...RESULT, outcomes: { ...RESULT.outcomes, applied } };
  await publisher.publish({ kind: 'result', result, durationMs: 1 });
  expect(publisher.outputFailures()).toMatchObject([{ onStdout: true, afterChanges }]);
});

describe('records', () => {
  /** More than one piece holds. */
  const LARGE = 'x'.repeat(40_000);

  interface Streamed {
    readonly written: string[];
    readonly printed: string[];
    readonly ended: Promise<unknown>;
  }

  /** Publishes `count` large records, after which reading fails if `fails`. */
  function stream(
    root: string,
    output: string | undefined,
    { count, fails = false, ...more }: { readonly count: number; readonly fails?: boolean } & Publishing,
  ): Streamed {
    const [written, printed]: [string[], string[]] = [[], []];
    const write = async (text: string): Promise<void> => Promise.resolve(void written.push(text));
    const print = async (text: string): Promise<void> => Promise.resolve(void printed.push(text));
    const publisher = publisherIn(root, output, write, { format: 'jsonl', print, ...more });
    async function* read(): AsyncGenerator<JsonObject> {
      for (let id = 1; id <= count; id += 1) yield await Promise.resolve({ id, text: LARGE, key: '12345678' });
      if (fails) throw new Error('cut');
    }
    const report: Report = { kind: 'records', records: read(), columns: ['id'] };
    const ended = publisher.publish(report).catch((error: unknown) => error);
    return { written, printed, ended };
  }

  const idsIn = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => text.match(/"id":\d/g)?.join() ?? '');

  test('are written in pieces, each after the progress was cleared, without a key', async () => {
    const { written, printed, ended } = stream('/', undefined, { count: 3 });
    expect(await ended).toBeUndefined();
    expect(idsIn(written)).toEqual(['"id":1,"id":2', '"id":3']);
    // Nothing is printed, but what is shown is erased.
    expect(printed).toEqual(['', '']);
    expect(written.join('')).toContain('"key":"[redacted]"');
    expect(written.join('')).not.toContain('12345678');
  });

  test.each([
    [1, '1 entry'],
    [3, '3 entries'],
  ])('that were read before a failure stay on stdout: %d', async (count, entries) => {
    const { written, printed, ended } = stream('/', undefined, { count, fails: true });
    expect(await ended).toEqual(new Error('cut'));
    expect(idsIn(written).join()).toBe(Array.from({ length: count }, (_, at) => `"id":${at + 1}`).join());
    expect(printed.filter((text) => text !== '')).toEqual([`Incomplete: ${entries} printed before the failure.\n`]);
  });

  test('of which none was read are no half of a document', async () => {
    const { written, printed, ended } = stream('/', undefined, { count: 0, fails: true });
    expect([await ended, written, printed]).toEqual([new Error('cut'), [], []]);
  });

  test('in a file are there once all were read, and otherwise nothing is', async () => {
    const { root, read, write } = createWorkspace({ 'kept.jsonl': 'before' });
    const failing = stream(root, 'kept.jsonl', { count: 3, fails: true });
    expect([await failing.ended, failing.printed.join(''), failing.written]).toEqual([new Error('cut'), '', []]);
    expect([readdirSync(root), read('kept.jsonl')]).toEqual([['kept.jsonl'], 'before']);
    expect(await stream(root, 'kept.jsonl', { count: 3 }).ended).toBeUndefined();
    expect([readdirSync(root), idsIn([read('kept.jsonl')])]).toEqual([['kept.jsonl'], ['"id":1,"id":2,"id":3']]);
    write('file', '');
    expect(await stream(root, 'file/a.jsonl', { count: 1 }).ended).toMatchObject({
      code: 'file',
      message: 'Cannot write file/a.jsonl: a part of the path is not a folder.',
    });
  });

  test('are not read on once nobody reads them', async () => {
    const { written, printed, ended } = stream('/', undefined, { count: 9, fails: true, isGone: () => true });
    expect([await ended, idsIn(written), printed.join('')]).toEqual([undefined, ['"id":1,"id":2'], '']);
  });
});
