/** Asks for confirmation before anything is changed. */

import { FlagwrightError } from '../../base/errors.ts';
import type { Session } from './session.ts';

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
  await session.print(`${question} Only "yes" is accepted: `);
  const answer = await stdin.readLine(session.interrupts.stop);
  if (answer === undefined) await session.print('\n');
  if (session.interrupts.stop.aborted) throw session.interrupts.stop.reason;
  if (answer?.trim() !== 'yes') throw new FlagwrightError('refused', `Not confirmed; ${refusal}.`);
}
