/** `flagwright off`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { journal } from '../line/options.ts';
import { list, onOff, text, texts } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const OFF: CommandDeclaration<Execute> = command({
  name: 'off',
  summary: 'turn flags off in the service now, without the manifests',
  description:
    'Turns flags off in the service and changes nothing else. Reads no manifest, so broken manifests do not stop it. The run is recorded: undo reverts it, and apply refuses to turn the flags on again until somebody accepts or reverts the run.',
  parameters: {
    keys: texts('<key...>', 'keys of the flags'),
    reason: text('--reason <text>', 'why; recorded in the journal, and shown by history, plan, apply and drift'),
    dependents: onOff('--dependents', 'also turn off the active flags that depend on these flags, dependents first'),
    zero: onOff(
      '--zero',
      'leave these flags enabled, with 0% in every condition; the service accepts this while other flags depend on them',
    ),
    allowProtected: list('--allow-protected <key...>', 'allow turning off these protected flags'),
    yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
    journal: journal('record the run in this folder', 'do not record the run; undo and apply then do not know it'),
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
