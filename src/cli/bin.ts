#!/usr/bin/env node
/** Connects the process to `run`: the only file that sets an exit code. */

import { version } from './line/version.ts';

if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  // Answered before anything is loaded: version managers and prompts ask often.
  process.stdout.write(`${version()}\n`);
} else {
  const { processContext } = await import('./session/process-context.ts');
  const { run } = await import('./run.ts');
  const { tuneV8 } = await import('./session/tune-v8.ts');
  tuneV8(process.versions.node);
  process.exitCode = await run(process.argv.slice(2), processContext());
}
