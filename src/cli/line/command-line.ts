/** Parses arguments into a command with its options, a text to print, or a usage error. */

import { CommanderError, type Command, type Option } from 'commander';
import { FlagwrightError } from '../../base/errors.ts';
import { shellWord } from '../../report/escape.ts';
import { FORMATS, type Format } from '../../report/formats/render.ts';
import type { GlobalOptions } from './options.ts';
import { type AllCommands, createProgram } from './program.ts';
import { version } from './version.ts';

/** `Run`: what a command does, which only the caller knows. */
export type ParsedCommandLine<Run> =
  | { readonly kind: 'run'; readonly options: GlobalOptions; readonly run: Run }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'wrong'; readonly error: FlagwrightError; readonly options: GlobalOptions };

export function parseCommandLine<Run>(argv: readonly string[], known: AllCommands<Run>): ParsedCommandLine<Run> {
  let chosen: { readonly run: Run } | undefined;
  const printed: string[] = [];
  const isUsed = needsEveryCommand(argv, known) ? undefined : (name: string) => argv.includes(name);
  const program = createProgram(known, (run) => void (chosen = { run }), isUsed);
  program.version(version(), '-V, --version', 'print the version');
  forEachCommand(program, (command) => {
    command.exitOverride().configureOutput({ writeOut: (text) => printed.push(text), writeErr: () => undefined });
  });
  const misread = findForeignSpelling(argv, program) ?? findMissingValue(argv, program);
  if (misread !== undefined) return { kind: 'wrong', error: misread, options: readReportOptions(argv) };
  try {
    program.parse(apart(withHelp(argv, program), program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: printed.join('') };
    return { kind: 'wrong', error: usageError(program, error), options: readReportOptions(argv) };
  }
  if (chosen === undefined) return { kind: 'print', text: program.helpInformation() };
  return { kind: 'run', options: program.opts<GlobalOptions>(), run: chosen.run };
}

/**
 * Help lists every command, and a typo is told from a value by the options of all commands. Any other line needs only the commands that it
 * names: declaring the others takes longer than parsing it.
 */
function needsEveryCommand(argv: readonly string[], { commands }: AllCommands<unknown>): boolean {
  const isOption = (argument: string | undefined): boolean => argument?.startsWith('-') === true;
  return (
    !commands.some(({ name }) => argv.includes(name)) ||
    argv.some((argument) => ['-h', '--help', 'help'].includes(argument) || /^-[a-z]{2}/.test(argument)) ||
    argv.some((argument, index) => isOption(argument) && isOption(argv[index + 1]))
  );
}

/**
 * Running without arguments asks for help. Help for an unknown command is an unknown command, with a suggestion. Commander takes one name
 * after `help`, so that of a group goes before it.
 */
function withHelp(given: readonly string[], program: Command): readonly string[] {
  if (given.length === 0) return ['--help'];
  const [first, group, ...names] = given;
  const isOfGroup =
    first === 'help' && names.length > 0 && isGroup(program.commands.find((one) => one.name() === group));
  const argv = isOfGroup ? [String(group), first, ...names] : given;
  const at = argv.indexOf('help');
  const parent = at === 0 ? program : program.commands.find((command) => at === 1 && command.name() === argv[0]);
  const asked = argv[at + 1];
  if (parent === undefined || !isGroup(parent) || asked === undefined || /^-|^help$/.test(asked)) return argv;
  return parent.commands.some((command) => command.name() === asked) ? argv : argv.toSpliced(at, 1);
}

function isGroup(command: Command | undefined): boolean {
  return command !== undefined && command.commands.length > 0;
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}

function usageError(program: Command, error: CommanderError): FlagwrightError {
  const help = `${nameCommand(program)} --help`;
  if (error.code === 'commander.help') {
    return new FlagwrightError('usage', 'A command is missing.', { remedy: `${help} lists them.` });
  }
  const [message = '', ...hint] = error.message.replace(/^error: /, '').split('\n');
  const missing = error.code.startsWith('commander.missing') ? findMissing(findInnermost(program).command) : [];
  if (missing.length > 1) {
    const all = `${missing.slice(0, -1).join(', ')} and ${missing.at(-1) ?? ''}`;
    return new FlagwrightError('usage', `${all} are missing.`, { remedy: `See ${help}.` });
  }
  const elsewhere = findOtherTools(program, error.code, message);
  if (elsewhere !== undefined) return new FlagwrightError('usage', message, { remedy: elsewhere });
  const began =
    hint.length === 0 && error.code === 'commander.unknownOption' ? findOptionsBeginning(program, message) : [];
  return new FlagwrightError('usage', [message, ...hint, ...began].join(' '), { remedy: `See ${help}.` });
}

/** All that the command requires and was not given, as in the help. Commander names the first one alone. */
function findMissing(command: Command): readonly string[] {
  return [
    ...command.registeredArguments
      .slice(command.args.length)
      .flatMap((argument) => (argument.required ? [`<${argument.name()}>`] : [])),
    ...command.options.flatMap((one) =>
      one.mandatory && command.getOptionValue(one.attributeName()) === undefined ? [one.flags] : [],
    ),
  ];
}

/** What it is called here, for a name of other tools; for an argument that is too many, how a project is named. */
function findOtherTools(program: Command, code: string, message: string): string | undefined {
  const [, name = ''] = /'([^']*)'/.exec(message) ?? [];
  const command = nameCommand(program);
  if (code === 'commander.unknownCommand')
    return Object.hasOwn(COMMANDS_MEANT, name) ? COMMANDS_MEANT[name] : undefined;
  if (code === 'commander.unknownOption') return Object.hasOwn(OPTIONS_MEANT, name) ? OPTIONS_MEANT[name] : undefined;
  if (code === 'commander.invalidArgument' && command === 'flagwright refs')
    return `For one flag: ${command} --target ${shellWord(name)}`;
  if (code !== 'commander.excessArguments' || !message.includes('Expected 0 arguments')) return undefined;
  const hasTarget = findInnermost(program).command.options.some(({ long }) => long === '--target');
  return `A project is named by -p PROJECT${hasTarget ? ', a flag by --target KEY' : ''}. See ${command} --help.`;
}

