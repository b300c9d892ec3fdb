/** `flagwright parity`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { list, onOff, text } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const PARITY: CommandDeclaration<Execute> = command({
  name: 'parity',
  summary: 'show where projects differ',
  description:
    'Shows where the flags, declared cohorts and declared early access features of several projects differ, and exits with 2 if no manifest declares a difference. Compares the manifests, or with --live the services.',
  parameters: {
    from: text('--from <project>', 'the project to compare with --to (default: all projects are compared)'),
    to: text('--to <project>', 'the other project'),
    live: onOff('--live', 'compare the live flags; needs the keys of all these projects'),
    declared: onOff('--declared', 'also show the differences that the manifests declare'),
    target: list('--target <key...>', 'only these flags (keys or globs)'),
  },
  examples: [
    'flagwright parity --declared',
    'flagwright parity --from staging --to production --live',
    'flagwright parity --live --format csv --output parity.csv',
  ],
  reports: ['parity'],
  exits: { 2: true },
  unused: ['project', 'markdownLimit'],
  run: (options) => async (session) => (await import('../actions/parity.ts')).parity(session, options),
});
