import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { createProgress } from '../../../src/cli/session/progress.ts';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import { createSession } from '../../../src/cli/session/session.ts';
import { CHANGES } from '../../report/samples.ts';
import { holdTimers } from '../../helpers/timers.ts';

const KNOWN = await allCommands([]);

const REQUEST = { kind: 'request', operation: 'listFlags', method: 'GET', path: '/api/' } as const;
const RESPONSE = {
  kind: 'response',
  operation: 'listFlags',
  method: 'GET',
  path: '/api/',
  status: 200,
  bytes: 9,
  ms: 12.3,
  waitedMs: 12.3,
} as const;
const SERVER = { kind: 'server', status: 503, detail: null } as const;
const change = CHANGES[1]!;
const applied: Outcome = { outcome: 'applied' };

/** A reporter whose clock only moves when the test moves it, and everything that it wrote. */
function reporter(argv: readonly string[], isTerminal: boolean, columns = 80) {
  let now = 1_000_000;
  let written = '';
  const output = { isTerminal, columns, write: async (text: string) => void (written += text) };
  const parsed = parseCommandLine(['plan', '--no-color', ...argv], KNOWN);
  if (parsed.kind !== 'run') throw new Error('wrong arguments');
  const signal = new AbortController().signal;
  const session = createSession({
    paces: new Map(),
    context: {
      cwd: '/',
      env: {},
      system: { node: '22.0.0', platform: 'linux x64' },
      stdin: { isTerminal, readLine: async () => undefined },
      stdout: output,
      stderr: output,
      now: () => now,
      randomUuid: () => 'uuid',
      onStopSignal: () => () => undefined,
    },
    options: parsed.options,
    interrupts: {
      stop: signal,
      cut: signal,
      checkpoint: () => undefined,
      breathe: () => Promise.resolve(),
      drain: () => undefined,
      dispose: () => undefined,
    },
    secrets: createSecrets(),
    places: { root: '/' },
  });
  const progress = createProgress(session);
  onTestFinished(progress.end);
  return { progress, wait: (ms: number) => (now += ms), written: () => written };
}

describe('on a terminal', () => {
  test('says how many people were counted', () => {
    const { progress, wait, written } = reporter([], true);
    progress.onCounted(256);
    wait(200);
    progress.onCounted(512);
    progress.end();
    expect(written().split('\r\u001b[2K')).toEqual(['counting · 256 people', 'counting · 512 people', '']);
  });

  test('rewrites one line, and clears it at the end', () => {
    const { progress, wait, written } = reporter([], true);
    progress.onService(REQUEST);
    wait(200);
    progress.onApply({ kind: 'started', change, total: 4, leastMs: 0 });
    wait(2000);
    progress.onApply({ kind: 'finished', change, result: applied, done: 1, total: 4, leastMs: 0 });
    wait(200);
    progress.onApply({ kind: 'verifying' });
    progress.clear();
    expect(written().split('\r\u001b[2K')).toEqual([
      'reading · 1 request',
      'applying · 0 of 4 changes',
      'applying · 1 of 4 changes · about 6 s left',
      'verifying · 1 request',
      '',
    ]);
  });

  test('shows nothing of the requests that end after it', () => {
    const { progress, wait, written } = reporter(['-v'], true);
    progress.onService(REQUEST);
    progress.end();
    const before = written();
    wait(2000);
    progress.onService(RESPONSE);
    progress.onService(REQUEST);
    expect(written()).toBe(before);
    expect(before).toMatch(/reading · 1 request/);
    expect(before.endsWith('\r\u001b[2K')).toBe(true);
  });

  test('writes at most ten lines a second, none wider than the terminal', () => {
    const { progress, wait, written } = reporter([], true, 10);
    for (let index = 0; index < 100; index += 1) {
      progress.onService(REQUEST);
      wait(10);
    }
    const lines = written().split('\r\u001b[2K');
    expect(lines.length).toBe(10);
    expect(Math.max(...lines.map((line) => line.length))).toBe(9);
  });

  test('promises no time that the request budget does not allow', () => {
    const { progress, wait, written } = reporter([], true);
    progress.onApply({ kind: 'started', change, total: 400, leastMs: 60_000 });
    wait(20_000);
    progress.onApply({ kind: 'finished', change, result: applied, done: 399, total: 400, leastMs: 40_000 });
    const [first, second] = written().split('\r\u001b[2K');
    expect(first).toBe('applying · 0 of 400 changes · about 1 min 0 s left');
    expect(second).toBe('applying · 399 of 400 changes · about 40 s left');
  });

  test('shows how long the service makes the run wait', () => {
    const { progress, wait, written } = reporter([], true);
    progress.onApply({ kind: 'started', change, total: 4, leastMs: 0 });
    wait(200);
    progress.onService({ kind: 'pause', operation: 'updateFlag', waitMs: 30_000 });
    expect(written()).toContain('0 of 4 changes · 429, waiting 30 s');
  });
});

