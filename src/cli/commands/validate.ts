/** `flagwright validate`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { AT } from '../line/parsed-options.ts';
import { APPROVED_BY } from '../line/options.ts';
import { text, texts } from '../line/parameters.ts';
import { atTime, type Execute } from '../session/session.ts';

export const VALIDATE: CommandDeclaration<Execute> = command({
  name: 'validate',
  summary: 'check the configuration, the manifests and the test files offline',
  description:
    'Checks the configuration, the manifests for every project, and the test files, without contacting the service.',
  parameters: {
    files: texts('[file...]', 'manifests and test files to check (default: all of the configuration)'),
    base: text(
      '--base <commit>',
      'compare with what was applied last (auto; the default), a commit, or none, for policies',
    ),
    ...APPROVED_BY,
    ...AT,
  },
  examples: [
    'flagwright validate',
    'flagwright validate flags/checkout.yaml tests/checkout.yaml',
    'flagwright validate --format github',
    'flagwright validate --format gitlab --output gl-code-quality-report.json',
  ],
  reports: ['validation'],
  unused: ['concurrency'],
  run:
    ({ files, ...options }) =>
    async (session) =>
      (await import('../actions/validate.ts')).validate(atTime(session, options.at), files, options),
});
