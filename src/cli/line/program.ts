/** The command line for commander: every command, option, format and example, and what is refused; without behavior. */

import { docsPage, quoted } from '../../base/wording.ts';
import { Command, Help, Option, Argument } from 'commander';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { formatsOf, FORMATS, type Format } from '../../report/formats/render.ts';
import type { ReportKind } from '../../report/report.ts';
import { EXIT_CODES, exitsOf, type CommandExits } from './exit.ts';
import {
  GLOBAL,
  type GlobalOptions,
  OPTION_GROUPS,
  isSameFile,
  isArgument,
  isOfSeveral,
  projectText,
  type Parameter,
  type Parameters,
  type ParameterValues,
} from './options.ts';

/** `choose` gets what the command runs that the command line names. `isUsed`: of the other commands, only the names are declared. */
export function createProgram<Run>(
  { commands, groups }: AllCommands<Run>,
  choose: (run: Run) => void,
  isUsed: (name: string) => boolean = () => true,
): Command {
  const program: Command = new Command('flagwright')
    .description('Manages PostHog feature flags as YAML in git: plan a change, review it, apply it, and detect drift.')
    .configureHelp({
      // The names of some subcommands leave 34 of 80 columns.
      minWidthToWrap: 20,
      optionDescription: describeOption,
      visibleOptions: (command) => listOptions(program, command),
      formatHelp,
    })
    .optionsGroup(OPTION_GROUPS.help)
    .helpOption('-h, --help', 'print help')
    .addHelpCommand(
      new Command('help').argument('[command]').summary('print help for a command').helpGroup(SHELL_GROUP),
    )
    .addHelpText('after', helpEnd('', { exits: EXIT_CODES }));
  for (const parameter of Object.values(GLOBAL)) declareParameter(program, parameter);
  for (const command of commands) {
    const declared = new DeclaredCommand(command).copyInheritedSettings(program).helpGroup(command.group);
    program.addCommand(declared);
    if (isUsed(command.name)) declareCommand(declared, command, choose);
  }
  for (const { name, summary, description, declare } of groups) {
    const parent = program.command(name).summary(summary).description(description).helpGroup(SERVICE_GROUP);
    parent.addHelpText('after', helpEnd(`/${name}`, {}));
    declare?.(parent, choose);
  }
  return program.hook('preAction', (_program, command) => {
    const fault = faultOf(program, command);
    if (fault !== undefined) command.error(`error: ${fault}`);
    if (isForSeveral(command)) program.setOptionValue('mayTakeAll', true);
  });
}

/** Commands before options, since readers look for a command first, each under the heading of its group. */
function formatHelp(command: Command, help: Help): string {
  const width = help.padWidth(command, help);
  const list = <T>(heading: string, items: readonly T[], wordsOf: (item: T) => readonly [string, string]): string[] => {
    const rows = items.map((item) => help.formatItem(wordsOf(item)[0], width, wordsOf(item)[1], help));
    return rows.length === 0 ? [] : [heading, ...rows, ''];
  };
  const commands = help.visibleCommands(command);
  const headingOf = (one: Command): string => (command.parent === null ? one.helpGroup() : 'Commands:');
  const options = help.visibleOptions(command);
  return [
    `Usage: ${help.commandUsage(command)}`,
    '',
    help.boxWrap(help.commandDescription(command), help.helpWidth ?? 80),
    '',
    ...list('Arguments:', help.visibleArguments(command), (one) => [
      help.argumentTerm(one),
      help.argumentDescription(one),
    ]),
    ...['Commands:', ...COMMAND_GROUPS].flatMap((heading) =>
      list(
        heading,
        commands.filter((one) => headingOf(one) === heading),
        (one) => [help.subcommandTerm(one), help.subcommandDescription(one)],
      ),
    ),
    ...['Options:', ...Object.values(OPTION_GROUPS)].flatMap((heading) =>
      list(
        heading,
        options.filter(({ helpGroupHeading = 'Options:' }) => helpGroupHeading === heading),
        (one) => [help.optionTerm(one), help.optionDescription(one)],
      ),
    ),
  ].join('\n');
}

