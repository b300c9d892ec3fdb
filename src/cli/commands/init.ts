/** `flagwright init`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { choice, text } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const INIT: CommandDeclaration<Execute> = command({
  name: 'init',
  summary: 'create the first files of a project',
  description:
    'Writes flagwright.yaml, an example manifest, an example test and CI workflows. Existing files are kept.',
  parameters: {
    host: text('--host <url>', 'host of a remote project to configure, named by --project (default: production)'),
    projectId: text('--project-id <id>', 'id of that project'),
    ci: choice('--ci <system>', 'the CI system to write a pipeline for', ['github', 'gitlab', 'none']),
  },
  examples: [
    'flagwright init',
    'flagwright init --project staging --host https://eu.posthog.com --project-id 5678 --ci github',
  ],
  reports: ['files'],
  unused: ['config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
  run: (options) => async (session) => (await import('../actions/init.ts')).init(session, options),
});
