// The Markdown documents of flagwright, copied from file to file: their text is never part of a command.

import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Files of an earlier job, or of the repository itself, must not pass as those of this one. */
export function forget(...files) {
  for (const file of files) rmSync(file, { force: true, recursive: true });
}

export function isWritten(file) {
  return existsSync(file) && statSync(file).size > 0;
}

export function readOr(file, missing) {
  return isWritten(file) ? readFileSync(file, 'utf8') : `${missing}\n`;
}

export function write(file, text) {
  writeFileSync(file, text);
}

/** A summary on the page of the run, where the CI system has one. */
export function summarize({ files }, text) {
  if (files.summary !== undefined) appendFileSync(files.summary, `${text.trimEnd()}\n\n`);
}

/** A value for later steps and jobs. */
export function putOutput({ files }, { name, value }) {
  if (files.output !== undefined) appendFileSync(files.output, `${name}=${value}\n`);
}