const COMMANDS_MEANT: Readonly<Record<string, string>> = {
  diff: '`flagwright plan` shows what apply would change, `flagwright drift` what somebody changed in the service.',
  status: '`flagwright drift` shows what differs from the manifests, `flagwright history` what was applied.',
  import: '`flagwright export` writes the flags of the service as manifests.',
  pull: '`flagwright export` writes new manifests, `flagwright accept` takes live values over into those you have.',
  push: '`flagwright apply` makes the project match the manifests.',
  deploy: '`flagwright apply` makes the project match the manifests.',
  sync: '`flagwright apply` makes the project match the manifests.',
  rollback: '`flagwright undo` reverts a run.',
  revert: '`flagwright undo` reverts a run.',
  disable: '`flagwright off KEY` turns a flag off now.',
  kill: '`flagwright off KEY` turns a flag off now.',
  list: '`flagwright flags list` lists the live flags.',
  ls: '`flagwright flags list` lists the live flags.',
  check: '`flagwright validate` checks the manifests, `flagwright doctor` everything that a run needs.',
  lint: '`flagwright validate` checks the manifests.',
};

const OPTIONS_MEANT: Readonly<Record<string, string>> = {
  '--dry-run': '`flagwright plan` shows what apply would do, and writes nothing.',
  '--auto-approve': 'Write --yes.',
  '--env': 'Name a project with -p PROJECT.',
  '--environment': 'Name a project with -p PROJECT.',
  '--json': 'Write -f json.',
};

/** Options that begin with the unknown one. Commander suggests those that are merely similar. */
function findOptionsBeginning(program: Command, message: string): string[] {
  const [, unknown] = /'(--[^'=]{3,})/.exec(message) ?? [];
  if (unknown === undefined) return [];
  const known = [findInnermost(program).command, program].flatMap(({ options }) =>
    options.map(({ long }) => long ?? ''),
  );
  const found = [...new Set(known.filter((option) => option.startsWith(unknown)))];
  return found.length === 0 ? [] : [`(Did you mean ${found.join(' or ')}?)`];
}

