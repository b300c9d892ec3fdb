/** The examples at the end of a command's help. */

export function examples(commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${fold(command)}`).join('\n')}`;
}

/** Before the options that a terminal of 80 columns has no room for. It can be pasted all the same. */
function fold(command: string): string {
  const lines = [''];
  for (const part of command.split(/ (?=--?[a-z])/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + part.length > MOST_CHARACTERS) lines.push(part);
    else lines.splice(-1, 1, last === '' ? part : `${last} ${part}`);
  }
  return lines.join(' \\\n      ');
}

/** Beside indentation and ` \`. */
const MOST_CHARACTERS = 71;
