/**
 * Fails a file that leaves something behind in its process: files that share a worker would find it, in an order that no test chooses. A
 * timer that starts itself again, for example, never lets fake timers come to an end.
 */

import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, vi } from 'vitest';

interface StartedTimer {
  /** Node's own mark of a timer that has fired or was cleared, and was not started again. */
  readonly timer: NodeJS.Timeout & { readonly _destroyed: boolean };
  readonly file: string;
  readonly trace: Error;
}

interface Watch {
  started: StartedTimer[];
  /** The test file that runs. */
  file: string;
}

const LOOK_MS = 25;
/** Longer than any timer that a test needs to fire. A file that leaves nothing does not wait. */
const ENDS_MS = 20_000;

/** This module is loaded for each file; the watch is of the process. */
const WATCH = Symbol.for('flagwright.watch-of-timers');
const holder = globalThis as { [WATCH]?: Watch };
const watch = (holder[WATCH] ??= watchTimers());
watch.file = expect.getState().testPath ?? '';
const before = replaceable();

afterAll(async () => {
  const replaced = replacedSince(before);
  // The next file is judged by what it leaves itself.
  vi.useRealTimers();
  const left = [...replaced, ...(await lastingTimers(watch)).map(describeTimer)];
  watch.started = [];
  if (left.length > 0) throw new Error(`${watch.file} leaves behind:\n${left.join('\n')}`);
});

/** Has the global functions note who starts a timer. Those of `node:timers/promises` and of Node itself are not noted. */
function watchTimers(): Watch {
  const made: Watch = { started: [], file: '' };
  let limit = 1000;
  const note = (timer: NodeJS.Timeout): void => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 8;
    made.started.push({ timer: timer as StartedTimer['timer'], file: made.file, trace: new Error('timer') });
    Error.stackTraceLimit = stackTraceLimit;
    if (made.started.length < limit) return;
    made.started = made.started.filter(isPending);
    limit = 1000 + 2 * made.started.length;
  };
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
    const noting = (...args: unknown[]): NodeJS.Timeout => {
      const timer = start(...args);
      note(timer);
      return timer;
    };
    Object.assign(globalThis, { [name]: Object.defineProperties(noting, Object.getOwnPropertyDescriptors(start)) });
  }
  return made;
}

const isPending = ({ timer }: StartedTimer): boolean => !timer._destroyed;

/** undici keeps connections for the next request, and their timers with them. They start nothing anew. */
const isKeptConnection = ({ trace }: StartedTimer): boolean => /\bundici\b/.test(trace.stack ?? '');

/** A timer that fires once, and a connection that is closing, come to their end by themselves: what starts itself again does not. */
async function lastingTimers(of: Watch): Promise<readonly StartedTimer[]> {
  for (let waited = 0; waited < ENDS_MS && pendingTimers(of).length > 0; waited += LOOK_MS) await setTimeout(LOOK_MS);
  return pendingTimers(of);
}

function pendingTimers({ started }: Watch): readonly StartedTimer[] {
  return started.filter((one) => isPending(one) && !isKeptConnection(one));
}

function describeTimer({ file, trace }: StartedTimer): string {
  return `a timer that ${file} started\n${(trace.stack ?? '').split('\n').slice(3).join('\n')}`;
}

/** What a test can replace in its process, by name. */
function replaceable(): ReadonlyMap<string, unknown> {
  const { Date: date, Math: math, performance: clock, console: terminal, fetch, queueMicrotask } = globalThis;
  const { setTimeout: start, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
  const listeners = process.eventNames().map((name): [string, unknown] => {
    return [`listeners of ${String(name)}`, process.listenerCount(name)];
  });
  return new Map<string, unknown>([
    ...Object.entries({ date, clock, now: date.now, random: math.random, fetch, queueMicrotask }),
    ...Object.entries({ setTimeout: start, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }),
    ...Object.entries(terminal).map(([name, method]): [string, unknown] => [`console.${name}`, method]),
    ...Object.entries(process.env).map(([name, value]): [string, unknown] => [`the variable ${name}`, value]),
    ...listeners,
    ['the working directory', process.cwd()],
    ...Object.entries(writers()),
    ['the exit code', process.exitCode],
  ]);
}

function writers(): Readonly<Record<string, unknown>> {
  const { stdout, stderr } = process as { readonly [name in 'stdout' | 'stderr']: { readonly write: unknown } };
  return { stdout: stdout.write, stderr: stderr.write };
}

function replacedSince(earlier: ReadonlyMap<string, unknown>): readonly string[] {
  const now = replaceable();
  const names = new Set([...earlier.keys(), ...now.keys()]);
  return [...names].filter((name) => earlier.get(name) !== now.get(name)).map((name) => `another value of ${name}`);
}