/** The innermost command that the arguments name: `flagwright plan`. */
function nameCommand(program: Command): string {
  return findInnermost(program).names.join(' ');
}

function findInnermost(program: Command) {
  let command = program;
  const names = [program.name()];
  for (const argument of program.args) {
    const child = command.commands.find((candidate) => candidate.name() === argument);
    if (child === undefined) break;
    command = child;
    names.push(child.name());
  }
  return { command, names };
}

/** The options that decide how a usage error is reported. */
function readReportOptions(argv: readonly string[]): GlobalOptions {
  const isNamed = (format: Format): boolean =>
    argv.some(
      (argument, index) =>
        argument === `--format=${format}` ||
        argument === `-f${format}` ||
        (argument === format && ['-f', '--format'].includes(argv[index - 1] ?? '')),
    );
  return {
    format: FORMATS.find(isNamed) ?? 'text',
    concurrency: 1,
    quiet: false,
    verbose: false,
    color: !argv.includes('--no-color'),
  };
}

/**
 * Refuses `--target --prune`, where the next option would be taken as the value. A value that is the name of an option is written
 * `--target=--prune`.
 */
function findMissingValue(argv: readonly string[], program: Command): FlagwrightError | undefined {
  const options = collectOptions(program);
  const names = new Set(options.flatMap(({ long, short }) => [long, short]));
  const end = argv.indexOf('--');
  const given = end < 0 ? argv : argv.slice(0, end);
  const at = given.findIndex((argument, index) => {
    const next = given[index + 1]?.split('=', 1)[0];
    const takesNext = options.some(({ required, long, short }) => required && [long, short].includes(argument));
    return takesNext && next !== undefined && names.has(next);
  });
  if (at < 0) return undefined;
  const [option = '', next = ''] = given.slice(at);
  return new FlagwrightError('usage', `${option} needs a value, and '${next}' is an option.`, {
    remedy: `Write the value after ${option}.`,
  });
}

/** Refuses `-out=FILE`, the spelling of other tools, which would be read as `-o ut=FILE`. `--` ends the options. */
function findForeignSpelling(argv: readonly string[], program: Command): FlagwrightError | undefined {
  const options = collectOptions(program);
  const names = new Set(options.map(({ long }) => long));
  const takers = new Set(options.flatMap(({ required, long, short }) => (required ? [long, short] : [])));
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end))
    .filter((_, index) => index === 0 || !takers.has(argv[index - 1]))
    .map((argument) => {
      const [, name] = /^-([a-z][a-z-]+)(?:=|$)/.exec(argument) ?? [];
      if (name !== undefined && names.has(`--${name}`)) {
        const message = `'${argument}' has one dash; long options have two.`;
        return new FlagwrightError('usage', message, { remedy: `Write -${argument}.` });
      }
      const [, option, value = ''] = /^(-[a-zA-Z])=(.*)$/s.exec(argument) ?? [];
      if (option === undefined) return undefined;
      const message = `'${argument}' has "=" after a short option.`;
      return new FlagwrightError('usage', message, { remedy: `Write ${`${option} ${value}`.trim()}.` });
    })
    .find((error) => error !== undefined);
}

/** Writes `-yq` as `-y -q`: each may be an option of another command than the one that reads them. A value stays as it is. */
function apart(argv: readonly string[], program: Command): readonly string[] {
  const options = collectOptions(program);
  const optionOf = (name: string | undefined): Option | undefined =>
    options.find(({ long, short }) => name !== undefined && [long, short].includes(name));
  const end = argv.indexOf('--');
  return argv.flatMap((argument, index) => {
    const letters = /^-[a-zA-Z]{2,}$/.test(argument)
      ? argument
          .slice(1)
          .split('')
          .map((letter) => `-${letter}`)
      : [];
    const isValue = (end >= 0 && index > end) || optionOf(argv[index - 1])?.required === true;
    const areSwitches = letters.every((letter) => optionOf(letter)?.isBoolean() === true);
    return letters.length === 0 || isValue || !areSwitches ? [argument] : letters;
  });
}

function collectOptions(command: Command): readonly Option[] {
  return [...command.options, ...command.commands.flatMap(collectOptions)];
}
