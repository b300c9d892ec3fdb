/** `flagwright explain`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { onOff, required } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const EXPLAIN: CommandDeclaration<Execute> = command({
  name: 'explain',
  summary: 'show where the values of a flag come from',
  description:
    'Shows for each value of a flag the file and the layer that give it, what it replaces, who changed the line last in git, what is live, and who edited that last.',
  parameters: {
    name: required(
      '<flag>',
      'a flag, or one of its fields: new-checkout, new-checkout.conditions.2.rollout_percentage',
    ),
    offline: onOff('--offline', 'do not contact the service'),
  },
  examples: [
    'flagwright explain new-checkout -p production',
    'flagwright explain new-checkout.conditions.2.rollout_percentage -p production',
    'flagwright explain new-checkout.variants.control --offline --format json',
  ],
  reports: ['explain'],
  unused: ['markdownLimit'],
  run:
    ({ name, ...options }) =>
    async (session) =>
      (await import('../actions/explain.ts')).explain(session, name, options),
});
