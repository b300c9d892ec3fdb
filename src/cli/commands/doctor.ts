/** `flagwright doctor`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { choice } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const DOCTOR: CommandDeclaration<Execute> = command({
  name: 'doctor',
  summary: 'check keys, hosts, git and configuration, and say how to fix them',
  description:
    'Checks the configuration, the manifests, each host, the scopes of each API key, git, the journal and the CI system, and says how to fix each problem.',
  parameters: {
    for: choice('--for <command>', 'what the API key is for: without apply, it may lack the scopes to write', [
      'plan',
      'apply',
    ]),
  },
  examples: ['flagwright doctor', 'flagwright doctor -p production --for apply', 'flagwright doctor --format json'],
  reports: ['doctor'],
  exits: { 1: true },
  unused: ['concurrency'],
  run: (options) => async (session) => (await import('../actions/doctor.ts')).doctor(session, options.for),
});
