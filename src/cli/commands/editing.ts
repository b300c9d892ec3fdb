/** The commands that edit manifests which people wrote. */

import { BASE, WHO, choice, list, onOff, required, texts, targets } from '../line/options.ts';
import { NOT_CONFIRMED } from '../line/exit.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
import type { Execute } from '../session/session.ts';

export const EDITING: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'accept',
    group: 'Every day:',
    summary: 'copy live values into the manifests',
    description:
      'Writes live values into the manifests, each where the manifests set it now. Other text and other projects stay the same.',
    parameters: {
      keys: texts('[key...]', 'flags to accept (keys or globs; default: all that differ)'),
      target: targets('only these flags (keys or globs)'),
      only: list('--only <path...>', 'only these fields: active, conditions.2.rollout_percentage, role_access'),
      layer: choice(
        '--layer <layer>',
        'where to write: base (the values for all projects) or project (an overlay for this project)',
        ['base', 'project'],
      ),
      pending: onOff('--pending', 'also revert changes made in git since the last apply'),
      unmanaged: onOff(
        '--unmanaged',
        'declare the named flags, cohorts and early access features, which no manifest declares yet',
      ),
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
    exits: { 3: 'a difference was left', 4: NOT_CONFIRMED },
    run: (options) => async (session) => (await import('../editing/accept.ts')).accept(session, options),
  }),
  command({
    name: 'promote',
    group: 'Several projects:',
    summary: 'copy flags from one project to another in the manifests',
    description:
      'Declares for one project what the manifests declare for another, and changes no other text, flag or project. Then plan and apply as usual.',
    parameters: {
      keys: texts('<key...>', 'flags to promote (keys or globs)'),
      from: required('--from <project>', 'the project that has the values'),
      to: required('--to <project>', 'the project that gets them'),
      only: list(
        '--only <part...>',
        'only these parts: conditions, variants, payloads, active, rollout, description, tags, role_access',
      ),
      live: onOff('--live', 'copy the live values instead; needs the API key of the project --from'),
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
    exits: { 3: 'a flag was left', 4: `${NOT_CONFIRMED}, or the configuration forbids the direction` },
    unused: ['project', 'markdownLimit'],
    run: (options) => async (session) => (await import('../editing/promote.ts')).promote(session, options),
  }),
];