/** Matches commander's description, without `(default: false)` for switches. */
function describeOption(option: Option): string {
  const described = option.defaultValue === false ? new Option(option.flags, option.description) : option;
  return new Help().optionDescription(described);
}

/** Its own options, then those of the program that it uses, each under the heading of its group. */
function listOptions(program: Command, command: Command): Option[] {
  const help = new Help();
  help.showGlobalOptions = true;
  const shared = help.visibleGlobalOptions(command).filter((option) => usesOption(command, option));
  const without = command instanceof DeclaredCommand ? command.declaration.withoutProject : undefined;
  return [...help.visibleOptions(command), ...shared].map((option) => {
    const { flags, description, defaultValue } = option;
    if (option.attributeName() === 'project' && without !== undefined)
      return new Option(flags, projectText(without)).helpGroup(OPTION_GROUPS.work);
    if (option.attributeName() !== 'format') return option;
    const own = new Option(flags, description).default(defaultValue).choices(formatsOfCommand(program, command));
    return own.helpGroup(OPTION_GROUPS.output);
  });
}

/** The reports that end the commands of a group, and the options that none of them uses: its records are read once, while they are written, and never as Markdown. */
const GROUP_ENDINGS: readonly ReportKind[] = ['records', 'record', 'done'];
const UNUSED_IN_GROUPS: readonly string[] = ['report', 'markdownLimit', 'allProjects'];

/** Whether a command uses an option of the program: its help omits the others, and it refuses them. */
function usesOption(command: Command, option: Option): boolean {
  const name = option.attributeName();
  if (command instanceof DeclaredCommand) {
    const { unused } = command.declaration;
    return !unused.some((one) => one === name) && (name !== 'allProjects' || isForSeveral(command));
  }
  return !UNUSED_IN_GROUPS.includes(name);
}

/** The formats that can show every report that the command ends with. */
export function formatsOfCommand(program: Command, command: Command): readonly Format[] {
  if (command === program) return FORMATS;
  if (command.parent !== program || !(command instanceof DeclaredCommand)) return formatsOf(GROUP_ENDINGS);
  const { reports, documents = [] } = command.declaration;
  return [...formatsOf(reports), ...documents];
}

/** What is wrong with options of the program that the command does not use, with formats, and with names of files. */
function faultOf(program: Command, command: Command): string | undefined {
  const { format, report = [], output, markdownLimit, config, project, allProjects } = program.opts<GlobalOptions>();
  const given = command.opts<Readonly<Record<string, unknown>>>();
  const sourceOf = (option: Option): string | undefined => program.getOptionValueSource(option.attributeName());
  const unused = program.options.find((option) => sourceOf(option) === 'cli' && !usesOption(command, option));
  if (unused !== undefined) return `${command.name()} does not use ${unused.long ?? unused.flags}; remove it.`;
  if (project?.includes(',') === true && !isForSeveral(command))
    return `${command.name()} works on one project at a time; name one with -p.`;
  const wrongNames = project === undefined ? undefined : faultOfNames(project);
  if (wrongNames !== undefined) return wrongNames;
  if (project !== undefined && allProjects === true) return '--project and --all-projects cannot be used together.';
  const ofOne = isOfSeveral(program.opts()) ? findGivenAlone(command) : undefined;
  if (ofOne !== undefined) return `${ofOne}; name that project with -p.`;

  const formats = formatsOfCommand(program, command);
  const used = [
    { format, option: `--format ${format}` },
    ...report.map((one) => ({ format: one.format, option: `--report ${one.format}=${one.file}` })),
  ];
  const wrong = used.find((one) => !formats.includes(one.format));
  if (wrong !== undefined) return `${command.name()} has no ${wrong.option}; use ${formats.join(' or ')}.`;
  if (markdownLimit !== undefined && !used.some((one) => one.format === 'markdown'))
    return '--markdown-limit has no document; add --format markdown or --report markdown=FILE.';

  const twice = report.find(({ file }) => output !== undefined && isSameFile(output, file));
  if (twice !== undefined) return `--output and --report both write ${twice.file}; name two files.`;
  // An argument or the value of another option: a saved plan, a snapshot, a file of people.
  const names = [...command.args, ...Object.values(given), config].filter((value) => typeof value === 'string');
  const named = report.find(({ file }) => names.some((name) => isSameFile(name, file)));
  if (named !== undefined) return `--report would replace ${named.file}, which the command line names too.`;

  // `-o plan.json` without a format writes text, which neither `apply` nor any other program reads.
  const isDefault = program.getOptionValueSource('format') === 'default';
  const ending = FORMATS.find((one) => one !== 'text' && output?.toLowerCase().endsWith(`.${one}`) === true);
  if (isDefault && ending !== undefined) {
    const isSaving = command.options.some(({ long }) => long === '--out');
    const saving = isSaving ? ` To save the plan for apply, write --out ${output}.` : '';
    return `--output ${output} would contain text, not ${ending}.${saving} For the document, add --format ${ending}.`;
  }
  // No document is YAML, so that a slip of the hand never replaces a manifest, a test file or the configuration.
  const files = Object.entries({ '--output': output, '--out': given['out'] });
  const yaml = files.find(([, file]) => typeof file === 'string' && /\.ya?ml$/i.test(file));
  return yaml && `${yaml.join(' ')} would not be YAML; name a file with another ending.`;
}

