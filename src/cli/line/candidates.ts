/** Finds what may come next on a command line that is being typed: commands, options, and the values of an option. */

import type { Argument, Command, Option } from 'commander';
import { formatsOfCommand, usesOption } from './program.ts';

interface CompletionCandidate {
  readonly text: string;
  readonly description: string;
}

/** The source of completions for the last word. `names`: the caller; `files`: the shell. */
export interface ExpectedWord {
  readonly candidates: readonly CompletionCandidate[];
  readonly names?: 'projects' | 'flags';
  readonly files: boolean;
  /** `--option=`, where the shell replaces the whole word. */
  readonly prefix: string;
  /** The part of the last word that the candidates continue. */
  readonly typed: string;
}

/** `words`: those after the command's name; the last one is being typed and may be empty. */
export function expectNext(program: Command, words: readonly string[]): ExpectedWord {
  const joined = joinAssignments(words);
  const last = joined.at(-1) ?? '';
  const { command, pending, position } = walk(program, joined.slice(0, -1));
  const [, name = '', typed = ''] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  const assigned = findOption(program, command, name);
  if (assigned !== undefined) {
    const isSplit = words.at(-1) === '=' || words.at(-2) === '=';
    return { ...valuesOf(program, command, assigned), prefix: isSplit ? '' : `${name}=`, typed };
  }
  if (pending !== undefined && !last.startsWith('-')) {
    return { ...valuesOf(program, command, pending), prefix: '', typed: last };
  }
  if (last.startsWith('-')) return { candidates: optionsOf(program, command), files: false, prefix: '', typed: last };
  const argument =
    command.registeredArguments[position] ?? command.registeredArguments.find(({ variadic }) => variadic);
  return { ...ofArgument(argument, commandsOf(command)), prefix: '', typed: last };
}

/** bash splits `--format=json` into three words. */
function joinAssignments(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  words.forEach((word, at) => {
    const isPart = word === '=' || words[at - 1] === '=';
    joined.push(isPart ? [...joined.splice(-1), word].join('') : word);
  });
  return joined;
}

/** `pending`: the option whose value comes next; `position`: the number of arguments so far. */
function walk(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly pending: Option | undefined; readonly position: number } {
  let command = program;
  let pending: Option | undefined;
  let position = 0;
  for (const word of words) {
    if (word.startsWith('-')) {
      const option = findOption(program, command, word);
      pending = option?.required === true || option?.optional === true ? option : undefined;
      continue;
    }
    if (pending !== undefined) {
      // `--target a b`: a variadic option takes every word up to the next option.
      if (!pending.variadic) pending = undefined;
      continue;
    }
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined) position += 1;
    else command = child;
  }
  return { command, pending, position };
}

function findOption(program: Command, command: Command, word: string): Option | undefined {
  return [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
}

function valuesOf(
  program: Command,
  command: Command,
  option: Option,
): Pick<ExpectedWord, 'candidates' | 'names' | 'files'> {
  const { long } = option;
  if (long === '--format') return { candidates: described(formatsOfCommand(program, command)), files: false };
  if (long === '--report')
    return { candidates: described(formatsOfCommand(program, command).map((format) => `${format}=`)), files: false };
  if (option.argChoices !== undefined) return { candidates: described(option.argChoices), files: false };
  if (long === '--project') return { candidates: [], names: 'projects', files: false };
  if (/<key\.\.\.>$/.test(option.flags)) return { candidates: [], names: 'flags', files: false };
  return { candidates: [], files: /<(file|dir|folder|path)>/.test(option.flags) };
}

function ofArgument(
  argument: Argument | undefined,
  candidates: readonly CompletionCandidate[],
): Pick<ExpectedWord, 'candidates' | 'names' | 'files'> {
  if (argument === undefined) return { candidates, files: false };
  const choices = described(argument.argChoices ?? []);
  if (argument.name() === 'flag') return { candidates: choices, names: 'flags', files: false };
  return { candidates: [...candidates, ...choices], files: ['file', 'plan'].includes(argument.name()) };
}

function commandsOf(command: Command): readonly CompletionCandidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ text: child.name(), description: child.summary() || child.description() }));
}

function optionsOf(program: Command, command: Command): readonly CompletionCandidate[] {
  const shared = command === program ? [] : program.options.filter((option) => usesOption(command, option));
  const own = [...command.createHelp().visibleOptions(command), ...shared];
  return own.map((option) => ({ text: `--${option.name()}`, description: option.description }));
}

function described(texts: readonly string[]): readonly CompletionCandidate[] {
  return texts.map((text) => ({ text, description: '' }));
}
