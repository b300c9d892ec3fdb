/** `flagwright off`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { journal } from '../line/options.ts';
import { list, onOff, text, texts } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const OFF: CommandDeclaration<Execute> = command({
  name: 'off',
  summary: 'turn flags off in the service now, without the manifests',
  description:
    'Turns flags off in the service and touches nothing else. It reads no manifest, so it works even if manifests are broken. The run is recorded: undo reverts it, and until it is accepted or reverted, apply refuses to turn them on again.',
  parameters: {
    keys: texts('<key...>', 'keys of the flags'),
    reason: text('--reason <text>', 'why; recorded in the journal, and shown by history, plan, apply and drift'),
    dependents: onOff('--dependents', 'also turn off the active flags that depend on them, before them'),
    zero: onOff(
      '--zero',
      'leave them enabled with 0% in every condition, which the service accepts while other flags depend on them',
    ),
    allowProtected: list('--allow-protected <key...>', 'allow turning off these protected flags'),
    yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
    journal: journal('record the run in this folder', 'do not record the run; undo and apply then know nothing of it'),
  },
  examples: [
    'flagwright off new-checkout -p production --reason "incident 4711"',
    'flagwright off new-checkout old-banner --yes',
    'flagwright off payments --dependents',
    'flagwright off payments --zero --yes',
  ],
  reports: ['result', 'nothing'],
  run:
    ({ keys, ...options }) =>
    async (session) =>
      (await import('../actions/off.ts')).off(session, keys, options),
});
