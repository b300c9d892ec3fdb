/** The one question that flagwright asks. */

import type { Session } from './session.ts';

export function canAsk({ context }: Session): boolean {
  return context.stdin.isTerminal && context.stderr.isTerminal;
}

/** Whether the answer was exactly `yes`; anything else, the end of the input and Ctrl-C are no. */
export async function confirm(session: Session, question: string): Promise<boolean> {
  await session.say(`${question} Only "yes" is accepted: `);
  const answer = await session.context.stdin.readLine(session.interrupts.stop);
  if (answer === undefined) await session.say('\n');
  return answer?.trim() === 'yes';
}
