/** `flagwright show`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { required } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const SHOW: CommandDeclaration<Execute> = command({
  name: 'show',
  summary: 'print a saved plan',
  description: 'Prints a saved plan as plan printed it. Reads no configuration and does not contact the service.',
  parameters: {
    file: required('<plan>', 'a plan saved with plan --out or undo --out'),
  },
  examples: [
    'flagwright show plan.json',
    'flagwright show plan.json --format json',
    'flagwright show plan.json --format markdown --output comment.md',
  ],
  reports: ['plan'],
  unused: ['project', 'config', 'concurrency', 'deadline'],
  run:
    ({ file }) =>
    async (session) =>
      (await import('../actions/show.ts')).show(session, file),
});
