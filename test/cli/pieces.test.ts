/** Parts of the command line that need no run: exit codes, colours, interrupts, options. */

import { describe, expect, test, vi } from 'vitest';
import type { ApplyResult, Outcome } from '../../src/apply/result.ts';
import { knownCommands } from '../../src/cli/commands/known-commands.ts';
import { parseCommandLine } from '../../src/cli/line/command-line.ts';
import type { Output } from '../../src/cli/session/context.ts';
import { parseDuration } from '../../src/cli/line/duration.ts';
import { ERRORS, EXIT_CODES, exitCodeOfResult } from '../../src/cli/line/exit.ts';
import { listenForInterrupts } from '../../src/cli/session/interrupts.ts';
import { choosePalette } from '../../src/cli/session/palette.ts';
import { createSecrets } from '../../src/cli/session/secrets.ts';
import { PLAIN } from '../../src/report/view.ts';
import { holdTimers } from '../helpers/timers.ts';
import { CHANGES, RESULT } from '../report/samples.ts';

const KNOWN = await knownCommands([]);

describe('exit code of a result', () => {
  const applied: Outcome = { outcome: 'applied' };
  const failed: Outcome = { outcome: 'failed', error: { code: 'x', message: 'x' } };
  const pending: Outcome = { outcome: 'pending', error: { code: 'x', message: 'x' } };
  const unknown: Outcome = { outcome: 'unknown', error: { code: 'x', message: 'x' } };
  const cutOff: Outcome = { outcome: 'unknown', error: { code: 'interrupted', message: 'x' } };
  const skipped = (code: 'interrupted' | 'deadline'): Outcome => ({ outcome: 'skipped', reason: { code } });
  const stale: Outcome = { outcome: 'skipped', reason: { code: 'stale', moved: [] } };
  const waiting: Outcome = { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['flag:a'] } };

  test.each<[string, readonly Outcome[], number]>([
    ['nothing to do', [], 0],
    ['all applied', [applied, applied], 0],
    ['all failed', [failed, failed], 1],
    ['a failure and what needs it', [failed, waiting], 1],
    ['the deadline before anything', [skipped('deadline')], 1],
    ['one applied, one failed', [applied, failed], 3],
    ['one applied, the deadline for the other', [applied, skipped('deadline')], 3],
    ['waiting for approval', [pending], 3],
    ['a lost answer', [unknown, failed], 3],
    ['stale alone', [stale], 5],
    ['stale beside applied, and what needs it', [applied, stale, waiting], 5],
    ['stale beside a failure, one applied', [applied, stale, failed], 3],
    ['stale beside a failure', [stale, failed], 1],
    ['interrupted', [applied, skipped('interrupted')], 130],
    ['interrupted while the last one was under way', [applied, cutOff], 130],
    ['interrupted beside a failure', [failed, skipped('interrupted')], 130],
  ])('%s', (_, outcomes, code) => {
    expect(exitCodeOfResult(resultOf(outcomes))).toBe(code);
  });

  test('every error code has an exit code of the table', () => {
    for (const { exit } of Object.values(ERRORS)) expect(EXIT_CODES).toHaveProperty([String(exit)]);
  });

  function resultOf(outcomes: readonly Outcome[]): ApplyResult {
    const count = (kind: Outcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === kind).length;
    return {
      ...RESULT,
      changes: outcomes.map((result) => ({ change: CHANGES[0]!, result })),
      outcomes: {
        applied: count('applied'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        unknown: count('unknown'),
      },
    };
  }
});

