/** `flagwright test`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { AT } from '../line/parsed-options.ts';
import { list, texts } from '../line/parameters.ts';
import { atTime, type Execute } from '../session/session.ts';

export const TEST: CommandDeclaration<Execute> = command({
  name: 'test',
  summary: 'check which values people get from flags, offline',
  description:
    'Evaluates the declared flags for the people of the test files, without contacting the service, and exits with 2 if an answer is not the expected one.',
  parameters: {
    files: texts('[file...]', 'test files to check (default: all test files)'),
    target: list('--target <key...>', 'only expectations about these flags (keys or globs)'),
    ...AT,
  },
  examples: [
    'flagwright test',
    'flagwright test -p production tests/checkout.yaml',
    'flagwright test --target "checkout-*"',
    'flagwright test --report junit=tests.xml',
  ],
  reports: ['test'],
  exits: { 2: true },
  unused: ['concurrency'],
  run:
    ({ files, ...options }) =>
    async (session) =>
      (await import('../actions/test.ts')).test(atTime(session, options.at), files, options),
});
