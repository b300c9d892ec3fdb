/** One run of flagwright by the process. */

import type { ExitCode } from './line/exit.ts';
import { run } from './run.ts';
import { processContext } from './session/process-context.ts';

export async function runProcess(argv: readonly string[]): Promise<ExitCode> {
  return run(argv, processContext());
}