describe('while nothing happens', () => {
  const PAUSE = { kind: 'pause', operation: 'updateFlag', waitMs: 30_000 } as const;

  test('the line of a terminal counts on each second, until it is cleared', () => {
    const timers = holdTimers();
    const { progress, wait, written } = reporter([], true);
    const pass = (ms: number): void => {
      wait(ms);
      timers.pass(ms);
    };
    progress.onService(PAUSE);
    progress.onService(PAUSE);
    for (const ms of [999, 1, 1000]) pass(ms);
    expect(written().split('\r\u001b[2K')).toEqual(
      [30, 29, 28].map((s) => `reading · 0 requests · 429, waiting ${s} s`),
    );
    progress.clear();
    const before = written();
    pass(2000);
    expect(written()).toBe(before);
    progress.onService(REQUEST);
    pass(1000);
    expect(written().slice(before.length)).toBe(
      'reading · 1 request · 429, waiting 26 s\r\u001b[2Kreading · 1 request · 429, waiting 25 s',
    );
  });

  test('a quiet run sets no timer, nor does one that has ended', () => {
    holdTimers();
    const quiet = reporter(['-q'], true);
    quiet.progress.onService(REQUEST);
    const { progress } = reporter([], true);
    progress.end();
    progress.onService(REQUEST);
    expect(vi.getTimerCount()).toBe(0);
    reporter([], true).progress.onService(REQUEST);
    expect(vi.getTimerCount()).toBe(1);
  });
});

test('the phases follow each other, failures are counted, and the time begins with the first change', () => {
  const { progress, wait, written } = reporter([], true);
  const failed: Outcome = { outcome: 'failed', error: { code: 'service_refused', message: 'No.' } };
  const event = { change, total: 4, leastMs: 0 };
  progress.onApply({ kind: 'reading' });
  for (const step of [
    { kind: 'started', ...event },
    { kind: 'finished', result: failed, done: 1, ...event },
    { kind: 'started', ...event },
    { kind: 'finished', result: applied, done: 2, ...event },
    { kind: 'verifying' },
    { kind: 'reading' },
  ] as const) {
    wait(1000);
    progress.onApply(step);
  }
  expect(written().split('\r\u001b[2K')).toEqual([
    'reading · 0 requests',
    'applying · 0 of 4 changes',
    'applying · 1 of 4 changes · 1 failed · about 3 s left',
    'applying · 1 of 4 changes · 1 failed · about 6 s left',
    'applying · 2 of 4 changes · 1 failed · about 3 s left',
    'verifying · 0 requests',
    'reading · 0 requests',
  ]);
});

test('what is printed stays, and the line is written anew after it', () => {
  const { progress, wait, written } = reporter(['-v'], true);
  progress.onService(REQUEST);
  const { status: _, ...noAnswer } = RESPONSE;
  progress.onService({ ...noAnswer, path: '/a\u0007b' });
  progress.onService({ kind: 'ahead', operation: 'getAccess', requests: 600, waitMs: 61_000 });
  wait(100);
  progress.onService(REQUEST);
  expect(written().split('\n')).toEqual([
    'reading · 1 request\r\u001b[2KGET /a\\u0007b no answer 12 ms',
    'About 600 requests follow, with about 1 min 1 s of waiting under the limit of the service.',
    'reading · 2 requests',
  ]);
});

describe('elsewhere', () => {
  test('tells what lies ahead also without --verbose, and nothing else of the requests', () => {
    const { progress, written } = reporter([], false);
    progress.onService(REQUEST);
    progress.onService(RESPONSE);
    progress.onService({ kind: 'ahead', operation: 'getAccess', requests: 600, waitMs: 61_000 });
    progress.onApply({ kind: 'finished', change, result: applied, done: 1, total: 1, leastMs: 0 });
    progress.clear();
    expect(written()).toBe(
      'About 600 requests follow, with about 1 min 1 s of waiting under the limit of the service.\n',
    );
  });

  test('writes a line every ten seconds, none for a short run', () => {
    const { progress, wait, written } = reporter([], false);
    progress.onService(REQUEST);
    progress.onService(RESPONSE);
    expect(written()).toBe('');
    wait(11_000);
    progress.onService(REQUEST);
    progress.onService(REQUEST);
    progress.clear();
    expect(written()).toBe('reading · 2 requests\n');
  });

  test('with --verbose writes each request and each change', () => {
    const { progress, written } = reporter(['-v'], false);
    progress.onService(REQUEST);
    progress.onService(RESPONSE);
    progress.onService({
      kind: 'retry',
      operation: 'listFlags',
      failure: 'server',
      why: SERVER,
      attempt: 2,
      attempts: 5,
      waitMs: 500,
    });
    progress.onApply({ kind: 'finished', change, result: applied, done: 1, total: 1, leastMs: 0 });
    expect(written()).toBe(
      'GET /api/ 200 12 ms\nlistFlags: 503, attempt 2 of 5 in 500 ms\napplied  ~ update  new-checkout\n',
    );
  });

  test('with --quiet writes nothing', () => {
    const { progress, wait, written } = reporter(['-q', '-v'], true);
    wait(20_000);
    progress.onService(RESPONSE);
    progress.onApply({ kind: 'finished', change, result: applied, done: 1, total: 1, leastMs: 0 });
    progress.clear();
    expect(written()).toBe('');
  });
});
