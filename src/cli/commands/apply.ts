/** `flagwright apply`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { journal, PLANNING } from '../line/options.ts';
import { onOff, text, type Parameter } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

const RESUME: Parameter<string | true | undefined> = {
  syntax: '--resume [run]',
  description: 'finish an interrupted run (default: the newest run of the project)',
};

export const APPLY: CommandDeclaration<Execute> = command({
  name: 'apply',
  summary: 'make the project match the manifests',
  description: 'Applies a saved plan; without one, makes a plan, asks for confirmation and applies it.',
  parameters: {
    file: text('[plan]', 'a plan saved with plan --out; applied exactly, without confirmation'),
    yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
    resume: RESUME,
    moveBase: onOff('--move-base', 'record the commit even if it does not contain the one applied last'),
    journal: journal(
      'record the run in this folder; with --resume, the folder or file that has the run',
      'do not record the run; it can then be neither resumed nor undone',
    ),
    ...PLANNING,
  },
  examples: [
    'flagwright apply',
    'flagwright apply plan.json',
    'flagwright apply -p staging --yes --allow-deletes 10',
    'flagwright apply --resume',
  ],
  reports: ['result', 'nothing'],
  run:
    ({ file, ...options }) =>
    async (session) =>
      (await import('../actions/apply.ts')).apply(session, file, options),
});
