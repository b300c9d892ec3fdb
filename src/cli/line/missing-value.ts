/** Refuses an option without its value, which would take the next option as one: `--allow-risky -f json` as two keys. */

import type { Command } from 'commander';
import { FlagwrightError } from '../../base/errors.ts';
import { collectOptions } from './foreign-spelling.ts';

/** The error of the first such option. A value that is the name of an option is written `--target=--prune`. */
export function findMissingValue(argv: readonly string[], program: Command): FlagwrightError | undefined {
  const options = collectOptions(program);
  const names = new Set(options.flatMap(({ long, short }) => [long, short]));
  const end = argv.indexOf('--');
  const given = end < 0 ? argv : argv.slice(0, end);
  const at = given.findIndex((argument, index) => {
    const next = given[index + 1]?.replace(/^(--[^=]+)=.*$/s, '$1');
    const takesNext = options.some(({ required, long, short }) => required && [long, short].includes(argument));
    return takesNext && next !== undefined && names.has(next);
  });
  if (at < 0) return undefined;
  const [option = '', next = ''] = given.slice(at);
  return new FlagwrightError('usage', `${option} needs a value, and '${next}' is an option.`, {
    remedy: `Write the value after ${option}.`,
  });
}
