/** One run of one command: its context, its options, its output, and what it asks. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { formatsOf, RENDERERS, renderText } from '../../report/formats/render.ts';
import type { Report, ReportOf } from '../../report/report.ts';
import type { Palette, View } from '../../report/view.ts';
import type { ExitCode } from '../line/exit.ts';
import { choosePalette, columnsOf, createPublisher, isRewritable, sourceLines, type Publisher } from './publish.ts';
import type { SessionParts } from './session-parts.ts';

export interface Session extends SessionParts, Publisher {
  /** The colors of stderr. */
  readonly palette: Palette;
  /** Writes text to stderr that a person has to see: errors, warnings, questions. Like a document on stdout, it takes the place of `showLine`. */
  print(text: string): Promise<void>;
  /** Shows a line on stderr until something else is written. Absent if stderr is no terminal that can rewrite one. */
  readonly showLine?: (text: string) => void;
  /** Asks at a terminal. `undefined`: the input ended. */
  ask(question: string): Promise<string | undefined>;
  /** Writes text to stderr that `--quiet` suppresses. */
  note(text: string): Promise<void>;
  /** Publishes why the run failed or was refused: to stderr as text, and as the document of a format that can hold it. */
  publishFailure(report: ReportOf<'failure'>): Promise<void>;
  /** Renders a report as text for stderr, by default with the lines of files as they are on disk. */
  textOf(report: Report, sourceLine?: View['sourceLine']): Promise<string>;
}

export type Execute = (session: Session) => Promise<ExitCode>;
/** Called once, by the command that the command line names. */
export type Choose = (execute: Execute) => void;

export function createSession(parts: SessionParts): Session {
  const { context, options, interrupts, secrets, places } = parts;
  const palette = choosePalette(context.stderr, context.env, options.color);
  // A stderr that cannot be written to must not fail the run: the failure could not be reported.
  const write = (text: string): Promise<void> =>
    context.stderr.write(RENDERERS.text.seal(secrets.redact(text))).catch(() => undefined);
  let [isLineShown, isAsking] = [false, false];
  const print = async (text: string): Promise<void> => {
    const whole = `${isLineShown ? ERASE_LINE : ''}${text}`;
    isLineShown = false;
    if (whole !== '') await write(whole);
  };
  const showLine = (text: string): void => {
    if (isAsking) return;
    void print(text);
    isLineShown = true;
  };
  const session: Session = {
    ...parts,
    ...createPublisher(parts, print),
    palette,
    print,
    ...(isRewritable(context.stderr, context.env) && { showLine }),
    ask: async (question) => {
      await print(question);
      isAsking = true;
      return context.stdin.readLine(interrupts.stop).finally(() => (isAsking = false));
    },
    note: async (text) => (options.quiet ? undefined : print(text)),
    publishFailure: async (report) => tellFailure(session, report),
    textOf: (report, sourceLine = sourceLines(places.root)) =>
      renderText(report, {
        palette,
        verbose: options.verbose,
        terminal: context.stderr.isTerminal,
        sourceLine,
        ...defined({ width: columnsOf(context.stderr, context.env) }),
      }),
  };
  return session;
}

/** The text is on stderr; list formats cannot hold a failure. */
export async function tellFailure(session: Session, report: ReportOf<'failure'>): Promise<void> {
  const { format } = session.options;
  await session.print(await session.textOf(report));
  const isDocument = format !== 'text' && formatsOf(['failure']).includes(format);
  await (isDocument ? session.publish(report) : session.publishFiles(report));
}

const ERASE_LINE = '\r\u001b[2K';

/** The same session without a time. */
export function atTime(session: Session, at: number | undefined): Session {
  return at === undefined ? session : { ...session, context: { ...session.context, now: () => at, isMoved: true } };
}

/**
 * `refusal`: the end of each refusal's message, `nothing was applied`. `remedy`: without a terminal.
 * @throws {FlagwrightError} `refused` unless a person at a terminal types `yes`.
 */
export async function askForYes(
  session: Session,
  { question, refusal, remedy }: Readonly<Record<'question' | 'refusal' | 'remedy', string>>,
): Promise<void> {
  const { stdin, stderr } = session.context;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    throw new FlagwrightError('refused', `Confirmation needs a terminal or --yes; ${refusal}.`, { remedy });
  }
  const answer = await session.ask(`${question} Only "yes" is accepted: `);
  if (answer === undefined) await session.print('\n');
  if (session.interrupts.stop.aborted) throw session.interrupts.stop.reason;
  if (answer?.trim() !== 'yes') throw new FlagwrightError('refused', `Not confirmed; ${refusal}.`);
}

/** `note  words`, and below it what to do. */
export function labeled(
  { palette }: Pick<Session, 'palette'>,
  label: 'note' | 'warning' | 'error',
  ...[words, way]: readonly [words: string, way?: string]
): string {
  const shown = label === 'error' ? palette.error(label) : palette.warning(label);
  return `${shown}  ${words}\n${way === undefined ? '' : `  ${palette.dim('→')} ${way}\n`}`;
}

/** A note that `--quiet` suppresses. */
export async function advise(session: Session, words: string, way?: string): Promise<void> {
  await session.note(labeled(session, 'note', words, way));
}
