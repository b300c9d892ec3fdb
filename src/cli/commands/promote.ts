/** `flagwright promote`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { list, onOff, required, texts } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const PROMOTE: CommandDeclaration<Execute> = command({
  name: 'promote',
  summary: 'copy flags from one project to another in the manifests',
  description:
    'Writes what the manifests declare for one project into those of another, and changes no other text, flag or project. Plan and apply follow as usual.',
  parameters: {
    keys: texts('<key...>', 'flags to promote (keys or globs)'),
    from: required('--from <project>', 'the project that has the values'),
    to: required('--to <project>', 'the project that gets them'),
    only: list(
      '--only <part...>',
      'only these parts: conditions, variants, payloads, active, rollout, description, tags, role_access',
    ),
    live: onOff('--live', 'take the live values; needs the key of the project --from'),
    patch: onOff('--patch', 'print the changes as a patch for git apply; write nothing'),
    yes: onOff('-y, --yes', 'write without confirmation'),
  },
  examples: [
    'flagwright promote new-checkout --from staging --to production',
    'flagwright promote new-checkout --from staging --to production --only variants,rollout',
    'flagwright promote "checkout-*" --from staging --to production --patch',
    'flagwright promote new-checkout cohort:beta --from staging --to production',
  ],
  reports: ['promote'],
  exits: { 3: true },
  unused: ['project', 'markdownLimit'],
  run:
    ({ keys, ...options }) =>
    async (session) =>
      (await import('../actions/promote.ts')).promote(session, keys, options),
});
