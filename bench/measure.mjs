// Runs processes and times them from outside; each reports its own peak memory when it ends.

import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const command = join(root, 'dist/cli/bin.js');
const reportUsage = pathToFileURL(join(root, 'bench/report-usage.mjs')).href;

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A variable such as NODE_EXTRA_CA_CERTS makes a bare Node three times as expensive, and what is compared with it look cheap. */
const { PATH, HOME } = process.env;
export const cleanEnv = { PATH, HOME };

/** Prints the CPU time of a process, user and system in seconds, as the last line of stderr. */
const WITH_CPU_TIME = ['--norc', '-c', 'TIMEFORMAT="%3U %3S"; time "$@"', 'bash'];

/** Runs `node ...args` and resolves with its wall and CPU time in ms and its output; fails when the exit code is not `expect`. */
export async function time(args, { cwd = root, env = {}, expect = 0 } = {}) {
  const start = performance.now();
  const child = spawn('bash', [...WITH_CPU_TIME, process.execPath, ...args], {
    cwd,
    env: { ...cleanEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (output.out += chunk));
  child.stderr.on('data', (chunk) => (output.err += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== expect) throw new Error(`${args.join(' ')} ended with ${code}:\n${output.err}${output.out}`);
  const ms = performance.now() - start;
  const [user, system] = output.err.trimEnd().split('\n').at(-1).split(' ').map(Number);
  return { ms, cpuMs: (user + system) * 1000, ...output };
}

/** As `time`, with the peak memory in MB beside it. */
export async function timeAndMemory(args, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'flagwright-usage-'));
  const file = join(folder, 'usage');
  const result = await time(['--import', reportUsage, ...args], {
    ...options,
    env: { ...options.env, BENCH_USAGE_FILE: file },
  });
  const mb = Number(readFileSync(file, 'utf8')) / 1024;
  rmSync(folder, { recursive: true });
  return { ...result, mb };
}

/** The values of `count` runs, after one that does not count. */
export async function repeat(count, run) {
  await run();
  const values = [];
  for (let index = 0; index < count; index += 1) values.push(await run());
  return values;
}

/** Ratios a/b of wall and of CPU time, of runs in turn, so that a machine that gets slower slows both. */
export async function ratios(count, a, b) {
  const pairs = await repeat(count, async () => [await a(), await b()]);
  return {
    wall: pairs.map(([first, second]) => first.ms / second.ms),
    cpu: pairs.map(([first, second]) => first.cpuMs / second.cpuMs),
  };
}

/** The embedded service in a process of its own, which counts requests and writes. */
export async function startService(options) {
  const child = fork(join(root, 'bench/service.mjs'), { stdio: 'inherit', env: cleanEnv });
  const ask = (message) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(message);
    });
  const { urls } = await ask({ start: options });
  const [url] = urls;
  return {
    url,
    urls,
    env: { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_bench' },
    /** Requests and writes since the last call, and the CPU time so far. */
    counts: () => ask({ counts: true }),
    stop: () => child.kill(),
  };
}
