/** The formats of each command: those that can show every report that it ends with. */

import type { Command } from 'commander';
import { formatsOf, FORMATS, type Format } from '../../report/formats/render.ts';
import type { ReportKind } from '../../report/report.ts';
import { DeclaredCommand } from './command.ts';
import type { GlobalOptions } from './options.ts';
import { isSameFile } from './parsed-options.ts';

/** The reports that end the commands of a group. */
const GROUP_ENDINGS: readonly ReportKind[] = ['records', 'record', 'done'];

export function formatsOfCommand(program: Command, command: Command): readonly Format[] {
  if (command !== program && command.parent !== program) return formatsOf(GROUP_ENDINGS);
  if (command instanceof DeclaredCommand) {
    const { reports, documents = [] } = command.declaration;
    return [...formatsOf(reports), ...documents];
  }
  return command === program ? FORMATS : formatsOf(GROUP_ENDINGS);
}

export function refuseOtherFormats(program: Command, command: Command): void {
  const { format, report = [], output, markdownLimit } = program.opts<GlobalOptions>();
  const formats = formatsOfCommand(program, command);
  const used = [
    { format, option: `--format ${format}` },
    ...report.map((one) => ({ format: one.format, option: `--report ${one.format}=${one.file}` })),
  ];
  const wrong = used.find((one) => !formats.includes(one.format));
  if (wrong !== undefined)
    command.error(`error: ${command.name()} has no ${wrong.option}; use ${formats.join(' or ')}.`);
  if (markdownLimit !== undefined && !used.some((one) => one.format === 'markdown'))
    command.error('error: --markdown-limit has no document; add --format markdown or --report markdown=FILE.');
  const twice = report.find(({ file }) => output !== undefined && isSameFile(output, file));
  if (twice !== undefined) command.error(`error: --output and --report both write ${twice.file}; name two files.`);
  const named = findOthersFile(program, command);
  if (named !== undefined) command.error(`error: --report would replace ${named}, which the command line names too.`);
}

/** The file of a report that is also an argument or the value of another option: a saved plan, a snapshot, a file of people. */
function findOthersFile(program: Command, command: Command): string | undefined {
  const { report = [], config } = program.opts<GlobalOptions>();
  const others = [...command.args, ...Object.values(command.opts<Record<string, unknown>>()), config];
  const names = others.filter((value) => typeof value === 'string');
  return report.find(({ file }) => names.some((name) => isSameFile(name, file)))?.file;
}

/** `-o plan.json` without a format writes text, which neither `apply` nor any other program reads. */
export function refuseTextAsData(program: Command, command: Command): void {
  const { output } = program.opts<GlobalOptions>();
  if (output === undefined || program.getOptionValueSource('format') !== 'default') return;
  const extension = FORMATS.find((format) => format !== 'text' && output.toLowerCase().endsWith(`.${format}`));
  if (extension === undefined) return;
  const saving = command.options.some(({ long }) => long === '--out')
    ? ` To save the plan for apply, write --out ${output}.`
    : '';
  command.error(
    `error: --output ${output} would contain text, not ${extension}.${saving} For the document, add --format ${extension}.`,
  );
}

/** No document is YAML, so that a slip of the hand never replaces a manifest, a test file or the configuration. */
export function refuseYamlFiles(program: Command, command: Command): void {
  const { output } = program.opts<GlobalOptions>();
  const { out } = command.opts<{ readonly out?: string }>();
  const wrong = Object.entries({ '--output': output, '--out': out }).find(([, file]) => /\.ya?ml$/i.test(file ?? ''));
  if (wrong !== undefined)
    command.error(`error: ${wrong.join(' ')} would not be YAML; name a file with another ending.`);
}
