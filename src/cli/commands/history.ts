/** `flagwright history`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { text, whole, withDefault } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

const DEFAULT_LIMIT = 20;

export const HISTORY: CommandDeclaration<Execute> = command({
  name: 'history',
  summary: 'list recorded runs',
  description: 'Lists the recorded runs of apply, off and undo, newest first. Does not contact the service.',
  parameters: {
    run: text('[run]', 'the run to show with each change: its name, the beginning of a name, last or last-2'),
    limit: withDefault(whole('-n, --limit <n>', 'maximum number of runs', { from: 1 }), DEFAULT_LIMIT),
    journal: text(
      '--journal <path>',
      'folder or file of the journal (default: .flagwright/journal next to flagwright.yaml)',
    ),
  },
  examples: [
    'flagwright history',
    'flagwright history -p production',
    'flagwright history last',
    'flagwright history 20260131T120000123Z-8a3f',
  ],
  reports: ['history', 'run'],
  unused: ['concurrency', 'deadline', 'markdownLimit'],
  run:
    ({ run, ...options }) =>
    async (session) =>
      (await import('../actions/history.ts')).history(session, run, options),
});
