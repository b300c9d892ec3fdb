/** `flagwright snapshot`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { outFile, required } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const SNAPSHOT: CommandDeclaration<Execute> = command({
  name: 'snapshot',
  summary: 'save the live state of the project for plans without a key',
  description: 'Saves the live state of the project to a file without secrets.',
  parameters: {
    out: { ...required('--out <file>', 'the file to write'), parse: outFile },
  },
  examples: ['flagwright snapshot -p production --out snapshot.json'],
  reports: ['files'],
  unused: ['markdownLimit'],
  run: (options) => async (session) => (await import('../actions/snapshot.ts')).snapshot(session, options),
});
