/** `flagwright generate`. */

import type { Sdk } from '../../generate/sdks.ts';
import { command, type CommandDeclaration } from '../line/command.ts';
import { onOff, outFile, required, type Parameter } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

const LANGUAGE: Parameter<'typescript'> = {
  syntax: '<language>',
  description: 'the language of the code',
  choices: ['typescript'],
};

const SDK: Parameter<Sdk> = {
  syntax: '--sdk <sdk>',
  description: 'the SDK that the code reads flags with',
  choices: ['posthog-js', 'posthog-node', 'openfeature-server', 'openfeature-web'],
  required: true,
};

export const GENERATE: CommandDeclaration<Execute> = command({
  name: 'generate',
  summary: 'write types and accessors of the declared flags for code',
  description:
    'Writes a module with the type of each declared flag, its variants and its payloads, and an accessor that reads it, without contacting the service. Covers all projects, or the one of --project.',
  parameters: {
    language: LANGUAGE,
    out: { ...required('--out <file>', 'the module to write; an existing one is replaced'), parse: outFile },
    sdk: SDK,
    check: onOff('--check', 'write nothing; exit with 2 if the module is not current, and show what differs'),
  },
  examples: [
    'flagwright generate typescript --sdk posthog-js --out src/flags.ts',
    'flagwright generate typescript --sdk openfeature-server --out src/flags.ts --check',
  ],
  reports: ['files'],
  exits: { 2: '--check' },
  unused: ['concurrency', 'markdownLimit'],
  run: (options) => async (session) => (await import('../actions/generate.ts')).generate(session, options),
});
