/** Reads what a run wrote as its readers do: the journals that it began, and the document on stdout by the published schema of its command. */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { NoRunError, readRun } from '../../src/loop/journal/read.ts';
import type { ReportKind } from '../../src/report/report.ts';
import { SCHEMA_OF, schemaErrors, type SchemaName } from './schemas.ts';

/** `check` throws if a journal that was not there before cannot be read, or if the document breaks the schema of what the command reports. */
export function watchDocuments(folder: string): {
  readonly check: (argv: readonly string[], stdout: string) => Promise<void>;
} {
  const before = new Set(journalsIn(folder));
  return {
    check: async (argv, stdout) => {
      for (const name of journalsIn(folder)) if (!before.has(name)) await checkJournal(journalOf(folder), name);
      await checkDocument(argv, stdout);
    },
  };
}

const journalOf = (folder: string): string => path.join(folder, '.flagwright', 'journal');

/** Names of runs. Tests also put files and links in the place of the folder. */
function journalsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(journalOf(folder)).filter((name) => name.endsWith('.jsonl'));
    return names.map((name) => name.slice(0, -'.jsonl'.length));
  } catch {
    return [];
  }
}

async function checkJournal(folder: string, name: string): Promise<void> {
  await readRun(folder, name).catch((error: unknown) => {
    if (!(error instanceof NoRunError)) throw new Error(`The journal ${name} cannot be read.`, { cause: error });
  });
}

/** Only what flagwright reports itself has a version; what the service answers is printed as it came. */
async function checkDocument(argv: readonly string[], stdout: string): Promise<void> {
  const document = stdout.startsWith('{') ? documentIn(stdout) : undefined;
  if (document === undefined || !Object.hasOwn(document, 'format_version')) return;
  const names = Object.hasOwn(document, 'error') ? (['error'] as const) : await schemasOf(argv);
  const errors = names.map((name) => [name, schemaErrors(name, document)] as const);
  if (names.length === 0 || errors.some(([, found]) => found.length === 0)) return;
  const said = errors.map(([name, found]) => `${name}: ${found.join('; ')}`);
  throw new Error(`What ${argv.join(' ')} prints is not valid.\n${said.join('\n')}\n${stdout}`);
}

/** Of the reports that may end the command; none for `serve`, and for `completion`, which prints no document. */
async function schemasOf(argv: readonly string[]): Promise<readonly SchemaName[]> {
  const { commands } = await allCommands([]);
  const command = argv.map((word) => commands.find(({ name }) => name === word)).find((found) => found !== undefined);
  if (command === undefined) throw new Error(`No command of ${argv.join(' ')} reports a document with a version.`);
  const of: Readonly<Partial<Record<ReportKind, SchemaName>>> = SCHEMA_OF;
  return [...new Set(command.reports.flatMap((kind) => of[kind] ?? []))];
}

function documentIn(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
