/** The command line for commander: every command, option and example, without behaviour. */

import { Command, Help, Option } from 'commander';
import { declareCommand, DeclaredCommand, declareParameter, examples, type AllCommands } from './command.ts';
import { formatsOfCommand, refuseOtherFormats, refuseTextAsData, refuseYamlFiles } from './formats.ts';
import { GLOBAL } from './options.ts';
import { refuseUnusedOptions, usesOption } from './unused-options.ts';

/** `choose` gets what the command runs that the command line names. `isUsed`: of the other commands, only the names are declared. */
export function createProgram<Run>(
  { commands, groups }: AllCommands<Run>,
  choose: (run: Run) => void,
  isUsed: (name: string) => boolean = () => true,
): Command {
  const program: Command = new Command('flagwright')
    .description(
      'Manages PostHog feature flags and their role access as code: YAML manifests that you plan, apply and check for drift.',
    )
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      // The names of some subcommands leave 34 of 80 columns.
      minWidthToWrap: 20,
      optionDescription: describeOption,
      visibleGlobalOptions: (command) => listUsedOptions(program, command),
      formatHelp: (command, help) => putCommandsFirst(Help.prototype.formatHelp.call(help, command, help)),
    })
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples(['flagwright init', 'flagwright validate', 'flagwright plan', 'flagwright apply']));
  for (const parameter of Object.values(GLOBAL)) declareParameter(program, parameter);
  for (const command of commands) {
    const declared = new DeclaredCommand(command).copyInheritedSettings(program);
    program.addCommand(declared);
    if (isUsed(command.name)) declareCommand(declared, command, choose);
  }
  for (const { name, summary, description, declare } of groups) {
    const parent = program.command(name).summary(summary).description(description);
    declare?.(parent, choose);
  }
  return program.hook('preAction', (_program, command) => {
    refuseUnusedOptions(program, command);
    refuseOtherFormats(program, command);
    refuseTextAsData(program, command);
    refuseYamlFiles(program, command);
  });
}

/** Matches commander's description, without `(default: false)` for switches. */
function describeOption(option: Option): string {
  const described = option.defaultValue === false ? new Option(option.flags, option.description) : option;
  return new Help().optionDescription(described);
}

function listUsedOptions(program: Command, command: Command): Option[] {
  const help = new Help();
  help.showGlobalOptions = true;
  return help
    .visibleGlobalOptions(command)
    .filter((option) => usesOption(command, option))
    .map((option) => (option.attributeName() === 'format' ? withFormats(option, program, command) : option));
}

/** Shows only the formats of the command. */
function withFormats({ flags, description, defaultValue }: Option, program: Command, command: Command): Option {
  return new Option(flags, description).default(defaultValue).choices(formatsOfCommand(program, command));
}

/** Readers of the help look for a command first. */
function putCommandsFirst(text: string): string {
  return text.replace(/^(Options:\n(?:.*\n)*?)(Commands:\n(?:.+\n)+)/m, '$2\n$1').replace(/\n+$/, '\n');
}
