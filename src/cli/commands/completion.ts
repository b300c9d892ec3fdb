/** `flagwright completion`. */

import type { CompletionTarget, FindCommands } from '../actions/completion.ts';
import { command, type CommandDeclaration } from '../line/command.ts';
import { texts, type Parameter } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

const SHELL: Parameter<CompletionTarget> = {
  syntax: '<shell>',
  description: 'the shell',
  choices: ['bash', 'zsh', 'fish', 'candidates'],
};

/** Completes every command, itself included. */
export function completionOf(findCommands: FindCommands): CommandDeclaration<Execute> {
  return command({
    name: 'completion',
    summary: 'print a script that completes the command line',
    description: 'Prints a script that makes a shell complete commands, options, formats, projects and flag keys.',
    parameters: {
      target: SHELL,
      words: texts('[words...]', 'with candidates: the words typed so far, after --'),
    },
    examples: [
      'eval "$(flagwright completion bash)"',
      'flagwright completion zsh > ~/.zsh/completions/_flagwright',
      'flagwright completion fish > ~/.config/fish/completions/flagwright.fish',
    ],
    reports: ['script'],
    unused: ['project', 'config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
    run: (asked) => async (session) =>
      (await import('../actions/completion.ts')).completion(session, { ...asked, findCommands }),
  });
}