function isForSeveral(command: Command): boolean {
  return command instanceof DeclaredCommand && command.declaration.projects === 'several';
}

function faultOfNames(project: string): string | undefined {
  const names = project.split(',').map((name) => name.trim());
  if (names.length > 1 && names.includes(''))
    return `--project ${quoted(project)} has a comma too many, or the name beside it is missing.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice && `--project names ${quoted(twice)} twice; name each project once.`;
}

/** `--against compares one project with its snapshot`: the first option on the line that works on one project. */
function findGivenAlone(command: Command): string | undefined {
  if (!(command instanceof DeclaredCommand)) return undefined;
  return Object.values(command.declaration.parameters).flatMap(({ syntax, alone }) => {
    if (alone === undefined) return [];
    const option = new Option(syntax);
    const isGiven = command.getOptionValueSource(option.attributeName()) === 'cli';
    return isGiven ? [`${option.long ?? ''} ${alone}`] : [];
  })[0];
}

/** `Run`: what the command does, which only the caller knows. */
export interface CommandDeclaration<Run> {
  readonly name: string;
  readonly group: CommandGroupName;
  readonly summary: string;
  readonly description: string;
  /** Names under which `run` gets their values, sorted as in the help. */
  readonly parameters: Parameters;
  readonly examples: readonly string[];
  /** The reports that may end it. Its formats are those that show each of them; failures do not count. */
  readonly reports: readonly ReportKind[];
  /** Its exit codes besides those of every command. */
  readonly exits?: CommandExits;
  /** Formats that show another document instead of a report. */
  readonly documents?: readonly Format[];
  /** Options of the program that it has no use for: its help omits them, and it refuses them. */
  readonly unused: readonly (keyof GlobalOptions)[];
  /** The projects of a run without `--project`. Absent: the one that `FLAGWRIGHT_PROJECT` or `default_project` names. */
  readonly withoutProject?: string;
  /** `several`: it works on those of `-p a,b` and `--all-projects` in one run. Absent: on one. */
  readonly projects?: 'several';
  /** The module of what it does is loaded when that runs. */
  readonly run: (values: Readonly<Record<string, unknown>>) => Run;
}

interface TypedDeclaration<P extends Parameters, Run> extends Omit<
  CommandDeclaration<Run>,
  'parameters' | 'unused' | 'run'
> {
  readonly parameters: P;
  readonly unused?: CommandDeclaration<Run>['unused'];
  readonly run: (values: ParameterValues<P>) => Run;
}

/** Checks a declaration against its own parameters, then erases their types so that all fit in one list. */
export function command<P extends Readonly<Record<string, Parameter<unknown>>>, Run>(
  declaration: TypedDeclaration<P, Run>,
): CommandDeclaration<Run> {
  return { unused: [], ...declaration } as unknown as CommandDeclaration<Run>;
}

class DeclaredCommand extends Command {
  readonly declaration: CommandDeclaration<unknown>;

  constructor(declaration: CommandDeclaration<unknown>) {
    super(declaration.name);
    this.declaration = declaration;
  }
}

/** `choose` gets what the command runs if the command line names it. */
function declareCommand<Run>(
  declared: Command,
  { summary, description, parameters, ...declaration }: CommandDeclaration<Run>,
  choose: (run: Run) => void,
): void {
  declared.summary(summary).description(description);
  for (const parameter of Object.values(parameters)) declareParameter(declared, parameter);
  declared
    .addHelpText('after', helpEnd(`/${declared.name()}`, declaration))
    .action((...given: unknown[]) => choose(declaration.run(readValues(parameters, declared, given))));
}

export function declareParameter(command: Command, parameter: Parameter<unknown>): void {
  const { syntax, description, parse, choices, required, fallback, off, group } = parameter;
  if (isArgument(parameter)) {
    const argument = new Argument(syntax, description);
    if (parse !== undefined) argument.argParser(parse);
    if (choices !== undefined) argument.choices(choices);
    command.addArgument(argument);
    return;
  }
  const option = new Option(syntax, description).makeOptionMandatory(required === true);
  if (parse !== undefined) option.argParser(parse);
  if (choices !== undefined) option.choices(choices);
  if (fallback !== undefined) option.default(fallback);
  const negative = off === undefined ? [] : [new Option(off.syntax, off.description)];
  for (const one of [option, ...negative]) {
    if (group !== undefined) one.helpGroup(OPTION_GROUPS[group]);
    command.addOption(one);
  }
}

/** Commander passes arguments by position and options by attribute name. */
export function readValues(
  parameters: Parameters,
  command: Command,
  given: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const options = command.opts<Record<string, unknown>>();
  let position = 0;
  return defined(
    Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [
        name,
        isArgument(parameter) ? given[position++] : memberOf(options, new Option(parameter.syntax).attributeName()),
      ]),
    ),
  );
}

/** What follows the lists: examples, exit codes, and the page about the command. */
export function helpEnd(
  page: string,
  { examples = [], exits = {} }: Partial<Pick<CommandDeclaration<unknown>, 'examples' | 'exits'>>,
): string {
  const help = new Help();
  const codes = Object.entries(exitsOf(exits)).map(([code, meaning]) => help.formatItem(code, 3, meaning, help));
  return [
    '',
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ ${fold(line)}`), '']),
    'Exit codes:',
    ...codes,
    '',
    `Documentation: ${docsPage(`commands${page}`)}`,
  ].join('\n');
}

