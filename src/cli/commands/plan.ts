/** `flagwright plan`. */

import { InvalidArgumentError } from 'commander';
import { command, type CommandDeclaration } from '../line/command.ts';
import { AT } from '../line/parsed-options.ts';
import { PLANNING } from '../line/options.ts';
import { onOff, outFile, text, time } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

export const PLAN: CommandDeclaration<Execute> = command({
  name: 'plan',
  summary: 'show what apply would change',
  description: 'Shows what apply would change, field by field. Writes nothing to the service.',
  parameters: {
    out: { ...text('--out <file>', 'save the plan to a file for apply'), parse: outFile },
    against: text('--against <file>', 'use a snapshot instead of the service; needs no key'),
    maxAge: time('--max-age <duration>', 'with --against: refuse a snapshot that is older: 90m, 24h, 7d'),
    impact: onOff('--impact', 'show how many people each change affects'),
    persons: {
      ...text('--persons <file>', 'with --impact: count the people of a file'),
      parse: (file: string, earlier: string | undefined): string => {
        if (earlier === undefined) return file;
        throw new InvalidArgumentError('It may be given once. Join files of people into one.');
      },
    },
    ...AT,
    detailedExitcode: onOff(
      '--detailed-exitcode',
      'exit with 2 if there are changes, with 4 if apply would refuse them',
    ),
    ...PLANNING,
  },
  examples: [
    'flagwright plan',
    'flagwright plan -p production --out plan.json',
    'flagwright plan --at 2026-12-24T12:00+01:00',
    'flagwright plan --impact',
    'flagwright plan --impact --persons people.csv',
    'flagwright plan --target "checkout-*"',
    'flagwright plan -p production --against snapshot.json',
    'flagwright plan -p production --against snapshot.json --max-age 24h',
  ],
  reports: ['plan'],
  exits: { 0: '--detailed-exitcode', 2: '--detailed-exitcode' },
  run: (options) => async (session) => (await import('../actions/plan.ts')).plan(session, options),
});
