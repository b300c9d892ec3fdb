/** One run of flagwright: by the process, or as a function with arguments and context in and an exit code out. */

import { FlagwrightError } from '../base/errors.ts';
import { defined } from '../base/optional.ts';
import { escapeLine } from '../report/escape.ts';
import { allCommands } from './commands/all-commands.ts';
import { parseCommandLine } from './line/command-line.ts';
import type { ExitCode } from './line/exit.ts';
import type { GlobalOptions } from './line/options.ts';
import { type Context, type ContextOptions, processContext } from './session/context.ts';
import { writeOut } from './session/publish.ts';
import { listenForInterrupts, createSecrets } from './session/session-parts.ts';
import { labeled, createSession, type Execute, type Session } from './session/session.ts';

export async function runProcess(argv: readonly string[]): Promise<ExitCode> {
  return run(argv, processContext());
}

export async function run(argv: readonly string[], { cwd, ...surroundings }: ContextOptions): Promise<ExitCode> {
  const context = { ...surroundings, cwd: cwd ?? '/' };
  const parsed = parseCommandLine(argv, await allCommands(argv));
  switch (parsed.kind) {
    case 'print':
      return print(context, parsed.text);
    case 'wrong':
      return withSession(context, parsed.options, async () => {
        throw parsed.error;
      });
    case 'run':
      return cwd === undefined
        ? withSession(context, { ...parsed.options, output: '-', report: [] }, refuseNowhere)
        : withSession(context, parsed.options, parsed.run);
  }
}

async function print(context: Context, text: string): Promise<ExitCode> {
  const failure = await writeOut(context, text).catch((error: unknown) => error as FlagwrightError);
  if (failure === undefined) return 0;
  await context.stderr.write(`error  ${failure.message}\n`);
  return 1;
}

/** Every file, `--output` included, is resolved from the working directory. */
async function refuseNowhere(): Promise<never> {
  throw new FlagwrightError('file', 'The working directory no longer exists.', {
    remedy: 'Change to a folder that exists, and run the same command again.',
  });
}

async function withSession(context: Context, options: GlobalOptions, execute: Execute): Promise<ExitCode> {
  const secrets = createSecrets();
  const interrupts = listenForInterrupts(context, {
    ...defined({ deadlineMs: options.deadline }),
    onDrain: (reason) => void session.print(drainText(reason)),
  });
  const shared = { interrupts, secrets, paces: new Map() };
  const session = createSession({ context, options, ...shared, places: { root: context.cwd } });
  const commonKey = context.env['POSTHOG_API_KEY'];
  if (commonKey !== undefined) secrets.add(commonKey);
  try {
    await session.checkFiles();
    return await checkOutput(session, await execute(session));
  } catch (error) {
    // What describes failures is loaded only after one.
    const { reportFailure, toFlagwrightError } = await import('./session/failure.ts');
    return await checkOutput(session, await reportFailure(session, toFlagwrightError(error)));
  } finally {
    // Nothing is left of the progress.
    await session.print('');
    interrupts.dispose();
  }
}

/** A document that could not be written to its file is a failure even if something was applied, which the usual code 1 would deny. */
async function checkOutput(session: Session, code: ExitCode): Promise<ExitCode> {
  const failures = session.outputFailures();
  for (const { error, onStdout, afterChanges } of failures) {
    const instead = onStdout ? ' The document was written to stdout instead.' : '';
    const made = afterChanges ? ' The changes were made before that.' : '';
    await session.print(labeled(session, 'error', `${escapeLine(error.message)}${instead}${made}`));
  }
  if (failures.length === 0 || (code !== 0 && code !== 2)) return code;
  return failures.some(({ afterChanges }) => afterChanges) ? 3 : 1;
}

function drainText(reason: FlagwrightError): string {
  const begun = 'Changes already begun are finished; no new ones are started';
  return reason.code === 'deadline'
    ? `\nThe deadline passed. ${begun}.\n`
    : `\nInterrupted. ${begun}. Press Ctrl-C again to stop at once.\n`;
}
