/** The examples at the end of a command's help. */

export function examples(commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${command}`).join('\n')}`;
}
