/** `flagwright refs`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { list, onOff, outFile, text, type Parameter } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

const ACTION: Parameter<'export' | undefined> = {
  syntax: '[action]',
  description: 'export: also write the references to a document for the repository that has the flags',
  choices: ['export'],
};

export const REFS: CommandDeclaration<Execute> = command({
  name: 'refs',
  summary: 'show where code reads flags, and which flags no code reads',
  description:
    'Searches the code of the repository for the keys of declared flags, without contacting the service: flags that no code reads, keys that no manifest declares, and flags that code still reads though they are deleted, disabled or rolled out to everyone. Covers all projects, or the one of --project.',
  parameters: {
    action: ACTION,
    out: { ...text('--out <file>', 'with export: the document to write'), parse: outFile },
    repository: text(
      '--repository <name>',
      'with export: the name of this repository (default: of the address of its remote)',
    ),
    keys: text('--keys <file>', 'also search for these keys: one on a line, or what refs or flags list print as JSON'),
    commit: text(
      '--commit <commit>',
      'search the code of a commit (default: the files on disk that git does not ignore)',
    ),
    target: list('--target <key...>', 'only these flags (keys or globs), with every place'),
    live: onOff('--live', 'also search for the live flags that no manifest declares; needs the keys of these projects'),
    check: onOff('--check', 'exit with 2 if code reads a key that no manifest declares, or a deleted or renamed flag'),
  },
  examples: [
    'flagwright refs',
    'flagwright refs --target new-checkout --commit origin/main',
    'flagwright refs --check --format github',
    'flagwright refs export --keys flags.json --out references.json',
  ],
  reports: ['refs'],
  exits: { 2: '--check' },
  run: (options) => async (session) => (await import('../actions/refs.ts')).refs(session, options),
});
