/** One run of one command: its surroundings, its options, and how it speaks. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json.ts';
import { disarmLines } from '../../report/escape.ts';
import { jsonText } from '../../report/formats/json/write.ts';
import type { Palette } from '../../report/view.ts';
import type { ExitCode } from '../line/exit.ts';
import type { GlobalOptions } from '../line/options.ts';
import type { Context } from './context.ts';
import { fileError, writeDocument } from './files.ts';
import type { Interrupts } from './interrupts.ts';
import { choosePalette } from './palette.ts';
import type { Secrets } from './secrets.ts';

export interface Session extends SessionParts {
  /** For what goes to stderr. */
  readonly palette: Palette;
  /** Text for stderr that a person has to see: errors, warnings, questions. */
  say(text: string): Promise<void>;
  /** Text for stderr that `--quiet` leaves out. */
  note(text: string): Promise<void>;
  /**
   * The document that was asked for, to stdout or `--output`. Where the file cannot be written it goes to stdout, so
   * that nothing is lost, and the failure is kept in `outputFailure`.
   */
  publish(document: Document): Promise<void>;
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

interface Document {
  readonly text: (palette: Palette) => string;
  readonly json: () => JsonValue;
}

export function createSession(parts: SessionParts): Session {
  const { context, options, secrets } = parts;
  let failure: FlagwrightError | undefined;
  // A stderr that cannot be written to must not fail the run: there is nobody left to tell.
  const say = (text: string): Promise<void> =>
    context.stderr.write(disarmLines(secrets.redact(text))).catch(() => undefined);
  return {
    ...parts,
    palette: choosePalette(context.stderr, context.env, options.color),
    say,
    note: async (text) => (options.quiet ? undefined : say(text)),
    publish: async (document) => {
      const text = render(document, parts);
      if (options.output === undefined || options.output === '-') return writeOut(context, text);
      await writeDocument(parts, options.output, { text }).catch(async (error: unknown) => {
        if (!(error instanceof FlagwrightError)) throw error;
        failure = error;
        await writeOut(context, text);
      });
    },
    outputFailure: () => failure,
  };
}

async function writeOut({ stdout }: Context, text: string): Promise<void> {
  return stdout.write(text).catch((cause: unknown) => {
    throw fileError('write', 'to stdout', cause);
  });
}

function render(document: Document, { context, options, secrets }: SessionParts): string {
  if (options.format === 'json') return secrets.redact(jsonText(document.json()));
  // A file is read later, maybe by a program: no colours there.
  const palette = choosePalette(context.stdout, context.env, options.color && options.output === undefined);
  return disarmLines(secrets.redact(document.text(palette)));
}
