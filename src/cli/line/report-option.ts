/** The option `--report FORMAT=FILE`, which may be given several times. */

import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { FORMATS, type Format } from '../../report/formats/render.ts';
import type { Parameter } from './parameters.ts';

export interface ReportFile {
  readonly format: Format;
  /** The name on the command line. */
  readonly file: string;
}

export const REPORT: Parameter<readonly ReportFile[] | undefined> = {
  syntax: '--report <format=file>',
  description: 'also write the report to a file in a format; may be repeated',
  parse: addReport,
};

function addReport(text: string, earlier: readonly ReportFile[] = []): readonly ReportFile[] {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  const file = at === -1 ? '' : text.slice(at + 1);
  const format = FORMATS.find((one) => one === name);
  if (format === undefined) {
    throw new InvalidArgumentError(`It must begin with a format, as in markdown=FILE: ${FORMATS.join(', ')}.`);
  }
  if (file === '' || file === '-') {
    throw new InvalidArgumentError(`It must name a file, as in ${format}=FILE. stdout is for --format.`);
  }
  if (earlier.some((other) => isSameFile(other.file, file))) {
    throw new InvalidArgumentError(`Another --report writes ${file}.`);
  }
  return [...earlier, { format, file }];
}

/** Compares the names only. */
export function isSameFile(one: string, other: string): boolean {
  return path.normalize(one) === path.normalize(other);
}
