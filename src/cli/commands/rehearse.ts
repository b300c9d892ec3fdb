/** `flagwright rehearse`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { APPROVED_BY } from '../line/options.ts';
import { texts, time } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const REHEARSE: CommandDeclaration<Execute> = command({
  name: 'rehearse',
  summary: 'make the steps of rollouts in seconds, offline',
  description:
    'Applies the manifests to a service in memory, moves its clock, makes each step when CI would, and shows how many people have the flags on.',
  parameters: {
    keys: texts('<key...>', 'flags with steps over time'),
    late: time('--late <duration>', 'make each run this much later than planned: 90m, 24h, 7d'),
    ...APPROVED_BY,
  },
  examples: ['flagwright rehearse new-checkout -p production', 'flagwright rehearse new-checkout --late 2d'],
  reports: ['rehearsal'],
  unused: ['concurrency'],
  run:
    ({ keys, ...options }) =>
    async (session) =>
      (await import('../actions/rehearse.ts')).rehearse(session, keys, options),
});
