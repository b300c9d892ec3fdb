/** Asks for confirmation before anything is changed. */

import { FlagwrightError } from '../../base/errors.ts';
import type { Session } from './session.ts';

interface ConfirmationQuestion {
  readonly question: string;
  /** The end of each refusal's message: `nothing was applied`. */
  readonly refusal: string;
  /** The remedy without a terminal. */
  readonly remedy: string;
}

/** @throws {FlagwrightError} `refused` unless a person at a terminal types `yes`. */
export async function askForYes(session: Session, { question, refusal, remedy }: ConfirmationQuestion): Promise<void> {
  const { stdin, stderr } = session.context;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    throw new FlagwrightError('refused', `Confirmation needs a terminal or --yes; ${refusal}.`, { remedy });
  }
  const confirmed = await isConfirmed(session, question);
  if (session.interrupts.stop.aborted) throw session.interrupts.stop.reason;
  if (!confirmed) throw new FlagwrightError('refused', `Not confirmed; ${refusal}.`);
}

/** Only `yes` confirms; any other answer, the end of the input and Ctrl-C do not. */
async function isConfirmed(session: Session, question: string): Promise<boolean> {
  await session.print(`${question} Only "yes" is accepted: `);
  const answer = await session.context.stdin.readLine(session.interrupts.stop);
  if (answer === undefined) await session.print('\n');
  return answer?.trim() === 'yes';
}
