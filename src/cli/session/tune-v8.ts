/** Settings of V8 for a short process: its optimising compilers cost CPU that most runs never win back. */

import { setFlagsFromString } from 'node:v8';

/** Each with the last major version of Node that has it: Node prints an error for a flag that it does not know. */
const FLAGS = [
  // A plan of 1,000 flags spends half a second of CPU on optimising functions that run for little longer.
  { flag: '--interrupt-budget=300000', lastNode: 20 },
  // Long functions are dear to optimise, and those with others in them are long: a tenth of the CPU of a plan of 10,000 flags.
  { flag: '--max-inlined-bytecode-size-cumulative=200', lastNode: 20 },
  // undici parses HTTP headers in WebAssembly; optimising that costs 80 ms of CPU in every run that sends a request.
  { flag: '--wasm-tiering-budget=1000000000', lastNode: 26 },
] as const;

/** Call it before anything runs for long. `nodeVersion` as in `process.versions.node`. */
export function tuneV8(nodeVersion: string): void {
  const major = Number.parseInt(nodeVersion, 10);
  for (const { flag, lastNode } of FLAGS) if (major <= lastNode) setFlagsFromString(flag);
}
