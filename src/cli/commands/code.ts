/** The commands about code that reads flags. */

import type { Sdk } from '../../code/generate/sdks.ts';
import {
  ALL_REMOTE,
  onOff,
  outFile,
  type Parameter,
  required,
  text,
  texts,
  whole,
  withDefault,
  targets,
} from '../line/options.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
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

const ACTION: Parameter<'export' | undefined> = {
  syntax: '[action]',
  description: 'export: also write the references to a document for the repository that has the flags',
  choices: ['export'],
};

/** The service calls a flag stale after 30 days without calls; fewer would contradict it. */
const LEAST_DAYS = 30;

export const CODE: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'generate',
    group: 'Code:',
    summary: 'write a typed module of the declared flags for your code',
    description:
      'Writes a module with the type of each declared flag, its variants and its payloads, and an accessor that reads it, without contacting the service. Covers all projects, or the one that --project names.',
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
    exits: { 2: 'with --check: the module is not current', 4: 'the file exists and flagwright did not generate it' },
    unused: ['concurrency', 'markdownLimit'],
    withoutProject: 'all',
    run: (options) => async (session) => (await import('../code/generate.ts')).generate(session, options),
  }),
  command({
    name: 'refs',
    group: 'Code:',
    summary: 'show where code reads flags, and which flags no code reads',
    description:
      'Searches the code of the repository for the keys of declared flags, without contacting the service: flags that no code reads, keys that no manifest declares, and flags that code still reads though they are deleted, disabled or rolled out to everyone. Covers all projects, or the one that --project names.',
    parameters: {
      action: ACTION,
      out: { ...text('--out <file>', 'with export: the document to write'), parse: outFile },
      repository: text(
        '--repository <name>',
        'with export: the name of this repository (default: from the URL of its remote)',
      ),
      keys: text(
        '--keys <file>',
        'a file of further keys to search for: one per line, or the JSON of refs or flags list',
      ),
      commit: text(
        '--commit <commit>',
        'search the code of a commit (default: the files on disk that git does not ignore)',
      ),
      target: targets('only these flags (keys or globs), with every place'),
      live: onOff(
        '--live',
        'also search for the live flags that no manifest declares; needs the API keys of these projects',
      ),
      check: onOff(
        '--check',
        'exit with 2 if code reads a key that no manifest declares, or a deleted or renamed flag',
      ),
    },
    examples: [
      'flagwright refs',
      'flagwright refs --target new-checkout --commit origin/main',
      'flagwright refs --check --format github',
      'flagwright refs export --keys flags.json --out references.json',
    ],
    reports: ['refs'],
    exits: { 2: 'with --check: there is a finding' },
    withoutProject: 'all',
    run: (options) => async (session) => (await import('../code/refs.ts')).refs(session, options),
  }),
  command({
    name: 'stale',
    group: 'Code:',
    summary: 'show which flags can be removed, and what to do next',
    description:
      'Combines what the code, the service, the manifests and git say about each declared flag, and names the next step in an order that breaks nothing: remove from the code, deploy, disable, archive, delete. One signal alone never makes a flag stale. Covers all projects, or the one that --project names. Changes nothing.',
    parameters: {
      keys: texts('[key...]', 'only these flags (keys or globs), also those without a next step'),
      unmanaged: onOff('--unmanaged', 'also show live flags in scope that no manifest declares'),
      days: withDefault(
        whole('--days <n>', 'days without calls or changes after which a flag counts as unused or unchanged', {
          from: LEAST_DAYS,
          to: 9999,
        }),
        LEAST_DAYS,
      ),
      task: onOff('--task', 'one Markdown task for each flag (text, markdown and json)'),
    },
    examples: ['flagwright stale', 'flagwright stale old-banner --task', 'flagwright stale --unmanaged --format csv'],
    reports: ['stale'],
    withoutProject: ALL_REMOTE,
    run: (options) => async (session) => (await import('../code/stale.ts')).stale(session, options),
  }),
];
