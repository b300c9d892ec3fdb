/** `flagwright doctor`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { choice } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const DOCTOR: CommandDeclaration<Execute> = command({
  name: 'doctor',
  summary: 'check keys, hosts, git and configuration, and say what to do',
  description:
    'Checks what a run needs: the configuration and where each of its values comes from, the manifests, each host, the scopes of each API key beside what the manifests and the newest run need, git, the journal and the CI system. Writes nothing, and shows no key. Exits with 1 if there is a problem; warnings do not count.',
  parameters: {
    for: choice('--for <command>', 'what the API key is for: without apply, it may lack the scopes to write', [
      'plan',
      'apply',
    ]),
  },
  examples: ['flagwright doctor', 'flagwright doctor -p production --for apply', 'flagwright doctor --format json'],
  reports: ['doctor'],
  unused: ['concurrency'],
  run: (options) => async (session) => (await import('../actions/doctor.ts')).doctor(session, options.for),
});
