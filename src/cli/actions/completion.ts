/** `flagwright completion SHELL`: prints the script that makes a shell complete the command line, and the candidates that it asks for. */

import type { Argument, Command, Option } from 'commander';
import { defined } from '../../base/optional.ts';
import { loadConfig } from '../../config/load.ts';
import { declaredKeys, readManifests } from '../../posthog/manifests/manifests.ts';
import type { ExitCode } from '../line/exit.ts';
import { type AllCommands, createProgram, formatsOfCommand } from '../line/program.ts';
import { readPackageFile } from '../line/version.ts';
import type { Execute, Session } from '../session/session.ts';

/** A shell, or the words that its script asks about. */
export type CompletionTarget = 'bash' | 'zsh' | 'fish' | 'candidates';

export type FindCommands = (argv: readonly string[]) => Promise<AllCommands<Execute>>;

export interface CompletionRequest {
  readonly target: CompletionTarget;
  /** The words typed after `flagwright`; the last one is incomplete. */
  readonly words: readonly string[];
  readonly findCommands: FindCommands;
}

export async function completion(session: Session, request: CompletionRequest): Promise<ExitCode> {
  const { target } = request;
  const text = target === 'candidates' ? await candidates(session, request) : readPackageFile(`completion/${target}`);
  await session.publish({ kind: 'script', text });
  return 0;
}

/** A line for each candidate: the word, a tab, what it means. `:files` asks the shell for files. */
async function candidates(session: Session, { words, findCommands }: CompletionRequest): Promise<string> {
  const known = await findCommands(words);
  const nothing = (): void => undefined;
  const expected = expectNext(createProgram(known, nothing), words);
  const names = await namesFor(session, expected.names, words);
  const lines = [...expected.candidates, ...described(names)]
    .filter(({ text }) => text.startsWith(expected.typed))
    .map(({ text, description }) => `${expected.prefix}${text}\t${description.split('\n', 1)[0] ?? ''}\n`);
  return [...lines, ...(expected.files ? [':files\n'] : [])].join('');
}

/** A shell inserts a candidate as it is, so names that it would split or interpret are left out. */
const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

async function namesFor(
  session: Session,
  names: ExpectedWord['names'],
  words: readonly string[],
): Promise<readonly string[]> {
  if (names === undefined) return [];
  try {
    const { cwd, env } = session.context;
    const at = words.findIndex((word) => word === '-c' || word === '--config');
    const file = at === -1 ? undefined : words[at + 1];
    const {
      root,
      manifests: patterns,
      projects,
    } = (await loadConfig({ cwd, env, offline: true, ...defined({ file }) })).config;
    const { checkpoint } = session.interrupts;
    const found =
      names === 'projects'
        ? Object.keys(projects)
        : [...declaredKeys((await readManifests({ root, patterns, checkpoint })).files, 'flags')];
    return found.filter((name) => PLAIN_WORD.test(name)).toSorted();
  } catch {
    // The configuration may be invalid while a line is typed: then it has no names.
    return [];
  }
}

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
  if (last.startsWith('-')) return { candidates: optionsOf(command), files: false, prefix: '', typed: last };
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
function walk(program: Command, words: readonly string[]) {
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

function optionsOf(command: Command): readonly CompletionCandidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map((option) => ({ text: `--${option.name()}`, description: option.description }));
}

function described(texts: readonly string[]): readonly CompletionCandidate[] {
  return texts.map((text) => ({ text, description: '' }));
}
