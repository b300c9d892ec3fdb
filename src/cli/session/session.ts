/** One run of one command: its surroundings, its options, and how it speaks. */

import type { FlagwrightError } from '../../base/errors.ts';
import { RENDERERS, renderText } from '../../report/formats/render.ts';
import type { Report } from '../../report/report.ts';
import type { Palette } from '../../report/view.ts';
import type { ExitCode } from '../line/exit.ts';
import type { GlobalOptions } from '../line/options.ts';
import type { Context } from './context.ts';
import type { Interrupts } from './interrupts.ts';
import { choosePalette } from './palette.ts';
import { createPublisher, type PublishHooks } from './publish.ts';
import type { Secrets } from './secrets.ts';
import { sourceLines } from './source-lines.ts';

export interface Session extends SessionParts {
  /** For what goes to stderr. */
  readonly palette: Palette;
  /** Text for stderr that a person has to see: errors, warnings, questions. */
  say(text: string): Promise<void>;
  /** Text for stderr that `--quiet` leaves out. */
  note(text: string): Promise<void>;
  /** A report as text for stderr. */
  textOf(report: Report): Promise<string>;
  /**
   * The document that was asked for, to stdout or `--output`. Where the file cannot be written it goes to stdout, so
   * that nothing is lost, and the failure is kept in `outputFailure`.
   */
  publish(report: Report, hooks?: PublishHooks): Promise<void>;
  outputFailure(): FlagwrightError | undefined;
}

export interface SessionParts {
  /** The folder that places in files are relative to: the working directory, then that of flagwright.yaml. */
  readonly places: { root: string };
  readonly context: Context;
  readonly options: GlobalOptions;
  readonly interrupts: Interrupts;
  readonly secrets: Secrets;
}

/** What a command does with a session. */
export type Execute = (session: Session) => Promise<ExitCode>;
/** Called once, by the command that the command line names. */
export type Choose = (execute: Execute) => void;

export function createSession(parts: SessionParts): Session {
  const { context, options, secrets, places } = parts;
  const palette = choosePalette(context.stderr, context.env, options.color);
  // A stderr that cannot be written to must not fail the run: there is nobody left to tell.
  const say = (text: string): Promise<void> =>
    context.stderr.write(RENDERERS.text.seal(secrets.redact(text))).catch(() => undefined);
  return {
    ...parts,
    ...createPublisher(parts, say),
    palette,
    say,
    note: async (text) => (options.quiet ? undefined : say(text)),
    textOf: (report) =>
      renderText(report, {
        palette,
        verbose: options.verbose,
        terminal: context.stderr.isTerminal,
        sourceLine: sourceLines(places.root),
      }),
  };
}
