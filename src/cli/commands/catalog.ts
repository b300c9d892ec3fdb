/** `flagwright catalog`. */

import { ALL_REMOTE, list, onOff, VERDICTS } from '../line/options.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
import type { Execute } from '../session/session.ts';

export const CATALOG: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'catalog',
    group: 'Review:',
    summary: 'describe every flag on one page, for people who do not read YAML',
    description:
      'Writes one page (html) or document (json) from manifests, PostHog, git, tests and code: who gets each flag in each project, who owns it, who changed it last, what happens next, and what can be removed. Covers all remote projects, or those of --project; a project that cannot be read is marked as unread. Changes nothing.',
    parameters: {
      declared: onOff('--declared', 'show the flags as the manifests declare them; read no service'),
      against: list('--against <file>', 'a snapshot to read in place of the service of its project; repeatable'),
      ...VERDICTS,
      addresses: onOff('--addresses', 'show e-mail addresses of people in conditions (default: hidden)'),
    },
    examples: [
      'flagwright catalog --format html --output flags.html',
      'flagwright catalog --declared --format json --output flags.json',
      'flagwright catalog -p production --report html=flags.html --report json=flags.json',
    ],
    reports: ['catalog'],
    projects: 'several',
    withoutProject: ALL_REMOTE,
    run: (options) => async (session) => (await import('../catalog/catalog.ts')).catalog(session, options),
  }),
];