/** Breaks before the options that a terminal of 80 columns has no room for. The result can still be pasted. */
function fold(command: string): string {
  const lines = [''];
  for (const part of command.split(/ (?=--?[a-z])/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + part.length > MOST_CHARACTERS) lines.push(part);
    else lines.splice(-1, 1, last === '' ? part : `${last} ${part}`);
  }
  return lines.join(' \\\n      ');
}

/** Excludes the indentation and ` \`. */
const MOST_CHARACTERS = 71;

/** The headings of the list of commands, in its order. */
export const COMMAND_GROUPS = [
  'Start:',
  'Every day:',
  'Review:',
  'On call:',
  'Several projects:',
  'Code:',
  'Service:',
  'Shell:',
] as const;
type CommandGroupName = (typeof COMMAND_GROUPS)[number];
const SERVICE_GROUP: CommandGroupName = 'Service:';
const SHELL_GROUP: CommandGroupName = 'Shell:';

export interface AllCommands<Run> {
  /** Sorted as in the help. */
  readonly commands: readonly CommandDeclaration<Run>[];
  readonly groups: readonly CommandGroup<Run>[];
}

/** A command with subcommands: `flagwright persons …`. */
export interface CommandGroup<Run> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Declares the commands of the group; absent while they are not loaded. */
  readonly declare?: (parent: Command, choose: (run: Run) => void) => void;
}
