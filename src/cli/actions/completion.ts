/** `flagwright completion SHELL`: prints the script that makes a shell complete the command line, and the candidates that it asks for. */

import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { declaredKeys, readManifests } from '../../posthog/manifests/manifests.ts';
import { expectNext, type ExpectedWord } from '../line/candidates.ts';
import type { AllCommands } from '../line/command.ts';
import type { ExitCode } from '../line/exit.ts';
import { createProgram } from '../line/program.ts';
import { readPackageFile } from '../line/version.ts';
import type { Execute, Session } from '../session/session.ts';

/** A shell, or the words that its script asks about. */
export type CompletionTarget = 'bash' | 'zsh' | 'fish' | 'candidates';

export type FindCommands = (argv: readonly string[]) => Promise<AllCommands<Execute>>;

export interface CompletionRequest {
  readonly target: CompletionTarget;
  /** The words typed after `flagwright`; the last one is incomplete. */
  readonly words: readonly string[];
  /** The commands that a line may name. */
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
  const expected = expectNext(
    createProgram(known, () => undefined),
    words,
  );
  const all = [
    ...expected.candidates,
    ...(await namesFor(session, expected.names, words)).map((text) => ({ text, description: '' })),
  ];
  const lines = all
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
    const { root, manifests: patterns, projects } = await configOf(session, words);
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

async function configOf({ context }: Session, words: readonly string[]): Promise<Config> {
  const at = words.findIndex((word) => word === '-c' || word === '--config');
  const file = at === -1 ? undefined : words[at + 1];
  return (await loadConfig({ cwd: context.cwd, env: context.env, offline: true, ...defined({ file }) })).config;
}
