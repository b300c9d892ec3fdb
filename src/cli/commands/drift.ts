/** `flagwright drift`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { BASE, WHO } from '../line/options.ts';
import { list, onOff, text } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const DRIFT: CommandDeclaration<Execute> = command({
  name: 'drift',
  summary: 'show where live flags differ from the manifests',
  description:
    'Shows where live flags differ from the manifests, and exits with 2 if anything drifted. Lists unmanaged flags in scope.',
  parameters: {
    target: list('--target <key...>', 'only these flags (keys or globs)'),
    unmanaged: onOff('--unmanaged', 'count unmanaged flags in scope as drift'),
    pending: onOff('--pending', 'count changes of the manifests that are not applied yet'),
    ignore: list(
      '--ignore <place...>',
      'ignore differences of these flags (KEY, also a glob), or at a place in them (KEY:PATH)',
    ),
    baseline: text('--baseline <file>', 'ignore the known drift in a file, each entry until it expires'),
    writeBaseline: text('--write-baseline <file>', 'write the drift to a new file of known drift, and exit with 0'),
    ...WHO,
    ...BASE,
  },
  examples: [
    'flagwright drift -p production',
    'flagwright drift -p production --who',
    'flagwright drift --format json --output drift.json',
  ],
  reports: ['drift'],
  exits: { 0: true, 2: true },
  run: (options) => async (session) => (await import('../actions/drift.ts')).drift(session, options),
});
