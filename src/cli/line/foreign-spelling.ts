/** Refuses options in the spelling of other tools, which would be read as short options: `-out=FILE` as `-o ut=FILE`. */

import type { Command, Option } from 'commander';
import { FlagwrightError } from '../../base/errors.ts';

/** The error of the first such argument. `--` ends the options. */
export function findForeignSpelling(argv: readonly string[], program: Command): FlagwrightError | undefined {
  const options = collectOptions(program);
  const names = new Set(options.map(({ long }) => long));
  const takers = new Set(options.flatMap(({ required, long, short }) => (required ? [long, short] : [])));
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end))
    .filter((_, index) => index === 0 || !takers.has(argv[index - 1]))
    .map((argument) => explainDash(argument, names) ?? explainEquals(argument))
    .find((error) => error !== undefined);
}

export function collectOptions(command: Command): readonly Option[] {
  return [...command.options, ...command.commands.flatMap(collectOptions)];
}

function explainDash(argument: string, names: ReadonlySet<string | undefined>): FlagwrightError | undefined {
  const [, name] = /^-([a-z][a-z-]+)(?:=|$)/.exec(argument) ?? [];
  if (name === undefined || !names.has(`--${name}`)) return undefined;
  return new FlagwrightError('usage', `'${argument}' has one dash; long options have two.`, {
    remedy: `Write -${argument}.`,
  });
}

function explainEquals(argument: string): FlagwrightError | undefined {
  const [, option, value = ''] = /^(-[a-zA-Z])=(.*)$/s.exec(argument) ?? [];
  if (option === undefined) return undefined;
  return new FlagwrightError('usage', `'${argument}' has "=" after a short option.`, {
    remedy: `Write ${`${option} ${value}`.trim()}.`,
  });
}
