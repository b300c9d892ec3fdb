#!/usr/bin/env node
/** Connects the process to `run`: the only file that sets an exit code. */

import { answerAtOnce } from './line/version.ts';
import type { runProcess } from './run.ts';
import { openCodeCache } from './session/code-cache.ts';
import { tuneV8 } from './session/tune-v8.ts';

/** Set by the build: an identifier of this build, and the names of its commands. */
declare const PROGRAM_DIGEST: string;
declare const COMMANDS: readonly string[];

/** A view of the program that the build makes of all modules. */
interface Program {
  readonly command: { readonly runProcess: typeof runProcess };
}

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
  tuneV8(process.versions.node);
  const part = argv.find((word) => COMMANDS.includes(word)) ?? 'none';
  const { env, version: node, arch, pid } = process;
  const cache = openCodeCache(
    { folder: __dirname, digest: PROGRAM_DIGEST, part, requireBuiltin: require },
    {
      env,
      userId: process.geteuid?.(),
      cwd: findFolder(),
      engine: `${node}-${arch}`,
      process: `${pid}-${process.hrtime.bigint()}`,
    },
  );
  const { command } = cache.load('program.js') as Program;
  process.exitCode = await command.runProcess(argv);
  cache.keep();
}

function findFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
