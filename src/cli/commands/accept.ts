/** `flagwright accept`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { BASE, WHO } from '../line/options.ts';
import { choice, list, onOff, texts } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const ACCEPT: CommandDeclaration<Execute> = command({
  name: 'accept',
  summary: 'copy live values into the manifests',
  description:
    'Writes live values into the manifests, each in the layer that gives it. Other text and other projects stay the same.',
  parameters: {
    keys: texts('[key...]', 'flags to accept (keys or globs; default: all that differ)'),
    target: list('--target <key...>', 'only these flags (keys or globs)'),
    only: list('--only <path...>', 'only these fields: active, conditions.2.rollout_percentage, role_access'),
    layer: choice('--layer <layer>', 'write for all projects, or for this one in an overlay', ['base', 'project']),
    pending: onOff('--pending', 'also revert what the manifests changed since the last apply'),
    unmanaged: onOff('--unmanaged', 'declare these flags, cohorts and early access features, which no manifest names'),
    tests: onOff('--tests', 'also write the new key of a renamed flag into the test files'),
    patch: onOff('--patch', 'print the changes as a patch for git apply; write nothing'),
    yes: onOff('-y, --yes', 'write without confirmation'),
    ...WHO,
    ...BASE,
  },
  examples: [
    'flagwright accept -p production',
    'flagwright accept new-checkout --only conditions.2.rollout_percentage --yes',
    'flagwright accept --patch | git apply',
    'flagwright accept --unmanaged "checkout-*"',
    'flagwright accept --unmanaged "cohort:Beta testers"',
  ],
  reports: ['accept'],
  exits: { 3: true },
  run:
    ({ keys, ...options }) =>
    async (session) =>
      (await import('../actions/accept.ts')).accept(session, keys, options),
});
