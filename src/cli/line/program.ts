/** The command line for commander: every command, option and example, without behaviour. */

import { Command, Help, Option } from 'commander';
import { declareCommand, declareParameter, examples } from './command.ts';
import type { KnownCommands } from './commands.ts';
import { refuseOtherFormats, refuseTextAsData } from './formats.ts';
import { GLOBAL } from './options.ts';
import { refuseUnusedOptions, usesOption } from './unused-options.ts';

/** `choose` gets what the command runs that the command line names. */
export function createProgram<Run>({ commands, groups }: KnownCommands<Run>, choose: (run: Run) => void): Command {
  const program = new Command('flagwright')
    .description(
      'Manages PostHog feature flags and their role access as code: YAML manifests that you plan, apply and check for drift.',
    )
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      optionDescription: describeOption,
      visibleGlobalOptions: listUsedOptions,
    })
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples(['flagwright init', 'flagwright validate', 'flagwright plan', 'flagwright apply']));
  for (const parameter of Object.values(GLOBAL)) declareParameter(program, parameter);
  for (const command of commands) declareCommand(program, command, choose);
  for (const { name, summary, description, declare } of groups) {
    const parent = program.command(name).summary(summary).description(description);
    declare?.(parent, choose);
  }
  return program.hook('preAction', (_program, command) => {
    refuseUnusedOptions(program, command);
    refuseOtherFormats(program, command);
    refuseTextAsData(program, command);
  });
}

/** As commander describes it, without `(default: false)` for switches. */
function describeOption(option: Option): string {
  const described = option.defaultValue === false ? new Option(option.flags, option.description) : option;
  return new Help().optionDescription(described);
}

function listUsedOptions(command: Command): Option[] {
  const help = new Help();
  help.showGlobalOptions = true;
  return help.visibleGlobalOptions(command).filter((option) => usesOption(command, option));
}
