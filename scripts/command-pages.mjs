// Writes what docs/commands.md and docs/commands/NAME.md say of a command as its value says it, between markers. The prose around them stays.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCommandLine } from './help-texts.mjs';

const INDEX = 'docs/commands.md';

/** The generated blocks of each page, by their names. `line`: the modules of the command line. */
export async function blocksOfPages(line) {
  const known = await line.allCommands(line.RESOURCE_GROUPS.map(({ name }) => name));
  const program = line.createProgram(known, () => undefined);
  program.version('', '-V, --version', 'print the version');
  const declared = new Map(known.commands.map((one) => [one.name, one]));
  const shared = new Set(optionsOf(program.commands.find((one) => one.name() === 'plan')).map(itemOf));
  return new Map([
    [INDEX, indexBlocks(line, program, declared)],
    ...program.commands.map((command) => [
      `docs/commands/${command.name()}.md`,
      { command: pageBlock(line, command, { ...declared.get(command.name()), shared }) },
    ]),
  ]);
}

/** The text with each block between its markers replaced. */
export function withBlocks(text, blocks) {
  return Object.entries(blocks).reduce((whole, [name, block]) => {
    const [begin, end] = [`<!--generated:${name}-->`, '<!--end-->'];
    const from = whole.indexOf(begin);
    const to = whole.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`A page lacks ${begin} or ${end}.`);
    return `${whole.slice(0, from)}${begin}\n\n${block}\n\n${whole.slice(to)}`;
  }, text);
}

function indexBlocks({ COMMAND_GROUPS, OPTION_GROUPS, EXIT_CODES, ERRORS }, program, declared) {
  const inGroup = (heading) => program.commands.filter((command) => command.helpGroup() === heading);
  const link = (command) => `[\`${command.name()}\`](commands/${command.name()}.md)`;
  const withExit = (code) => [...declared.values()].filter(({ exits = {} }) => exits[code] !== undefined);
  const exits = Object.entries(EXIT_CODES).map(([code, meaning]) => {
    const names = ['0', '1', '130'].includes(code) ? [] : withExit(code).map(({ name }) => `\`${name}\``);
    return `- ${code}: ${meaning}${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
  });
  return {
    commands: COMMAND_GROUPS.map((heading) =>
      [titleOf(heading), lines(inGroup(heading).map((command) => `- ${link(command)}: ${command.summary()}`))].join(
        '\n\n',
      ),
    ).join('\n\n'),
    options: lists(program.options, OPTION_GROUPS, itemOf),
    exits: lines(exits),
    errors: lines(Object.entries(ERRORS).map(([code, { exit, meaning }]) => `- \`${code}\` (${exit}): ${meaning}`)),
  };
}

function pageBlock({ OPTION_GROUPS, EXIT_CODES }, command, { examples = [], exits = {}, shared }) {
  const usage = command.createHelp().commandUsage(command);
  const options = optionsOf(command);
  const listed = command.name() === 'plan' ? options : options.filter((option) => !shared.has(itemOf(option)));
  const asPlan = options.filter((option) => !listed.includes(option)).map(({ long }) => `\`${long}\``);
  const parameters = command.registeredArguments.map(
    (one) => `- \`${nameOf(one)}\`: ${one.description}${choices(one)}`,
  );
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  const usual = Object.keys(exits).filter((code) => exits[code] === EXIT_CODES[code]);
  const own = Object.keys(exits).filter((code) => !usual.includes(code));
  const codes = [...(usual.length === 0 ? [] : [usual.join(', ')]), ...own.map((code) => `**${code}** ${exits[code]}`)];
  return [
    `\`${usage}\``,
    command.description(),
    lines(children.map(childItem)),
    [lines(parameters), lists(listed, OPTION_GROUPS, itemOf)]
      .filter(Boolean)
      .join(listed.some(isUngrouped) ? '\n' : '\n\n'),
    asPlan.length === 0 ? '' : `As for [plan](plan.md): ${asPlan.join(', ')}.`,
    codes.length === 0 ? '' : `[Exit codes](../commands.md#exit-codes): ${codes.join('; ')}.`,
    examples.length === 0 ? '' : ['```console', ...examples.map((example) => `$ ${example}`), '```'].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A command of a group: `- `get <flag>`: show one flag`. */
function childItem(child) {
  const words = [child.name(), ...child.registeredArguments.map(nameOf)].join(' ');
  // Every list has these.
  const options = optionsOf(child).filter(({ long }) => !['--limit', '--all', '--columns'].includes(long));
  const flags = options.map((option) => `\`${option.flags}\``);
  return `- \`${words}\`: ${child.summary()}${flags.length === 0 ? '' : ` (${flags.join(', ')})`}`;
}

/** Options as lists under the titles of their groups; those of the command alone come first, without one. */
function lists(options, groups, itemFor) {
  const inGroup = (heading) => lines(options.filter((one) => one.helpGroupHeading === heading).map(itemFor));
  const titled = Object.values(groups).map((heading) => [titleOf(heading), inGroup(heading)]);
  return [
    lines(options.filter(isUngrouped).map(itemFor)),
    ...titled.map(([title, list]) => list && `${title}\n\n${list}`),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function itemOf(option) {
  const { flags, description, defaultValue } = option;
  const preset = [undefined, true, false].includes(defaultValue) ? '' : `; default \`${defaultValue}\``;
  return `- \`${flags}\`: ${description}${choices(option)}${preset}`;
}

const choices = ({ argChoices = [] }) =>
  argChoices.length === 0 ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
const isUngrouped = ({ helpGroupHeading }) => helpGroupHeading === undefined;
const lines = (items) => items.join('\n');
const nameOf = (one) => {
  const name = `${one.name()}${one.variadic ? '...' : ''}`;
  return one.required ? `<${name}>` : `[${name}]`;
};
const optionsOf = (command) => command.options.filter((option) => !option.hidden);
const titleOf = (heading) => `**${heading.replace(/:$/, '')}**`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  for (const [page, blocks] of await blocksOfPages(await loadCommandLine(root))) {
    const file = join(root, page);
    mkdirSync(dirname(file), { recursive: true });
    const name = page.replace(/^.*\/|\.md$/g, '');
    const text = existsSync(file)
      ? readFileSync(file, 'utf8')
      : `# flagwright ${name}\n\n<!--generated:command-->\n\n<!--end-->\n`;
    writeFileSync(file, withBlocks(text, blocks));
  }
}
