/** One run of one command: its context, its options, and its output. */

import { RENDERERS, renderText } from '../../report/formats/render.ts';
import type { Report } from '../../report/report.ts';
import type { Palette, View } from '../../report/view.ts';
import type { ExitCode } from '../line/exit.ts';
import { choosePalette, sourceLines } from './views.ts';
import { createPublisher, type Publisher } from './publish.ts';
import type { SessionParts } from './session-parts.ts';

export interface Session extends SessionParts, Publisher {
  /** The colours of stderr. */
  readonly palette: Palette;
  /** Writes text to stderr that a person has to see: errors, warnings, questions. */
  print(text: string): Promise<void>;
  /** Writes text to stderr that `--quiet` suppresses. */
  note(text: string): Promise<void>;
  /** Renders a report as text for stderr, by default with the lines of files as they are on disk. */
  textOf(report: Report, sourceLine?: View['sourceLine']): Promise<string>;
}

/** The work of a command. */
export type Execute = (session: Session) => Promise<ExitCode>;
/** Called once, by the command that the command line names. */
export type Choose = (execute: Execute) => void;

export function createSession(parts: SessionParts): Session {
  const { context, options, secrets, places } = parts;
  const palette = choosePalette(context.stderr, context.env, options.color);
  // A stderr that cannot be written to must not fail the run: the failure could not be reported.
  const print = (text: string): Promise<void> =>
    context.stderr.write(RENDERERS.text.seal(secrets.redact(text))).catch(() => undefined);
  return {
    ...parts,
    ...createPublisher(parts, print),
    palette,
    print,
    note: async (text) => (options.quiet ? undefined : print(text)),
    textOf: (report, sourceLine = sourceLines(places.root)) =>
      renderText(report, {
        palette,
        verbose: options.verbose,
        terminal: context.stderr.isTerminal,
        sourceLine,
      }),
  };
}

/** The same session without a time. */
export function atTime(session: Session, at: number | undefined): Session {
  return at === undefined ? session : { ...session, context: { ...session.context, now: () => at, isMoved: true } };
}