test.each([
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['90', undefined],
  ['', undefined],
  ['0s', undefined],
  ['5 m', undefined],
  ['-5s', undefined],
  ['5x', undefined],
])('duration %j is %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

describe('secrets', () => {
  test.each([
    ['plain', 'Bearer phx_SECRETSECRET!', 'Bearer [redacted]!'],
    ['twice', 'phx_SECRETSECRET phx_SECRETSECRET', '[redacted] [redacted]'],
    ['not there', 'nothing', 'nothing'],
  ])('are redacted: %s', (_, text, expected) => {
    const secrets = createSecrets();
    secrets.add('phx_SECRETSECRET');
    expect(secrets.redact(text)).toBe(expected);
  });

  test('are redacted in escaped forms too', () => {
    const secrets = createSecrets();
    secrets.add('a"b\\c/secret');
    expect(secrets.redact(JSON.stringify({ x: 'a"b\\c/secret' }))).toBe('{"x":"[redacted]"}');
    expect(secrets.redact(encodeURIComponent('a"b\\c/secret'))).toBe('[redacted]');
  });

  test('a string too short to be a key is not redacted', () => {
    const secrets = createSecrets();
    secrets.add('key');
    expect(secrets.redact('{"key": 1}')).toBe('{"key": 1}');
  });
});

describe('colours', () => {
  const output = (isTerminal: boolean): Output => ({ isTerminal, columns: 80, write: async () => undefined });
  test.each([
    ['on a terminal', true, {}, true, true],
    ['in a pipe', false, {}, true, false],
    ['on a dumb terminal', true, { TERM: 'dumb' }, true, false],
    ['with NO_COLOR', true, { NO_COLOR: '1' }, true, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, true, true],
    ['with FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true, true],
    ['with FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, true, false],
    ['with NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['with --no-color and FORCE_COLOR', true, { FORCE_COLOR: '1' }, false, false],
  ])('%s', (_, isTerminal, env, option, expected) => {
    const palette = choosePalette(output(isTerminal), env, option);
    expect(palette !== PLAIN).toBe(expected);
    if (expected) expect(palette.add('x')).toBe('\u001b[32mx\u001b[39m');
  });
});

describe('interrupts', () => {
  function start(deadlineMs?: number) {
    let fire: () => void = () => undefined;
    const drained: string[] = [];
    const interrupts = listenForInterrupts(
      { onStopSignal: (listener) => ((fire = listener), () => (fire = () => undefined)) },
      { ...(deadlineMs === undefined ? {} : { deadlineMs }), onDrain: ({ code }) => drained.push(code) },
    );
    return { interrupts, drained, signal: () => fire() };
  }

  test('before draining, the first signal ends everything', () => {
    const { interrupts, drained, signal } = start();
    signal();
    expect([interrupts.stop.aborted, interrupts.cut.aborted, drained]).toEqual([true, true, []]);
    interrupts.dispose();
  });

  test('while draining, the first signal stops new work and the second cuts off requests', () => {
    const { interrupts, drained, signal } = start();
    interrupts.drain(true);
    signal();
    expect([interrupts.stop.aborted, interrupts.cut.aborted, drained]).toEqual([true, false, ['interrupted']]);
    signal();
    expect([interrupts.cut.aborted, drained]).toEqual([true, ['interrupted']]);
    interrupts.dispose();
  });

  // A timer of Node lasts at most 24.8 days; a longer one fires at once.
  test('a deadline in 600 hours does not overflow the timer', () => {
    const timers = holdTimers();
    const { interrupts } = start(600 * 3_600_000);
    timers.pass(600 * 3_600_000 - 1);
    expect(interrupts.stop.aborted).toBe(false);
    timers.pass(1);
    expect(interrupts.stop.aborted).toBe(true);
    interrupts.dispose();
  });

  test('a long computation notices the deadline, although no timer can fire, and a signal', async () => {
    const { interrupts } = start(20_000);
    expect(() => interrupts.checkpoint()).not.toThrow();
    const later = performance.now() + 20_001;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    expect(() => interrupts.checkpoint()).toThrow(expect.objectContaining({ code: 'deadline' }));
    expect([interrupts.stop.aborted, interrupts.cut.aborted]).toEqual([true, true]);
    interrupts.dispose();
    vi.restoreAllMocks();

    const other = start();
    setImmediate(other.signal);
    expect(() => other.interrupts.checkpoint()).not.toThrow();
    await expect(other.interrupts.breathe()).rejects.toMatchObject({ code: 'interrupted' });
    expect(() => other.interrupts.checkpoint()).toThrow(expect.objectContaining({ code: 'interrupted' }));
    other.interrupts.dispose();
  });

  test('the deadline stops with its own reason', () => {
    const timers = holdTimers();
    const { interrupts } = start(10);
    timers.pass(10);
    expect(interrupts.stop.reason).toMatchObject({ code: 'deadline' });
    interrupts.dispose();
  });

  test('after the run, signals have no listener', () => {
    const { interrupts, signal } = start();
    interrupts.dispose();
    signal();
    expect(interrupts.stop.aborted).toBe(false);
  });
});

describe('command line', () => {
  test.each([
    [['plna'], "unknown command 'plna' (Did you mean plan?)"],
    [['plan', '--detailed-exit'], "unknown option '--detailed-exit' (Did you mean --detailed-exitcode?)"],
    [['plan', '--prun'], "unknown option '--prun' (Did you mean --prune?)"],
    [['plan', '--concurrency', '0'], 'It must be a whole number from 1 to 100.'],
    [['plan', '--deadline', '5'], 'It must be a duration such as 90s, 5m or 1h30m.'],
    [['plan', '--format', 'xml'], 'Allowed choices are text, json'],
    [['apply', 'a', 'b'], 'too many arguments'],
    [['serve', '--rate-limit', '480'], 'such as 480/m'],
    [['serve', '--port', '70000'], 'from 0 to 65535'],
    [[], 'A command is missing.'],
  ])('%j is refused with a message', (argv, words) => {
    const parsed = parseCommandLine(argv, KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { code: 'usage' } });
    if (parsed.kind === 'wrong') expect(parsed.error.message).toContain(words);
  });

  test.each([
    [['plan', '--nope', '--format', 'json'], 'json'],
    [['plan', '--nope', '--format=json'], 'json'],
    [['-f', 'json', 'nope'], 'json'],
    [['plan', '--nope'], 'text'],
  ])('%j is reported as %s', (argv, format) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'wrong', options: { format } });
  });

  test.each([
    [['-p', 'production', 'plan'], { project: 'production' }],
    [['plan', '-p', 'production', '--no-color'], { project: 'production', color: false }],
    [['plan', '--deadline', '1h30m'], { deadline: 5_400_000, concurrency: 8, format: 'text' }],
    [['drift', '-f', 'json', '-o', 'x.json', '-q'], { format: 'json', output: 'x.json', quiet: true }],
  ])('%j sets the options of every command', (argv, options) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run', options });
  });

  test.each([[['--help']], [['help']], [['plan', '--help']], [['help', 'plan']], [['--version']]])(
    '%j prints',
    (argv) => {
      expect(parseCommandLine(argv, KNOWN)).toMatchObject({
        kind: 'print',
        text: expect.stringMatching(/\n$/) as string,
      });
    },
  );
});
