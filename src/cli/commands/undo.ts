/** `flagwright undo`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { journal, PERMISSION } from '../line/options.ts';
import { list, onOff, outFile, text } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const UNDO: CommandDeclaration<Execute> = command({
  name: 'undo',
  summary: 'revert a run',
  description:
    'Makes a plan that reverts a recorded run, asks for confirmation and applies it; with --out, saves it for apply.',
  parameters: {
    run: text(
      '[run]',
      'a run listed by history: its name, the beginning of a name, last or last-2 (default: the newest run that applied something)',
    ),
    out: { ...text('--out <file>', 'save the plan to a file for apply, and apply nothing'), parse: outFile },
    yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
    partial: onOff('--partial', 'undo the rest if some changes cannot be undone'),
    target: list(
      '--target <key...>',
      'undo only the changes of these flags (keys or globs) and of those they depended on',
    ),
    journal: journal(
      'folder or file of the journal (default: .flagwright/journal next to flagwright.yaml)',
      'do not record the undo; it can then be neither resumed nor undone',
    ),
    ...PERMISSION,
  },
  examples: [
    'flagwright undo',
    'flagwright undo 20260131T120000123Z-8a3f --out undo.json',
    'flagwright undo last-2 --target "checkout-*"',
    'flagwright undo --partial',
  ],
  reports: ['undo', 'result', 'nothing'],
  run:
    ({ run, ...options }) =>
    async (session) =>
      (await import('../actions/undo.ts')).undo(session, run, options),
});
