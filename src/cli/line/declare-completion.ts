/** Declares `completion` to commander. */

import { Argument, type Command } from 'commander';
import type { Commands } from './commands.ts';
import { examples } from './examples.ts';

export function declareCompletion(program: Command, commands: Commands): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'candidates']))
    .argument('[words...]', 'with candidates: the words typed so far, after --')
    .summary('print a script that completes the command line')
    .description('Prints a script that makes a shell complete commands, options, formats, projects and flag keys.')
    .addHelpText(
      'after',
      examples([
        'eval "$(flagwright completion bash)"',
        'flagwright completion zsh > ~/.zsh/completions/_flagwright',
        'flagwright completion fish > ~/.config/fish/completions/flagwright.fish',
      ]),
    )
    .action(commands.completion);
}
