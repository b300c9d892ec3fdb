#!/usr/bin/env node
/** Connects the process to `run`: the only file that sets an exit code. */

import { answerAtOnce } from './line/version.ts';
import type { runProcess } from './run.ts';
import { makeCacheFolder, tuneV8 } from './session/compile-cache.ts';

const argv = process.argv.slice(2);
const answer = answerAtOnce(argv, process.stdout.columns);
if (answer === undefined) void runCommand();
else print(answer);

function print(text: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // `flagwright --help | head` closes the pipe early, which is not a failure.
    if (code !== 'EPIPE') process.exitCode = 1;
  });
  process.stdout.write(text);
}

async function runCommand(): Promise<void> {
  tuneV8(process.versions.node, argv);
  keepCompiledCode();
  // What the build makes from `run.ts`.
  const command = require(`${__dirname}/command.js`) as { readonly runProcess: typeof runProcess };
  process.exitCode = await command.runProcess(argv);
}

/** Node.js before 22.1 keeps none. */
function keepCompiledCode(): void {
  const { enableCompileCache } = require('node:module') as { readonly enableCompileCache?: (folder: string) => void };
  if (enableCompileCache === undefined) return;
  const { env } = process;
  const folder = makeCacheFolder({ env, userId: process.geteuid?.(), cwd: () => process.cwd() });
  if (folder !== undefined) enableCompileCache(folder);
}
